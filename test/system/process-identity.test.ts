import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  askPs,
  identifyProcess,
  isAlive,
  readProcStat,
  readPsLine,
} from '../../src/system/process-identity.ts';

function startSleep() {
  const child = spawn('sleep', ['1000']);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, pid: child.pid ?? 0 };
}

describe('the identity of a process', () => {
  it('is the same for everybody who looks, and another for another process', async () => {
    const [one, two] = [startSleep(), startSleep()];
    const identity = await identifyProcess(one.pid);
    expect(identity).toMatchObject({ pid: one.pid });
    expect(await identifyProcess(one.pid)).toEqual(identity);
    expect((await identifyProcess(two.pid))?.pid).toBe(two.pid);
    if (identity === null) return;
    expect(await isAlive(identity)).toBe(true);
    expect(await isAlive({ ...identity, birth: `${identity.birth}0` })).toBe(false);
  });

  it('is alive when stopped, and not after its end', async () => {
    const { child, pid } = startSleep();
    const identity = await identifyProcess(pid);
    if (identity === null) throw new Error('not found');
    child.kill('SIGSTOP');
    expect(await isAlive(identity)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isAlive(identity)).toBe(false);
    expect(await identifyProcess(pid)).toBeNull();
  });

  it('is dead when it has ended and nobody has collected it', async () => {
    // What the shell becomes knows nothing of the shell's child.
    const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000']);
    onTestFinished(() => {
      parent.kill('SIGKILL');
    });
    const [pid] = (await once(parent.stdout, 'data')).map(Number);
    const identity = await identifyProcess(pid ?? 0);
    if (identity === null) throw new Error('not found');
    expect(await isAlive(identity)).toBe(true);
    process.kill(identity.pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await isAlive(identity)).toBe(false), { timeout: 20_000 });
    expect(() => process.kill(identity.pid, 0)).not.toThrow();
    expect(await askPs(identity.pid)).toEqual({ kind: 'gone' });
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'nobody is %s',
    async (pid) => {
      expect(await identifyProcess(pid)).toBeNull();
      expect(await isAlive({ pid, birth: 'x' })).toBe(false);
    },
  );
});

describe('reading /proc/PID/stat', () => {
  const rest = `1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 8543 4 0`;

  it.each([
    ['a plain name', `12 (sleep) S ${rest}`],
    ['spaces', `12 (a b c) S ${rest}`],
    ['parentheses', `12 (a) R 1 (b)) S ${rest}`],
    ['a line break', `12 (a\n) 1) S ${rest}\n`],
  ])('finds the start after a name with %s', (_, stat) => {
    expect(readProcStat(stat, 'boot')).toEqual({ kind: 'running', birth: 'boot/8543' });
  });

  it('knows the dead', () => {
    for (const state of ['Z', 'X', 'x']) {
      expect(readProcStat(`12 (a) ${state} ${rest}`, 'boot')).toEqual({ kind: 'gone' });
    }
  });

  it('concludes nothing from what it can’t read', () => {
    for (const stat of ['', '12', '12 (a) S', '12 (a) S 1 2 3']) {
      expect(readProcStat(stat, 'boot')).toEqual({ kind: 'unknown' });
    }
    expect(readProcStat(`12 (a) S ${rest}`, '')).toEqual({ kind: 'unknown' });
  });
});

describe('asking ps', () => {
  it('gives the same start each time, and knows who is gone', async () => {
    const { child, pid } = startSleep();
    const look = await askPs(pid);
    expect(look).toMatchObject({ kind: 'running' });
    expect(await askPs(pid)).toEqual(look);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await askPs(pid)).toEqual({ kind: 'gone' });
  });

  it.each([
    ['Ss   Mon Nov 30 09:05:01 2026', { kind: 'running', birth: 'Mon Nov 30 09:05:01 2026' }],
    ['R+ Tue Dec  1 09:05:01 2026    \n', { kind: 'running', birth: 'Tue Dec 1 09:05:01 2026' }],
    ['Z    Mon Nov 30 09:05:01 2026', { kind: 'gone' }],
    ['', { kind: 'unknown' }],
    ['S -', { kind: 'unknown' }],
  ])('reads "%s"', (line, look) => {
    expect(readPsLine(line)).toEqual(look);
  });
});
