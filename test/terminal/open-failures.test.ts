/** `open` with terminals that fail, hang or come too late, and what it refuses. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, vi } from 'vitest';
import { find, until } from '../agent/running-agent.ts';
import { attachesOf, attachTo, isAttached, openIn, PATIENT, test } from './desk-of-stand-ins.ts';

vi.setConfig({ testTimeout: 180_000, maxConcurrency: 6 });

describe.concurrent('open, when something is wrong', () => {
  test('the setting is the first, and one that fails is told of', async ({ standIns, expect }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    standIns.addScript('mine', 'echo one >&2; printf "no \\033[31mdisplay\\n\\n" >&2; exit 7');
    standIns.addScript('kitty', 'kill -TERM $$');
    standIns.add('xterm', 'stays');
    stage.configure({ terminal: ['mine', '{cmd}'] });
    const ran = await openIn(standIns, ['alpha'], { TERMINAL: '/no/where/lxterminal' });
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

  test('one that hangs is passed by, and finds no way in when it wakes up', async ({
    standIns,
    expect,
  }) => {
    const { stage } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    standIns.add('kitty', 'late');
    standIns.add('xterm', 'stays');
    const ran = await openIn(standIns, ['alpha'], { SANDY_TRAY_TIME_SCALE: '0.5' });
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
    expect(await openIn(standIns, ['alpha'], more)).toMatchObject({
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
    [
      ['nosuch'],
      2,
      /^There is no session "nosuch"\. There are: .+\.\nUsage: sandy-tray open SESSION\n$/,
    ],
    [['sa'], 2, /^"sa" fits several sessions: .+\.\nUsage: sandy-tray open SESSION\n$/],
    [['same'], 1, /^same is claimed by two workspaces\. Remove one of the two sandboxes\.\n$/],
  ] as const)('refuses %j', async ([args, exit, sentence], { standIns, expect }) => {
    await standIns.stage.program.addFleet({
      sessions: [
        { name: 'conflict', key: 'same', record: 'one' },
        { name: 'conflict2', key: 'same', record: 'two', running: false },
        { name: 'sand' },
      ],
    });
    standIns.add('xterm', 'stays');
    const { code, stdout, stderr } = await openIn(standIns, args);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(standIns.startsOf('xterm')).toEqual([]);
  });

  test.for([[[]], [['a', 'b']]] as const)(
    'refuses the arguments %j',
    async ([args], { standIns, expect }) => {
      const { code, stdout, stderr } = await openIn(standIns, args);
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
    expect(await openIn(standIns, ['alpha'])).toMatchObject({
      code: 1,
      stderr: `No window can be opened while the state folder can't be written (EEXIST). In a terminal of your own: sandy-tray attach ${find(fleet, 'alpha').key}\n`,
    });
    expect(standIns.startsOf('xterm')).toEqual([]);
  });
});
