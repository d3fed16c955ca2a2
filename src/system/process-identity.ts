import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';

/** One life of a process. Its number alone may belong to another process by the time it is read. */
export const processIdentity = z.object({
  pid: z.int().check(z.positive()),
  /** When it began, to be compared and not read: ticks within one boot, or a date in UTC. */
  birth: z.string().check(z.minLength(1)),
});

export type ProcessIdentity = z.infer<typeof processIdentity>;

/** What the system says of a process number; `unknown` where it could not be asked. */
export type ProcessLook =
  | { readonly kind: 'running'; readonly birth: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' };

/** Who runs under this number now; null when nobody does, or when the system can't say. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  const look = await lookAtProcess(pid);
  return look.kind === 'running' ? { pid, birth: look.birth } : null;
}

/**
 * Whether this very process still runs. Another process under the same number is not it, and one
 * that has ended and waits to be collected (a zombie) runs no more. Where the system can't say, it
 * counts as alive: nothing is taken from a process that is not known to be gone.
 */
export async function isAlive({ pid, birth }: ProcessIdentity): Promise<boolean> {
  const look = await lookAtProcess(pid);
  switch (look.kind) {
    case 'running':
      return look.birth === birth;
    case 'gone':
      return false;
    case 'unknown':
      return true;
  }
}

async function lookAtProcess(pid: number): Promise<ProcessLook> {
  if (!existsProcess(pid)) return { kind: 'gone' };
  return process.platform === 'linux' ? lookInProc(pid) : askPs(pid);
}

/** Whether a process has this number now, which may be another one than before. */
export function existsProcess(pid: number): boolean {
  // Signal 0 asks the system without a child; a number below 1 would mean a group of processes.
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists and is somebody else's. A number that no process can have gets another code.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function lookInProc(pid: number): Promise<ProcessLook> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return readProcStat(stat, boot.trim());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It ended between the look and the reading. Anything else (no more files to open) tells nothing.
    return code === 'ENOENT' || code === 'ESRCH'
      ? existsProcess(pid)
        ? { kind: 'unknown' }
        : { kind: 'gone' }
      : { kind: 'unknown' };
  }
}

/** What `/proc/PID/stat` says of a process, whether it runs, is stopped or is a zombie. */
export interface ProcStat {
  /** One letter: `R`, `S`, `D`; `T` or `t` when stopped; `Z` or `X` when it has ended. */
  readonly state: string;
  readonly parentPid: number;
  readonly birth: string;
}

/**
 * Reads `/proc/PID/stat` (proc_pid_stat(5)): field 3 is the state, 4 the parent, 22 the start in ticks
 * since boot. Field 2 is the program's own name in parentheses and may hold spaces and parentheses
 * itself, so that counting begins after the last one. The boot's id keeps lives of two boots apart.
 * Null: this is no such text.
 */
export function parseProcStat(stat: string, bootId: string): ProcStat | null {
  const { state, parent, ticks } = readFields(stat);
  if (!/^\d+$/.test(ticks) || bootId === '') return null;
  return { state, parentPid: Number(parent), birth: `${bootId}/${ticks}` };
}

function readFields(stat: string) {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  return { state: fields[0] ?? '', parent: fields[1] ?? '', ticks: fields[19] ?? '' };
}

/** Clock ticks a second in `/proc`, the same on every Linux that Node runs on. */
const TICKS = 100;

/** Whose child a process is, and how long it has run; null: nobody can say. */
export interface Descent {
  readonly parentPid: number | null;
  readonly ageMs: number | null;
}

/** What Linux says of that. Rejects where there is no such process. */
export async function readDescent(pid: number): Promise<Descent> {
  const { parent, ticks } = readFields(await readFile(`/proc/${pid}/stat`, 'utf8'));
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
  const ageMs = ticks === '' ? Number.NaN : (uptime - Number(ticks) / TICKS) * 1000;
  return {
    parentPid: /^\d+$/.test(parent) ? Number(parent) : null,
    ageMs: Number.isFinite(ageMs) ? ageMs : null,
  };
}

/** The same as a verdict. */
export function readProcStat(stat: string, bootId: string): ProcessLook {
  const parsed = parseProcStat(stat, bootId);
  if (parsed === null) return { kind: 'unknown' };
  return /^[ZXx]/.test(parsed.state) ? { kind: 'gone' } : { kind: 'running', birth: parsed.birth };
}

/**
 * Names a child of ours without yielding. To be called in the tick that started it: until then nobody
 * has collected it, so that its number is its own even when it has ended already. Null: the system
 * can't say.
 */
export function identifyChildNow(pid: number): ProcessIdentity | null {
  const birth = process.platform === 'linux' ? readBirthNow(pid) : askPsNow(pid);
  return birth === null ? null : { pid, birth };
}

function readBirthNow(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    return parseProcStat(stat, boot.trim())?.birth ?? null;
  } catch {
    return null;
  }
}

const PS_LIMIT_MS = 5_000;

/** The date is printed in the reader's zone and language: every reader must get the same text. */
export const PS_ENVIRONMENT = { TZ: 'UTC', LC_ALL: 'C' } as const;

const psArgs = (pid: number) => ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];

function askPsNow(pid: number): string | null {
  const { stdout } = spawnSync('/bin/ps', psArgs(pid), {
    env: PS_ENVIRONMENT,
    timeout: PS_LIMIT_MS,
    encoding: 'utf8',
  });
  const look = readPsLine(stdout ?? '');
  return look.kind === 'running' ? look.birth : null;
}

/** Asks `ps`, as there is no `/proc` on macOS. */
export function askPs(pid: number): Promise<ProcessLook> {
  return new Promise((resolve) => {
    execFile(
      '/bin/ps',
      psArgs(pid),
      { env: PS_ENVIRONMENT, timeout: PS_LIMIT_MS, encoding: 'utf8' },
      (error, stdout) => {
        if (error === null) resolve(readPsLine(stdout));
        // Exit code 1 and no line: no such process.
        else
          resolve(
            error.code === 1 && stdout.trim() === '' ? { kind: 'gone' } : { kind: 'unknown' },
          );
      },
    );
  });
}

/** Reads a line of `ps -o stat= -o lstart=`: the state, then the date of the start. */
export function readPsLine(line: string): ProcessLook {
  const [state = '', ...date] = line.trim().split(/\s+/);
  if (date.length < 5) return { kind: 'unknown' };
  return state.startsWith('Z') ? { kind: 'gone' } : { kind: 'running', birth: date.join(' ') };
}
