import { readdir, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { UpdateProcess } from '../fleet/message.ts';
import { readAge } from '../system/process-identity.ts';
import { runChild } from '../system/spawning.ts';

/** The commands that change sessions. */
const VERBS = ['update-sessions', 'start', 'stop'] as const;
type Verb = (typeof VERBS)[number];

/** How far from the front sandy's own name may stand: `sandy …`, `bash sandy …`, `/usr/bin/env bash sandy …`. */
const MAX_INTERPRETER_ARGS = 4;

/** A living `sandy` command of this user that changes sessions. */
export interface SandyProcess {
  readonly pid: number;
  readonly verb: Verb;
  readonly dryRun: boolean;
  /** How long it has run; null: this machine could not tell. */
  readonly ageMs: number | null;
  /** The workspace it names; null: it names none. */
  readonly workspace: string | null;
}

/**
 * Looks once for living sandy commands of this user that change sessions; whoever watches over a session
 * that was started may still be called after its `--start`. Null: this machine could not tell. Reads
 * the process table only; nothing is signalled.
 */
export async function findSandyProcesses(): Promise<SandyProcess[] | null> {
  const listed = process.platform === 'linux' ? await listFromProc() : await listFromPs();
  if (listed === null) return null;
  return listed.flatMap(({ pid, ageMs, args }) => {
    const command = parseSandyCommand(args);
    return command === null ? [] : [{ pid, ageMs, ...command }];
  });
}

/** The updates among them. `ourPids` are those that we started. */
export async function findUpdateProcesses(
  ourPids: ReadonlySet<number> = new Set(),
): Promise<UpdateProcess[] | null> {
  const found = await findSandyProcesses();
  if (found === null) return null;
  return found.flatMap(({ pid, verb, dryRun, workspace }) =>
    verb === 'update-sessions' ? [{ pid, ours: ourPids.has(pid), dryRun, workspace }] : [],
  );
}

/** Reads an argument list; null where it is no sandy command that changes sessions. */
export function parseSandyCommand(
  args: readonly string[],
): Omit<SandyProcess, 'pid' | 'ageMs'> | null {
  const verb = VERBS.find((name) => args.includes(`--${name}`));
  const flagAt = args.indexOf(`--${verb}`);
  if (flagAt < 1 || verb === undefined) return null;
  const front = args.slice(0, Math.min(flagAt, MAX_INTERPRETER_ARGS));
  if (!front.some((arg) => basename(arg) === 'sandy')) return null;
  const scopeAt = args.indexOf('--workspace');
  return {
    verb,
    dryRun: args.includes('--dry-run', flagAt),
    workspace: scopeAt === -1 ? null : (args[scopeAt + 1] ?? null),
  };
}

function mentionsVerb(text: string): boolean {
  return VERBS.some((verb) => text.includes(`--${verb}`));
}

interface ListedProcess {
  readonly pid: number;
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
          const ageMs = await readAge(Number(name));
          return [{ pid: Number(name), ageMs, args: text.replace(/\0$/, '').split('\0') }];
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
    args: ['-x', '-ww', '-o', 'pid=', '-o', 'etime=', '-o', 'command='],
    environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    cwd: '/',
    limitMs: 5_000,
    maxOutputBytes: 16 * 1024 * 1024,
    killing: 'child',
  });
  if (outcome.kind !== 'exited' || outcome.code !== 0) return null;
  return outcome.stdout.split('\n').flatMap(parsePsLine);
}

/** One line of `ps -o pid= -o etime= -o command=`; the time is `[[days-]hours:]minutes:seconds`. */
export function parsePsLine(line: string): ListedProcess[] {
  const match = /^\s*(\d+)\s+(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)\s+(.*)$/.exec(line);
  if (match === null || !mentionsVerb(line)) return [];
  const [, pid = '', days, hours, minutes, seconds, command = ''] = match;
  const [d, h, m, s] = [days, hours, minutes, seconds].map((part) => Number(part ?? 0));
  const ageMs = ((((d ?? 0) * 24 + (h ?? 0)) * 60 + (m ?? 0)) * 60 + (s ?? 0)) * 1000;
  const scope = / --workspace (.*?)(?= --[a-z]|$)/.exec(command);
  const rest = scope === null ? command : command.replace(scope[0], '');
  const args = rest.split(' ');
  if (scope !== null) args.push('--workspace', scope[1] ?? '');
  return [{ pid: Number(pid), ageMs, args }];
}
