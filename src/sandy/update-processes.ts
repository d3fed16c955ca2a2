import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import type { UpdateProcess } from '../fleet/message.ts';
import { readDescent } from '../system/process-identity.ts';
import { settleWithin } from '../system/settling.ts';
import { runChild } from '../system/spawning.ts';

/** The commands that change sessions. */
const VERBS = ['update-sessions', 'start', 'stop'] as const;
type Verb = (typeof VERBS)[number];

/** How far from the front sandy's own name may stand: `sandy …`, `bash sandy …`, `/usr/bin/env bash sandy …`. */
const MAX_INTERPRETER_ARGS = 4;

/** What a command line asks of sandy. */
interface SandyCommand {
  readonly verb: Verb;
  readonly dryRun: boolean;
  /** The workspace as it was written; null: none was. */
  readonly named: string | null;
}

/** A living `sandy` command of this user that changes sessions. */
export interface SandyProcess extends SandyCommand {
  readonly pid: number;
  /** How long it has run; null: this machine could not tell. */
  readonly ageMs: number | null;
}

/**
 * Looks once for living sandy commands of this user that change sessions; whoever watches over a session
 * that was started may still be called after its `--start`. Null: this machine could not tell. Reads
 * the process table only; nothing is signalled.
 */
export async function findSandyProcesses(): Promise<SandyProcess[] | null> {
  const listed = process.platform === 'linux' ? await listFromProc() : await listFromPs();
  if (listed === null) return null;
  const found = listed.flatMap(({ pid, parentPid, ageMs, args }) => {
    const command = parseSandyCommand(args);
    return command === null ? [] : [{ pid, parentPid, ageMs, ...command }];
  });
  return leaveOutForks(found).map(({ parentPid, ...command }) => command);
}

/**
 * Leaves out whoever is the child of another one with the same verb. A shell that forks itself, as sandy does
 * for each image that it builds, shows its parent's arguments under a number of its own, and is no other
 * command: the first one speaks for all below it.
 */
export function leaveOutForks<
  T extends { readonly pid: number; readonly parentPid: number | null; readonly verb: Verb },
>(found: readonly T[]): readonly T[] {
  const verbs = new Map(found.map(({ pid, verb }) => [pid, verb]));
  return found.filter(({ parentPid, verb }) => parentPid === null || verbs.get(parentPid) !== verb);
}

/**
 * The updates among them, each with the folder that it is about: null for all, and where nobody can say which.
 * `ourPids` are those that we started.
 */
export async function findUpdateProcesses(
  ourPids: ReadonlySet<number> = new Set(),
): Promise<UpdateProcess[] | null> {
  const found = await findSandyProcesses();
  if (found === null) return null;
  return Promise.all(
    found
      .filter(({ verb }) => verb === 'update-sessions')
      .map(async ({ pid, dryRun, named }) => ({
        pid,
        ours: ourPids.has(pid),
        dryRun,
        workspace: named === null ? null : await findWorkspace(pid, named),
      })),
  );
}

const FOLDER_LIMIT_MS = 2_000;

/**
 * The folder that a process means by a path, as sandy itself finds it: from where the process is, through every
 * link. Null where that can't be known; a mount that does not answer is as good as that.
 */
export async function findWorkspace(pid: number, named: string): Promise<string | null> {
  const find = async () => {
    // An empty one is none, not the folder that it is in.
    if (named === '') return null;
    const from = isAbsolute(named) ? '/' : await readlink(`/proc/${pid}/cwd`);
    return await realpath(resolve(from, named));
  };
  return settleWithin(
    find().catch(() => null),
    FOLDER_LIMIT_MS,
    () => null,
  );
}

/** Reads an argument list; null where it is no sandy command that changes sessions. */
export function parseSandyCommand(args: readonly string[]): SandyCommand | null {
  const verb = VERBS.find((name) => args.includes(`--${name}`));
  const flagAt = args.indexOf(`--${verb}`);
  if (flagAt < 1 || verb === undefined) return null;
  const front = args.slice(0, Math.min(flagAt, MAX_INTERPRETER_ARGS));
  if (!front.some((arg) => basename(arg) === 'sandy')) return null;
  const scopeAt = args.indexOf('--workspace');
  return {
    verb,
    dryRun: args.includes('--dry-run', flagAt),
    named: scopeAt === -1 ? null : (args[scopeAt + 1] ?? null),
  };
}

function mentionsVerb(text: string): boolean {
  return VERBS.some((verb) => text.includes(`--${verb}`));
}

interface ListedProcess {
  readonly pid: number;
  /** Null: this machine could not tell. */
  readonly parentPid: number | null;
  readonly ageMs: number | null;
  readonly args: readonly string[];
}

async function listFromProc(): Promise<ListedProcess[] | null> {
  const ownUid = process.getuid?.();
  let names: string[];
  try {
    names = await readdir('/proc');
  } catch {
    return null;
  }
  const processes = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name): Promise<ListedProcess[]> => {
        try {
          const text = await readFile(`/proc/${name}/cmdline`, 'utf8');
          // Most are read and dropped here; only a match is worth asking who owns it.
          if (!mentionsVerb(text)) return [];
          const { uid } = await stat(`/proc/${name}`);
          if (uid !== ownUid) return [];
          const descent = await readDescent(Number(name));
          return [{ pid: Number(name), ...descent, args: text.replace(/\0$/, '').split('\0') }];
        } catch {
          // It ended while we looked.
          return [];
        }
      }),
  );
  return processes.flat();
}

/** `ps` joins arguments with spaces: a workspace runs up to the next flag or the end. */
async function listFromPs(): Promise<ListedProcess[] | null> {
  const outcome = await runChild({
    file: 'ps',
    args: ['-x', '-ww', ...['pid=', 'ppid=', 'etime=', 'command='].flatMap((one) => ['-o', one])],
    environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    cwd: '/',
    limitMs: 5_000,
    maxOutputBytes: 16 * 1024 * 1024,
    killing: 'child',
  });
  if (outcome.kind !== 'exited' || outcome.code !== 0) return null;
  return outcome.stdout.split('\n').flatMap(parsePsLine);
}

/** One line of `ps -o pid= -o ppid= -o etime= -o command=`; the time is `[[days-]hours:]minutes:seconds`. */
export function parsePsLine(line: string): ListedProcess[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)\s+(.*)$/.exec(line);
  if (match === null || !mentionsVerb(line)) return [];
  const [, pid = '', parentPid = '', days, hours, minutes, seconds, command = ''] = match;
  const [d, h, m, s] = [days, hours, minutes, seconds].map((part) => Number(part ?? 0));
  const ageMs = ((((d ?? 0) * 24 + (h ?? 0)) * 60 + (m ?? 0)) * 60 + (s ?? 0)) * 1000;
  const scope = / --workspace (.*?)(?= --[a-z]|$)/.exec(command);
  const rest = scope === null ? command : command.replace(scope[0], '');
  const args = rest.split(' ');
  if (scope !== null) args.push('--workspace', scope[1] ?? '');
  return [{ pid: Number(pid), parentPid: Number(parentPid), ageMs, args }];
}
