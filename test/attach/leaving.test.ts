import { readdirSync } from 'node:fs';
import { describe } from 'vitest';
import * as z from 'zod/mini';
import { setKnobs } from '../../fixtures/fake-sandy/fleet.mjs';
import { readLock } from '../../src/system/lock-file.ts';
import { find, until } from '../agent/running-agent.ts';
import { expectGone, isRunning } from '../processes.ts';
import { PROGRAM } from '../program.ts';
import { attachesOf, callsOf, type Desk, seesInside, settles, test } from './terminals.ts';

async function enter(desk: Desk, args: readonly string[] = []) {
  desk.stage.scale(5);
  desk.stage.configure({ returnWindowSeconds: 10 });
  const fleet = await desk.stage.addFleet(['alpha']);
  const alpha = find(fleet, 'alpha');
  const terminal = desk.attach([alpha.key, ...args]);
  await settles(terminal, fleet, alpha);
  const [first] = attachesOf(fleet, alpha);
  return { fleet, alpha, terminal, childPid: first?.pid ?? 0 };
}

/** What undoes each mode that the fake session's `dirty` sets. */
const resets = {
  'the other screen': '\x1b[?1049l',
  'the mouse': '\x1b[?1000l',
  'moves of the mouse': '\x1b[?1003l',
  'its encoding': '\x1b[?1006l',
  'bracketed paste': '\x1b[?2004l',
  'the hidden cursor': '\x1b[?25h',
  'kitty keys': '\x1b[<99u',
  modifyOtherKeys: '\x1b[>4;0m',
  'the keypad': '\x1b>',
  'cursor keys': '\x1b[?1l',
  'focus reports': '\x1b[?1004l',
  'no wrap': '\x1b[?7h',
  colours: '\x1b[0m',
};

describe.concurrent('a child that left every mode changed', () => {
  test('and was killed: all is undone before a word of ours', async ({ desk, expect }) => {
    const { alpha, terminal, childPid } = await enter(desk);
    terminal.type('dirty\r');
    await until(
      () => terminal.bytes().includes('dirty title'),
      () => 'the dirt',
    );
    const dirtAt = terminal.bytes().indexOf('\x1b[>1u');
    process.kill(childPid, 'SIGKILL');
    await terminal.sees(`[${alpha.key} ended; checking`);
    const ours = terminal.bytes().indexOf(`[${alpha.key} ended`);
    const between = terminal.bytes().slice(dirtAt, ours);
    const missing = Object.entries(resets).filter(([, reset]) => !between.includes(reset));
    expect(missing).toEqual([]);
  });

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const) {
    test(`and ${signal} for us: all is undone, and the child goes, too`, async ({
      desk,
      expect,
    }) => {
      const { terminal, childPid } = await enter(desk);
      terminal.type('dirty\r');
      await until(
        () => terminal.bytes().includes('dirty title'),
        () => 'the dirt',
      );
      const dirtAt = terminal.bytes().indexOf('dirty title');
      terminal.signal(signal);
      expect(await terminal.ends()).toBe(code);
      const after = terminal.bytes().slice(dirtAt);
      expect(Object.entries(resets).filter(([, reset]) => !after.includes(reset))).toEqual([]);
      await expectGone(childPid);
    });
  }
});

describe.concurrent('a window that is closed', () => {
  test('takes the child with it, and leaves no lock', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, childPid } = await enter(desk);
    // By itself it attaches under a lock.
    process.kill(childPid, 'SIGKILL');
    await terminal.sees('attaching again');
    await seesInside(terminal, fleet, alpha);
    const second = attachesOf(fleet, alpha).at(-1)?.pid ?? 0;
    terminal.close();
    await expectGone(second);
    await expectGone(terminal.pid);
    const folder = desk.stage.program.ownFolder;
    const names = new Set(
      readdirSync(folder).flatMap(
        (name) => /^((?:attach-|slot|poll).*)\.\d+$/.exec(name)?.[1] ?? [],
      ),
    );
    expect(names.size).toBeGreaterThan(0);
    for (const name of names) {
      expect(await readLock({ folder, name, infoSchema: z.any() })).toEqual({ kind: 'free' });
    }
    expect(callsOf(fleet, '--print-state').filter(({ pid }) => isRunning(pid))).toEqual([]);
  });

  test('while it waits ends the waiting, and every look', async ({ desk, expect }) => {
    const { fleet, alpha, terminal } = await enter(desk);
    await desk.stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await terminal.sees('is gone; it may');
    setKnobs(fleet.dir, { commands: { '--print-state': { output: 'hang' } } });
    await until(
      () =>
        callsOf(fleet, '--print-state').some(
          ({ pid, exitedAt }) => exitedAt === null && isRunning(pid),
        ),
      () => 'a look that hangs',
    );
    terminal.close();
    await expectGone(terminal.pid);
    for (const { pid } of callsOf(fleet, '--print-state')) await expectGone(pid);
    expect(attachesOf(fleet, alpha)).toHaveLength(1);
  });
});

describe.concurrent('without reconnecting the end is the end:', () => {
  test('exit 0, with no look', async ({ desk, expect }) => {
    const { fleet, alpha, terminal } = await enter(desk, ['--no-reconnect']);
    await desk.stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    const looks = callsOf(fleet, '--print-state').length;
    expect(await terminal.ends()).toBe(0);
    expect(callsOf(fleet, '--print-state')).toHaveLength(looks);
  });
  test('exit 3', async ({ desk, expect }) => {
    const { terminal } = await enter(desk, ['--no-reconnect']);
    terminal.type('\x02d');
    expect(await terminal.ends()).toBe(3);
  });
  test('a killed child, with the terminal put right', async ({ desk, expect }) => {
    const { terminal, childPid } = await enter(desk, ['--no-reconnect']);
    process.kill(childPid, 'SIGKILL');
    expect(await terminal.ends()).toBe(5);
    expect(terminal.bytes()).toContain('\x1b[?1049l');
  });
});

describe.concurrent('keys after the end', () => {
  test('count only once nothing was typed for a second', async ({ desk, expect }) => {
    const { stage } = desk;
    stage.scale(1);
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const terminal = desk.attach([alpha.key]);
    await settles(terminal, fleet, alpha);
    // Somebody types on while another client comes in.
    const typing = terminal.typeSlowly('words that were meant for alpha\rq\rqqq\r', 150);
    await seesInside(desk.attachForeign(fleet, alpha), fleet, alpha);
    await typing;
    await terminal.sees(`[${alpha.key} is attached elsewhere]`);
    expect(terminal.isOver()).toBe(false);
    expect(attachesOf(fleet, alpha)).toHaveLength(2);
    await terminal.presses('q');
    expect(await terminal.ends()).toBe(3);
  });
});

describe.concurrent('no terminal', () => {
  const twoLines =
    'attach needs a terminal for its input and output.\nUsage: sandy-tray attach [SESSION] [--no-reconnect]\n';

  test('at either end: exit 2 and two lines', async ({ desk, expect }) => {
    const { program } = desk.stage;
    expect(await program.run(['attach'])).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: twoLines,
    });
    for (const redirection of ['> /dev/null', '< /dev/null']) {
      const line = `'${process.execPath}' '${PROGRAM}' attach ${redirection}; echo code $?`;
      const terminal = desk.open('/bin/sh', ['-c', line]);
      const seen = await terminal.sees('code 2\r\n');
      expect(seen).toBe(`${twoLines}code 2\n`.replaceAll('\n', '\r\n'));
    }
  });
});

describe.concurrent('the shell afterwards', () => {
  test('has its terminal as it was', async ({ desk, expect }) => {
    const { stage } = desk;
    stage.scale(5);
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const line = `stty -a; '${process.execPath}' '${PROGRAM}' attach ${alpha.key}; echo code $?; stty -a; echo over`;
    const terminal = desk.open('/bin/sh', ['-c', line]);
    const before = await terminal.sees(/speed[^[]+?(?=\r\n\r?\[|\r\n$|\[alpha)/);
    await seesInside(terminal, fleet, alpha);
    terminal.type('dirty\r');
    terminal.type('\x02d');
    await terminal.sees('code 3\r\n');
    const after = await terminal.sees('over\r\n');
    const flags = (text: string) =>
      text
        .slice(text.indexOf('speed'))
        .split(/\s+/)
        .filter((word) => /^-?[a-z]+$/.test(word) && word !== 'over');
    expect(flags(after)).toEqual(flags(before));
    expect(flags(after)).toContain('icanon');
  });
});
