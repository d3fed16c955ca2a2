/** `open` with terminals that behave as real ones do; who was attached to what is read from the stand-in sandy. */

import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, vi } from 'vitest';
import {
  type Fleet,
  readCalls,
  readEvents,
  type Session,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, until } from '../agent/running-agent.ts';
import { expectGone } from '../processes.ts';
import { PROGRAM } from '../program.ts';
import { type StandIns, test } from './desk-of-stand-ins.ts';

vi.setConfig({ testTimeout: 180_000, maxConcurrency: 6 });

/** So long that only a terminal that hangs is given up: a busy machine needs seconds for a window. */
const PATIENT = { SANDY_TRAY_TIME_SCALE: '0.2' };

const attachesOf = (fleet: Fleet) =>
  readCalls(fleet.dir)
    .filter(({ argv }) => argv[0] === '--attach')
    .map(({ argv }) => argv);
const attachTo = ({ workspace }: Session) => ['--attach', '--workspace', workspace];

async function isAttached(fleet: Fleet, session: Session, times = 1): Promise<void> {
  await until(
    () =>
      readEvents(fleet.dir).filter(
        ({ why, record }) => why === 'client-attached' && record === session.record,
      ).length >= times,
    () => `${session.key} to be attached: ${JSON.stringify(attachesOf(fleet))}`,
  );
}

const open = ({ stage, variables }: StandIns, args: readonly string[], more = {}) =>
  stage.program.run(['open', ...args], { ...variables, ...PATIENT, ...more });

describe.concurrent('open', () => {
  test('brings up a window on the session, and only letters cross', async ({
    standIns,
    expect,
  }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha', 'beta']);
    const beta = find(fleet, 'beta');
    standIns.add('xterm', 'stays');
    const more = {
      NODE_OPTIONS: '--no-warnings',
      TMUX: '/tmp/x',
      INVOCATION_ID: '1',
      XDG_ACTIVATION_TOKEN: 'leave',
    };
    const ran = await open(standIns, ['beta'], more);
    expect(ran).toMatchObject({
      code: 0,
      stdout: `${beta.key} is open in xterm.\n`,
      stderr: '',
    });
    await isAttached(fleet, beta);
    expect(attachesOf(fleet)).toEqual([attachTo(beta)]);
    const [started, ...others] = standIns.startsOf('xterm');
    expect(others).toEqual([]);
    expect(started?.args).toEqual([
      '-e',
      process.execPath,
      PROGRAM,
      'attach',
      '--ticket',
      expect.stringMatching(/^[0-9a-f][A-Za-z0-9_-]+$/),
    ]);
    const { env = {}, pid, sid, cwd } = started ?? {};
    expect(cwd).toBe(stage.program.home);
    expect(sid).toBe(pid);
    expect(env).toMatchObject({
      FROM_THE_OPENER: 'yes',
      LANG: 'C.UTF-8',
      XDG_ACTIVATION_TOKEN: 'leave',
      DESKTOP_STARTUP_ID: 'leave',
    });
    const names = Object.keys(env).filter((name) => /^(SANDY_TRAY_|NODE_|TMUX|INVO)/.test(name));
    expect(names).toEqual([]);
    expect(JSON.stringify([started?.args, env])).not.toContain(beta.workspace);
    expect(JSON.stringify([started?.args, env])).not.toContain(beta.key);
  });

  test('leaves behind only what the terminal printed, for this user alone', async ({
    standIns,
    expect,
  }) => {
    const fleet = await standIns.stage.addFleet(['alpha']);
    standIns.add('kitty', 'stays');
    await open(standIns, ['alpha']);
    await isAttached(fleet, find(fleet, 'alpha'));
    const folder = join(standIns.stage.program.ownFolder, 'tickets');
    const [name = '', ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/^[0-9a-f]{32}\.log$/);
    expect(readFileSync(join(folder, name), 'utf8')).toBe('kitty warns of nothing\n');
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('a window stays when it is detached, and its client goes when it is closed', async ({
    standIns,
    expect,
  }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha', 'beta']);
    const [alpha, beta] = [find(fleet, 'alpha'), find(fleet, 'beta')];
    standIns.add('xterm', 'stays');
    await open(standIns, ['alpha']);
    await isAttached(fleet, alpha);
    const inside = readCalls(fleet.dir).find(({ argv }) => argv[0] === '--attach');
    rmSync(join(fleet.dir, 'clients', alpha.record, String(inside?.pid)));
    const shown = await standIns.shows('xterm', 'q quits');
    expect(shown).toContain(`detached from ${alpha.key}`);
    await open(standIns, ['beta']);
    await isAttached(fleet, beta);
    const client = readCalls(fleet.dir).findLast(({ argv }) => argv[0] === '--attach');
    const window = standIns.startsOf('xterm').at(-1);
    process.kill(window?.pid ?? 0, 'SIGKILL');
    await expectGone(client?.pid ?? 0);
    await expectGone(client?.ppid ?? 0);
    expect(attachesOf(fleet)).toEqual([attachTo(alpha), attachTo(beta)]);
  });

  test('a terminal that runs already and has another window’s environment does no harm', async ({
    standIns,
    expect,
  }) => {
    const { stage, folder } = standIns;
    const fleet = await stage.addFleet(['alpha', 'beta']);
    const other = await stage.program.addFleet({ sessions: [{ name: 'alpha' }] }, 'other');
    const { PATH = '', HOME = '', SHELL = '' } = stage.program.environment;
    const first = {
      PATH,
      HOME,
      SHELL,
      SANDY_TRAY_DIR: join(folder, 'another'),
      SANDY_TRAY_SANDY: other.sandy,
      XDG_STATE_HOME: join(folder, 'state'),
    };
    writeFileSync(join(folder, 'server.json'), JSON.stringify(first));
    standIns.add('xfce4-terminal', 'server');
    for (const name of ['beta', 'alpha']) {
      const ran = await open(standIns, [name], { SANDY_TRAY_SANDY: fleet.sandy });
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      await isAttached(fleet, find(fleet, name));
    }
    expect(attachesOf(fleet)).toEqual([
      attachTo(find(fleet, 'beta')),
      attachTo(find(fleet, 'alpha')),
    ]);
    expect(attachesOf(other)).toEqual([]);
    expect(existsSync(first.SANDY_TRAY_DIR)).toBe(false);
  });

  test('asks the agent where one runs, and so does the window', async ({ standIns, expect }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await agent.seesState(alpha, 'detached');
    const before = readCalls(fleet.dir).length;
    standIns.add('xterm', 'stays');
    expect(await open(standIns, ['alpha'])).toMatchObject({ code: 0, stderr: '' });
    await isAttached(fleet, alpha);
    const asked = readCalls(fleet.dir)
      .slice(before)
      .filter(({ argv, ppid }) => argv[0] !== '--attach' && ppid !== agent.pid);
    expect(asked.map(({ argv }) => argv)).toEqual([]);
    expect(attachesOf(fleet)).toEqual([attachTo(alpha)]);
    await agent.stop();
  });

  test('goes through the usual folders as well', async ({ standIns, expect }) => {
    const { stage, folder } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    const usual = { SANDY_TRAY_DIR: undefined, XDG_STATE_HOME: join(folder, 'a state') };
    const { PATH = '', HOME = '', SHELL = '' } = stage.program.environment;
    // The first window knows of no state folder but the usual one.
    writeFileSync(join(folder, 'server.json'), JSON.stringify({ PATH, HOME, SHELL }));
    standIns.add('tilix', 'server');
    expect(await open(standIns, ['alpha'], usual)).toMatchObject({ code: 0, stderr: '' });
    await isAttached(fleet, find(fleet, 'alpha'));
    expect(existsSync(join(folder, 'a state', 'sandy-tray', 'tickets'))).toBe(true);
  });

  test('the setting is the first, and one that fails is told of', async ({ standIns, expect }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    standIns.addScript('mine', 'echo one >&2; printf "no \\033[31mdisplay\\n\\n" >&2; exit 7');
    standIns.addScript('kitty', 'kill -TERM $$');
    standIns.add('xterm', 'stays');
    stage.configure({ terminal: ['mine', '{cmd}'] });
    const ran = await open(standIns, ['alpha'], { TERMINAL: '/no/where/lxterminal' });
    expect(ran).toMatchObject({
      code: 0,
      stdout:
        `${alpha.key} is open in xterm. Tried before it: mine failed with exit code 7 (no display); lxterminal was not found; kitty was ended by SIGTERM (kitty warns of nothing).\n`.replace(
          ' (kitty warns of nothing)',
          '',
        ),
      stderr: '',
    });
    await isAttached(fleet, alpha);
    expect(attachesOf(fleet)).toEqual([attachTo(alpha)]);
  });

  test('a list of one’s own needs no display', async ({ standIns, expect }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    standIns.add('mine', 'stays');
    stage.configure({ terminal: ['mine', '--x', '$(touch X)', '-e', '{cmd}'] });
    const ran = await open(standIns, ['alpha'], { DISPLAY: undefined });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    await isAttached(fleet, find(fleet, 'alpha'));
    expect(standIns.startsOf('mine')[0]?.args.slice(0, 4)).toEqual([
      '--x',
      '$(touch X)',
      '-e',
      process.execPath,
    ]);
  });

  test('the display that the service manager knows of is taken', async ({ standIns, expect }) => {
    const fleet = await standIns.stage.addFleet(['alpha']);
    standIns.addScript('systemctl', 'echo DISPLAY=:77; echo SANDY_TRAY_DIR=/elsewhere');
    standIns.add('xterm', 'stays');
    const ran = await open(standIns, ['alpha'], { DISPLAY: undefined });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(standIns.startsOf('xterm')[0]?.env.DISPLAY).toBe(':77');
    await isAttached(fleet, find(fleet, 'alpha'));
  });

  test('one that hangs is passed by, and finds no way in when it wakes up', async ({
    standIns,
    expect,
  }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    standIns.add('kitty', 'late');
    standIns.add('xterm', 'stays');
    const ran = await open(standIns, ['alpha'], { SANDY_TRAY_TIME_SCALE: '0.5' });
    expect(ran).toMatchObject({
      code: 0,
      stdout: `${alpha.key} is open in xterm. Tried before it: kitty opened no window in time (kitty warns of nothing).\n`,
    });
    await isAttached(fleet, alpha);
    standIns.release('kitty');
    const shown = await standIns.shows('kitty', '[any key closes this window]');
    expect(shown).toContain('This window came too late');
    expect(attachesOf(fleet)).toEqual([attachTo(alpha)]);
  });

  test('when nothing works it says what was tried, and what to paste', async ({
    standIns,
    expect,
  }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    const { key } = find(fleet, 'alpha');
    standIns.add('kitty', 'late');
    standIns.addScript('xterm', 'echo "xterm: bad display" >&2; exit 1');
    stage.configure({ terminal: 'iterm2' });
    const variables = { ...standIns.variables, SANDY_TRAY_TIME_SCALE: '20' };
    const ran = await stage.program.run(['open', 'alpha'], variables);
    expect(ran).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `No terminal window could be opened: iterm2 is not for this system; kitty opened no window in time (kitty warns of nothing); xterm failed with exit code 1 (xterm: bad display). In a terminal of your own: sandy-tray attach ${key}\n`,
    });
    standIns.release('kitty');
    await standIns.shows('kitty', '[any key closes this window]');
    expect(attachesOf(fleet)).toEqual([]);
  });

  test.for([
    [{}, 'no terminal program was found'],
    [{ DISPLAY: undefined }, 'there is no display'],
    [{ TERMINAL: 'konsole' }, 'konsole was not found'],
    [{ TERMINAL: 'konsole', DISPLAY: '' }, 'there is no display'],
  ] as const)('with %j: %s', async ([more, why], { standIns, expect }) => {
    const fleet = await standIns.stage.addFleet(['alpha']);
    const { key } = find(fleet, 'alpha');
    expect(await open(standIns, ['alpha'], more)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `No terminal window could be opened: ${why}. In a terminal of your own: sandy-tray attach ${key}\n`,
    });
  });

  test('an opener that is killed leaves a ticket that is still good', async ({
    standIns,
    expect,
  }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    standIns.add('kitty', 'late');
    const variables = { ...standIns.variables, ...PATIENT };
    const opener = stage.start(['open', 'alpha'], { variables });
    await until(
      () => standIns.startsOf('kitty').length > 0,
      () => `kitty: ${opener.stderr()}`,
    );
    opener.child.kill('SIGKILL');
    await opener.ended;
    standIns.release('kitty');
    await isAttached(fleet, find(fleet, 'alpha'));
    expect(attachesOf(fleet)).toEqual([attachTo(find(fleet, 'alpha'))]);
  });

  test('a window that comes after the ticket’s minute says so', async ({ standIns, expect }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    standIns.add('kitty', 'late');
    const variables = { ...standIns.variables, SANDY_TRAY_TIME_SCALE: '0.2' };
    const opener = stage.start(['open', 'alpha'], { variables });
    await until(
      () => standIns.startsOf('kitty').length > 0,
      () => `kitty: ${opener.stderr()}`,
    );
    opener.child.kill('SIGKILL');
    await opener.ended;
    const folder = join(stage.program.ownFolder, 'tickets');
    const name = readdirSync(folder).find((file) => file.endsWith('.ticket')) ?? '';
    const ticket = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    expect(ticket.expiresAt - ticket.createdAt).toBe(60_000 / 0.2);
    const aged = { ...ticket, createdAt: 0, expiresAt: Date.now() - 1 };
    writeFileSync(join(folder, name), JSON.stringify(aged));
    standIns.release('kitty');
    const shown = await standIns.shows('kitty', '[any key closes this window]');
    expect(shown).toContain('more than a minute');
    expect(attachesOf(fleet)).toEqual([]);
  });

  test('a workspace with no session yet is opened, as attach would', async ({
    standIns,
    expect,
  }) => {
    const { stage, folder } = standIns;
    await stage.addFleet(['alpha']);
    standIns.add('xterm', 'stays');
    const ran = await open(standIns, [folder]);
    expect(ran).toMatchObject({ code: 0, stdout: 'terminals is open in xterm.\n', stderr: '' });
    await standIns.shows('xterm', 'is not running');
  });

  test('a sandy that is gone when the window comes up is said in the window', async ({
    standIns,
    expect,
  }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    standIns.add('xterm', 'late');
    const variables = { ...standIns.variables, ...PATIENT };
    const opener = stage.start(['open', 'alpha'], { variables });
    await until(
      () => standIns.startsOf('xterm').length > 0,
      () => `xterm: ${opener.stderr()}`,
    );
    rmSync(fleet.sandy);
    standIns.release('xterm');
    expect(await opener.ended).toMatchObject({ code: 0 });
    await standIns.shows('xterm', '[any key closes this window]');
  });

  test.for([
    [['nosuch'], /^There is no session "nosuch"\. There are: .+\.\n$/],
    [['same'], /^same is claimed by two workspaces\. Remove one of the two sandboxes\.\n$/],
  ] as const)('refuses %j in one line', async ([args, sentence], { standIns, expect }) => {
    await standIns.stage.program.addFleet({
      sessions: [
        { name: 'conflict', key: 'same', record: 'one' },
        { name: 'conflict2', key: 'same', record: 'two', running: false },
      ],
    });
    standIns.add('xterm', 'stays');
    const { code, stdout, stderr } = await open(standIns, args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(standIns.startsOf('xterm')).toEqual([]);
  });

  test.for([[[]], [['a', 'b']]] as const)(
    'refuses the arguments %j',
    async ([args], { standIns, expect }) => {
      const { code, stdout, stderr } = await open(standIns, args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^[^\n]+\.\nUsage: sandy-tray open SESSION\n$/);
    },
  );

  test('a state folder that takes no ticket is said', async ({ standIns, expect }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    standIns.add('xterm', 'stays');
    stage.configure({});
    writeFileSync(join(stage.program.ownFolder, 'tickets'), '');
    expect(await open(standIns, ['alpha'])).toMatchObject({
      code: 1,
      stderr: `No window can be opened while the state folder can't be written (EEXIST). In a terminal of your own: sandy-tray attach ${find(fleet, 'alpha').key}\n`,
    });
    expect(standIns.startsOf('xterm')).toEqual([]);
  });
});
