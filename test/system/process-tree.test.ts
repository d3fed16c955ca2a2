import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identifyProcess, type ProcessIdentity } from '../../src/system/process-identity.ts';
import {
  continueProcess,
  findDescendants,
  killProcess,
  listDescendants,
  readPsTable,
  stopProcess,
  type TableEntry,
} from '../../src/system/process-tree.ts';
import { expectGone } from '../processes.ts';

/** A shell that runs a script; its lines are numbers of processes or words. */
function startShell(script: string) {
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  onTestFinished(() => {
    // All of the group, which nobody else is in; number 0 would be our own.
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nobody is left.
    }
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => String((await lines.next()).value);
  return { child, pid: child.pid ?? 0, read };
}

async function identify(pid: number): Promise<ProcessIdentity> {
  const identity = await identifyProcess(pid);
  if (identity === null) throw new Error(`${pid} is gone`);
  return identity;
}

async function readState(pid: number): Promise<string> {
  const ps = spawn('ps', ['-o', 'stat=', '-p', String(pid)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = await once(ps.stdout.setEncoding('utf8'), 'data');
  return String(text).slice(0, 1);
}

describe('the processes below one', () => {
  it('are found however deep, and nobody else is', async () => {
    const shell = startShell(
      'sleep 1000 & echo $!; sh -c "sleep 1000 & echo \\$!; echo \\$\\$; wait" & wait',
    );
    const other = startShell('sleep 1000 & echo $!; wait');
    await other.read();
    const pids = [await shell.read(), await shell.read(), await shell.read()].map(Number);
    const found = await listDescendants(shell.pid);
    expect(found?.map(({ pid }) => pid).sort()).toEqual(pids.sort());
    for (const identity of found ?? []) expect(await identify(identity.pid)).toEqual(identity);
  });

  it('are none of one that is not there or has no children', async () => {
    const shell = startShell('echo ready; read -r _');
    await shell.read();
    expect(await listDescendants(shell.pid)).toEqual([]);
    expect(await listDescendants(2 ** 30)).toEqual([]);
  });

  it('do not count when they have ended', () => {
    const entry = (pid: number, parentPid: number, look: TableEntry['look'] = 'running') => ({
      pid,
      parentPid,
      birth: `b${pid}`,
      look,
    });
    const table = [
      entry(9, 5),
      entry(5, 2, 'stopped'),
      entry(2, 1),
      entry(3, 2, 'ended'),
      entry(4, 3),
      entry(6, 1),
      // What no system shows, and what must not go round for ever.
      entry(1, 9),
    ];
    expect(findDescendants(table, 2)).toEqual([
      { pid: 5, birth: 'b5' },
      { pid: 9, birth: 'b9' },
      { pid: 1, birth: 'b1' },
      { pid: 6, birth: 'b6' },
    ]);
  });
});

describe('reading a table of ps', () => {
  it('finds number, parent, state and start', () => {
    const text = `    1     0 Ss   Mon Nov 30 09:05:01 2026
  501     1 T+   Tue Dec  1 09:05:01 2026
  502   501 Z    Tue Dec  1 09:05:02 2026
  503   501 Z
`;
    expect(readPsTable(text)).toEqual([
      { pid: 1, parentPid: 0, look: 'running', birth: 'Mon Nov 30 09:05:01 2026' },
      { pid: 501, parentPid: 1, look: 'stopped', birth: 'Tue Dec 1 09:05:01 2026' },
      { pid: 502, parentPid: 501, look: 'ended', birth: 'Tue Dec 1 09:05:02 2026' },
    ]);
    expect(readPsTable('')).toEqual([]);
  });

  it.each(['ps: illegal option', '  1 0 Ss', '  1 0 S Mon'])('knows nothing by "%s"', (line) => {
    expect(readPsTable(`${line}\n 501 1 S Tue Dec  1 09:05:01 2026\n`)).toBeNull();
  });
});

describe('stopping, continuing and killing', () => {
  it('stops one process, for good, and lets it go on', async () => {
    const shell = startShell('sleep 1000 & echo $!; while read -r line; do echo "$line"; done');
    const below = Number(await shell.read());
    const identity = await identify(shell.pid);
    expect(await stopProcess(identity)).toBe(true);
    expect(await readState(shell.pid)).toBe('T');
    expect(await readState(below)).not.toBe('T');
    // Whoever comes second finds it stopped.
    expect(await stopProcess(identity)).toBe(true);
    shell.child.stdin.write('heard\n');
    expect(await continueProcess(identity)).toBe(true);
    expect(await shell.read()).toBe('heard');
  });

  it('kills a stopped one', async () => {
    const shell = startShell('echo ready; read -r _');
    await shell.read();
    const identity = await identify(shell.pid);
    await stopProcess(identity);
    expect(await killProcess(identity)).toBe(true);
    await expectGone(shell.pid);
    for (const act of [stopProcess, continueProcess, killProcess]) {
      expect(await act(identity)).toBe(false);
    }
  });

  it('never touches another process under the same number', async () => {
    const shell = startShell('while read -r line; do echo "$line"; done');
    const other = { pid: shell.pid, birth: 'another' };
    expect(await stopProcess(other)).toBe(false);
    expect(await killProcess(other)).toBe(false);
    const identity = await identify(shell.pid);
    await stopProcess(identity);
    expect(await continueProcess(other)).toBe(false);
    expect(await readState(shell.pid)).toBe('T');
    await continueProcess(identity);
    shell.child.stdin.write('alive\n');
    expect(await shell.read()).toBe('alive');
  });

  it.each([0, -1, 1.5, Number.NaN])('signals nobody as %s', async (pid) => {
    for (const act of [stopProcess, continueProcess, killProcess]) {
      expect(await act({ pid, birth: 'x' })).toBe(false);
    }
  });
});
