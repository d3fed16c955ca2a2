/** `open` with terminals that behave as real ones do; who was attached to what is read from the stand-in sandy. */

import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, vi } from 'vitest';
import { readCalls } from '../../fixtures/fake-sandy/fleet.mjs';
import { find } from '../agent/running-agent.ts';
import { expectGone } from '../processes.ts';
import { PROGRAM } from '../program.ts';
import { attachesOf, attachTo, isAttached, openIn, test } from './desk-of-stand-ins.ts';

vi.setConfig({ testTimeout: 180_000, maxConcurrency: 6 });

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
    const ran = await openIn(standIns, ['beta'], more);
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
    await openIn(standIns, ['alpha']);
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
    await openIn(standIns, ['alpha']);
    await isAttached(fleet, alpha);
    const inside = readCalls(fleet.dir).find(({ argv }) => argv[0] === '--attach');
    rmSync(join(fleet.dir, 'clients', alpha.record, String(inside?.pid)));
    const shown = await standIns.shows('xterm', 'q quits');
    expect(shown).toContain(`detached from ${alpha.key}`);
    await openIn(standIns, ['beta']);
    await isAttached(fleet, beta);
    const client = readCalls(fleet.dir).findLast(({ argv }) => argv[0] === '--attach');
    const window = standIns.startsOf('xterm').at(-1);
    if (window === undefined) throw new Error('no window');
    process.kill(window.pid, 'SIGKILL');
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
      const ran = await openIn(standIns, [name], { SANDY_TRAY_SANDY: fleet.sandy });
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
    expect(await openIn(standIns, ['alpha'])).toMatchObject({ code: 0, stderr: '' });
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
    expect(await openIn(standIns, ['alpha'], usual)).toMatchObject({ code: 0, stderr: '' });
    await isAttached(fleet, find(fleet, 'alpha'));
    expect(existsSync(join(folder, 'a state', 'sandy-tray', 'tickets'))).toBe(true);
  });

  test('a list of one’s own needs no display', async ({ standIns, expect }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    standIns.add('mine', 'stays');
    stage.configure({ terminal: ['mine', '--x', '$(touch X)', '-e', '{cmd}'] });
    const ran = await openIn(standIns, ['alpha'], { DISPLAY: undefined });
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
    const ran = await openIn(standIns, ['alpha'], { DISPLAY: undefined });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(standIns.startsOf('xterm')[0]?.env.DISPLAY).toBe(':77');
    await isAttached(fleet, find(fleet, 'alpha'));
  });

  test('a workspace with no session yet is opened, as attach would', async ({
    standIns,
    expect,
  }) => {
    const { stage, folder } = standIns;
    await stage.addFleet(['alpha']);
    standIns.add('xterm', 'stays');
    const ran = await openIn(standIns, [folder]);
    expect(ran).toMatchObject({ code: 0, stdout: 'terminals is open in xterm.\n', stderr: '' });
    await standIns.shows('xterm', 'is not running');
  });
});
