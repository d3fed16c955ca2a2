import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import * as z from 'zod/mini';
import { agentExits, NO_DELAYS, setKnobs, setSession } from '../../fixtures/fake-sandy/fleet.mjs';
import { acquireSlot } from '../../src/store/slot.ts';
import { readLock } from '../../src/system/lock-file.ts';
import { find, until } from '../agent/running-agent.ts';
import { attachesOf, callsOf, seesInside, settles, test } from './terminals.ts';

describe.concurrent('which session is meant:', () => {
  test('that of the current folder', async ({ desk, expect }) => {
    const fleet = await desk.stage.addFleet(['alpha', 'bravo']);
    const bravo = find(fleet, 'bravo');
    const terminal = desk.attach([], { cwd: bravo.workspace });
    await seesInside(terminal, fleet, bravo);
    expect(callsOf(fleet, '--attach')).toHaveLength(1);
  });

  test('by a path, a key, or the beginning of one', async ({ desk, expect }) => {
    const fleet = await desk.stage.addFleet(['alpha', 'bravo']);
    const bravo = find(fleet, 'bravo');
    for (const argument of [bravo.workspace, bravo.key, 'bra']) {
      const terminal = desk.attach([argument]);
      await seesInside(terminal, fleet, bravo);
    }
    expect(callsOf(fleet, '--attach')).toHaveLength(3);
  });

  test('none, where the beginning fits two or nothing', async ({ desk, expect }) => {
    const fleet = await desk.stage.addFleet(['alpha', 'alpine']);
    const two = desk.attach(['al']);
    await two.sees('"al" fits several sessions: alpha-');
    expect(await two.ends()).toBe(4);
    const none = desk.attach(['zulu']);
    await none.sees('There is no session "zulu". There are: alpha-');
    expect(await none.ends()).toBe(4);
    expect(callsOf(fleet, '--attach')).toEqual([]);
  });

  test('the current folder is no beginning of a key', async ({ desk, expect }) => {
    const fleet = await desk.stage.addFleet([{ name: '.dotfiles' }]);
    const terminal = desk.attach([]);
    await terminal.sees('Which one?');
    terminal.type('\r');
    expect(await terminal.ends()).toBe(4);
    expect(callsOf(fleet, '--attach')).toEqual([]);
  });

  test('unknown while nothing can be seen is not "no session"', async ({ desk, expect }) => {
    await desk.stage.addFleet(['alpha'], { docker: 'down' });
    const terminal = desk.attach(['alpha']);
    await terminal.sees(/[Dd]ocker/);
    expect(await terminal.ends()).toBe(5);
    expect(terminal.bytes()).not.toContain('There is no session');
  });
});

describe.concurrent('without a session to go by, a list asks', () => {
  test('and attaches to the chosen one, which then takes the keys', async ({ desk, expect }) => {
    const fleet = await desk.stage.addFleet([
      { name: 'alpha', clients: 1 },
      { name: 'bravo', inner: 'gone' },
    ]);
    const alpha = find(fleet, 'alpha');
    const terminal = desk.attach([]);
    await terminal.sees(/1 {2}alpha-\w+ {2}running, a client is in\r\n +2 {2}bravo-\w+ {2}/);
    await terminal.sees('Which one? 1 to 2');
    terminal.type('7\r');
    await terminal.sees('Which one? 1 to 2');
    terminal.type('1\r');
    await seesInside(terminal, fleet, alpha);
    terminal.type('touch chosen\r');
    await terminal.sees('touched chosen');
    expect(attachesOf(fleet, alpha)).toHaveLength(1);
  });

  for (const [name, keys] of [
    ['Enter', '\r'],
    ['q', 'q\r'],
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ] as const) {
    test(`and ${name} leaves it`, async ({ desk, expect }) => {
      const fleet = await desk.stage.addFleet(['alpha']);
      const terminal = desk.attach([]);
      await terminal.sees('Which one?');
      terminal.type(keys);
      await terminal.sees('Nothing was chosen.');
      expect(await terminal.ends()).toBe(4);
      expect(callsOf(fleet, '--attach')).toEqual([]);
    });
  }
});

describe.concurrent('a session that is not running', () => {
  test('is started by Enter, with sandy asking and telling in this window', async ({
    desk,
    expect,
  }) => {
    desk.stage.scale(5);
    const fleet = await desk.stage.addFleet([
      { name: 'alpha', running: false, needsApproval: true },
    ]);
    const alpha = find(fleet, 'alpha');
    const terminal = desk.attach(['.'], { cwd: alpha.workspace });
    await terminal.sees('[alpha is not running]');
    await terminal.sees('[Enter starts it · q quits]');
    await terminal.presses('\r');
    await terminal.sees('Starting daemon session for');
    await terminal.sees('Approve? [y/N] ');
    terminal.type('y\r');
    await terminal.sees('Launching Claude Code sandbox...');
    await terminal.sees('Daemon session ready');
    await seesInside(terminal, fleet, alpha);
    expect(callsOf(fleet, '--start')).toMatchObject([{ tty: true, code: 0 }]);
    expect(attachesOf(fleet, alpha)).toHaveLength(1);
  });

  test('and whose start fails says why, and can be tried again', async ({ desk, expect }) => {
    desk.stage.scale(5);
    const fleet = await desk.stage.addFleet([
      { name: 'alpha', running: false, needsApproval: true },
    ]);
    const alpha = find(fleet, 'alpha');
    const terminal = desk.attach([alpha.workspace]);
    await terminal.sees('q quits]');
    await terminal.presses('\r');
    await terminal.sees('Approve? [y/N] ');
    terminal.type('n\r');
    await terminal.sees(/\[alpha could not be started: .*refused/);
    await terminal.sees('[Enter tries again · q quits]');
    setSession(fleet.dir, alpha.record, { approved: true });
    await terminal.presses('\r');
    await seesInside(terminal, fleet, alpha);
    expect(callsOf(fleet, '--start')).toHaveLength(2);
  });

  test('after it was started here and its agent quit is known to have quit', async ({
    desk,
    expect,
  }) => {
    desk.stage.scale(5);
    const fleet = await desk.stage.addFleet([{ name: 'alpha', running: false }]);
    const alpha = find(fleet, 'alpha');
    const terminal = desk.attach([alpha.workspace]);
    await terminal.sees('q quits]');
    await terminal.presses('\r');
    await settles(terminal, fleet, alpha);
    await agentExits(fleet.dir, alpha.record);
    await terminal.sees('ended: the agent inside quit]');
    expect(await terminal.ends()).toBe(0);
  });

  test('is not started while the host is busy, and that is said', async ({ desk, expect }) => {
    desk.stage.scale(5);
    const fleet = await desk.stage.addFleet([{ name: 'alpha', running: false }]);
    const alpha = find(fleet, 'alpha');
    const since = new Date().toISOString();
    const slot = await acquireSlot(desk.stage.program.ownFolder, {
      op: 'update',
      keys: null,
      since,
    });
    if (slot.kind !== 'held') throw new Error(slot.kind);
    const terminal = desk.attach([alpha.workspace]);
    await terminal.sees('q quits]');
    await terminal.presses('\r');
    await terminal.sees(/\[not started: another update has been running since \d/);
    await terminal.sees('[Enter tries again · q quits]');
    expect(callsOf(fleet, '--start')).toEqual([]);
    await slot.release();
    await terminal.presses('\r');
    await seesInside(terminal, fleet, alpha);
    expect(callsOf(fleet, '--start')).toHaveLength(1);
  });

  test('is started once when two terminals ask at the same time', async ({ desk, expect }) => {
    const fleet = await desk.stage.addFleet([{ name: 'alpha', running: false }], {
      delays: { ...NO_DELAYS, innerMs: 4_000 },
      // Time to look who may attach by itself, well within what makes a terminal believe that it is in.
      commands: { '--attach': { delayMs: 1_000 } },
    });
    const alpha = find(fleet, 'alpha');
    const two = [desk.attach([alpha.workspace]), desk.attach([alpha.workspace])];
    await Promise.all(two.map((terminal) => terminal.sees('q quits]')));
    await Promise.all(two.map((terminal) => terminal.presses('\r')));
    const outcomes = await Promise.all(
      two.map((terminal) => terminal.sees(/Starting daemon session|is being started already/)),
    );
    const starterAt = outcomes.findIndex((seen) => seen.includes('Starting'));
    const [starter, other] = [two[starterAt], two[1 - starterAt]];
    if (starter === undefined || other === undefined) throw new Error('nobody starts');
    expect(outcomes[1 - starterAt]).toContain(`[alpha is being started already`);
    await other.sees(`(pid ${starter.pid}); waiting for that]`);
    await until(
      () => attachesOf(fleet, alpha).length > 0,
      () => 'an attach',
    );
    const digest = createHash('sha256').update(alpha.workspace).digest('hex').slice(0, 16);
    const lock = { folder: desk.stage.program.ownFolder, name: `attach-${digest}` };
    expect(await readLock({ ...lock, infoSchema: z.null() })).toMatchObject({
      holder: { pid: starter.pid },
    });
    await seesInside(starter, fleet, alpha);
    // Who has started it has it.
    await other.sees('is attached elsewhere]');
    expect(attachesOf(fleet, alpha)).toHaveLength(1);
    expect(callsOf(fleet, '--start')).toHaveLength(1);
  });

  test('before anything is known can be left by Ctrl-C', async ({ desk, expect }) => {
    const { stage } = desk;
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const known = desk.attach([alpha.key]);
    await seesInside(known, fleet, alpha);
    mkdirSync(join(stage.program.ownFolder, 'x'), { recursive: true });
    await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    setKnobs(fleet.dir, { commands: { '--print-state': { output: 'hang' } } });
    const folder = join(stage.program.folder, 'elsewhere');
    mkdirSync(folder);
    const terminal = desk.attach([folder]);
    await terminal.sees('looking at sandy');
    terminal.type('\x03');
    expect(await terminal.ends()).toBe(4);
  });
});
