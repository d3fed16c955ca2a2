/** Processes and their children: who they are, and stopping, continuing and killing single ones. */

import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import {
  type ProcessIdentity,
  PS_ENVIRONMENT,
  parseProcStat,
  readPsLine,
} from './process-identity.ts';
import { runChild } from './spawning.ts';

/** One line of the process table. */
export interface TableEntry extends ProcessIdentity {
  readonly parentPid: number;
  readonly look: 'running' | 'stopped' | 'ended';
}

/**
 * The living processes below one, however deep. One whose parent has ended is nobody's child any more and
 * is not found. The table is no snapshot: who may start others while it is read can hide them. Null:
 * this machine could not tell.
 */
export async function listDescendants(pid: number): Promise<readonly ProcessIdentity[] | null> {
  const table = process.platform === 'linux' ? await readProcTable() : await askPsTable(['-ax']);
  return table === null ? null : findDescendants(table, pid);
}

/** The same from a process table. */
export function findDescendants(
  table: readonly TableEntry[],
  pid: number,
): readonly ProcessIdentity[] {
  const children = new Map<number, TableEntry[]>();
  for (const entry of table) {
    children.set(entry.parentPid, [...(children.get(entry.parentPid) ?? []), entry]);
  }
  const seen = new Set([pid]);
  const found: ProcessIdentity[] = [];
  for (const parent of seen) {
    for (const child of children.get(parent) ?? []) {
      if (child.look === 'ended' || seen.has(child.pid)) continue;
      // A set's new members are visited by the loop that goes over it.
      seen.add(child.pid);
      found.push({ pid: child.pid, birth: child.birth });
    }
  }
  return found;
}

const STOP_LIMIT_MS = 2_000;
const STOP_LOOK_MS = 3;

/**
 * Stops this one process (SIGSTOP) and waits until the system shows it stopped; one that is stopped
 * already is fine. False: it is gone, or did not stop within two seconds; then it may still stop later,
 * and is to be continued.
 */
export async function stopProcess(identity: ProcessIdentity): Promise<boolean> {
  if (!(await signal(identity, 'SIGSTOP'))) return false;
  const endAt = performance.now() + STOP_LIMIT_MS;
  for (;;) {
    const look = await lookAt(identity);
    if (look === 'ended' || look === 'stopped') return look === 'stopped';
    if (performance.now() > endAt) return false;
    await new Promise((resolve) => setTimeout(resolve, STOP_LOOK_MS));
  }
}

/**
 * Lets a stopped process go on (SIGCONT). False: it is gone. Where the system can't say who it is, it is
 * sent all the same: it changes nothing for one that is not stopped, and none may be left so.
 */
export function continueProcess(identity: ProcessIdentity): Promise<boolean> {
  return signal(identity, 'SIGCONT');
}

/** Kills this one process (SIGKILL), stopped or not. False: it is gone, or not known to be this one. */
export function killProcess(identity: ProcessIdentity): Promise<boolean> {
  return signal(identity, 'SIGKILL');
}

/** Sends a signal to this very process: never to a group, never to another one under its number. */
async function signal(identity: ProcessIdentity, name: NodeJS.Signals): Promise<boolean> {
  const look = await lookAt(identity);
  // What can't be recognised is left alone.
  if (look === 'ended' || (look === 'unknown' && name !== 'SIGCONT')) return false;
  try {
    process.kill(identity.pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    // Somebody else's, since a program with other rights took its place.
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return false;
    throw error;
  }
}

async function lookAt({ pid, birth }: ProcessIdentity): Promise<TableEntry['look'] | 'unknown'> {
  if (!Number.isInteger(pid) || pid < 1) return 'ended';
  const entry = process.platform === 'linux' ? readEntryNow(pid) : await askPsEntry(pid);
  if (entry === 'unknown') return 'unknown';
  return entry === null || entry.birth !== birth ? 'ended' : entry.look;
}

/** Without yielding, so that no time passes between the look and the signal that follows it. */
function readEntryNow(pid: number): TableEntry | null | 'unknown' {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return readEntry(pid, stat, readFileSync(BOOT_ID, 'utf8').trim()) ?? 'unknown';
  } catch (error) {
    return isGone(error) ? null : 'unknown';
  }
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

function readEntry(pid: number, stat: string, bootId: string): TableEntry | null {
  const parsed = parseProcStat(stat, bootId);
  if (parsed === null) return null;
  const { parentPid, birth, state } = parsed;
  return { pid, parentPid, birth, look: nameState(state) };
}

/** By the first letter, the same on Linux and macOS. */
function nameState(state: string): TableEntry['look'] {
  if (/^[ZXx]/.test(state)) return 'ended';
  return /^[Tt]/.test(state) ? 'stopped' : 'running';
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH';
}

async function readProcTable(): Promise<readonly TableEntry[] | null> {
  try {
    const bootId = (await readFile(BOOT_ID, 'utf8')).trim();
    const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const table: TableEntry[] = [];
    // One at a time: a full table of descriptors would hide processes.
    for (const name of names) {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch((error: unknown) => {
        if (isGone(error)) return null;
        throw error;
      });
      if (stat === null) continue;
      const entry = readEntry(Number(name), stat, bootId);
      if (entry === null) return null;
      table.push(entry);
    }
    return table;
  } catch {
    return null;
  }
}

const PS_LIMIT_MS = 5_000;

/** Each by itself: an equals sign may make the rest of a list a column's heading. */
const PS_COLUMNS = ['pid=', 'ppid=', 'stat=', 'lstart='].flatMap((column) => ['-o', column]);

async function askPsTable(which: readonly string[]): Promise<readonly TableEntry[] | null> {
  const outcome = await runChild({
    file: '/bin/ps',
    args: [...which, ...PS_COLUMNS],
    environment: PS_ENVIRONMENT,
    cwd: '/',
    limitMs: PS_LIMIT_MS,
    maxOutputBytes: 16 * 1024 * 1024,
    killing: 'child',
  });
  if (outcome.kind !== 'exited') return null;
  // Exit code 1 and no line: no such process.
  if (outcome.code !== 0) return outcome.stdout.trim() === '' && outcome.code === 1 ? [] : null;
  return readPsTable(outcome.stdout);
}

/** Reads lines of `ps` with number, parent's number, state and start. Null: a line can't be read, so that nothing is known. */
export function readPsTable(text: string): readonly TableEntry[] | null {
  const table: TableEntry[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)(.*)$/.exec(line);
    if (match === null) return null;
    const [, pid, parentPid, state = '', date = ''] = match;
    const look = nameState(state);
    const read = readPsLine(`S ${date}`);
    if (read.kind !== 'running') {
      // An ended one may have no date.
      if (look === 'ended') continue;
      return null;
    }
    table.push({ pid: Number(pid), parentPid: Number(parentPid), birth: read.birth, look });
  }
  return table;
}

async function askPsEntry(pid: number): Promise<TableEntry | null | 'unknown'> {
  const table = await askPsTable(['-p', String(pid)]);
  return table === null ? 'unknown' : (table.find((entry) => entry.pid === pid) ?? null);
}
