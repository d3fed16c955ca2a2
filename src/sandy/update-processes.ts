import { readdir, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { UpdateProcess } from '../fleet/message.ts';
import { runChild } from '../system/spawning.ts';

const FLAG = '--update-sessions';

/** How far from the front sandy's own name may stand: `sandy …`, `bash sandy …`, `/usr/bin/env bash sandy …`. */
const MAX_INTERPRETER_ARGS = 4;

/**
 * Looks once for living `sandy --update-sessions` processes of this user. `ourPids` are those that we
 * started. Null: this machine could not tell. Reads the process table only; nothing is signalled.
 */
export async function findUpdateProcesses(
  ourPids: ReadonlySet<number> = new Set(),
): Promise<UpdateProcess[] | null> {
  const listed = process.platform === 'linux' ? await listFromProc() : await listFromPs();
  if (listed === null) return null;
  return listed.flatMap(({ pid, args }) => {
    const update = parseUpdateCommand(args);
    return update === null ? [] : [{ pid, ours: ourPids.has(pid), ...update }];
  });
}

/** Reads an argument list; null where it is no `sandy --update-sessions`. */
export function parseUpdateCommand(
  args: readonly string[],
): Pick<UpdateProcess, 'dryRun' | 'workspace'> | null {
  const flagAt = args.indexOf(FLAG);
  if (flagAt < 1) return null;
  const front = args.slice(0, Math.min(flagAt, MAX_INTERPRETER_ARGS));
  if (!front.some((arg) => basename(arg) === 'sandy')) return null;
  const scopeAt = args.indexOf('--workspace', flagAt);
  return {
    dryRun: args.includes('--dry-run', flagAt),
    workspace: scopeAt === -1 ? null : (args[scopeAt + 1] ?? null),
  };
}

interface ListedProcess {
  readonly pid: number;
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
          if (!text.includes(FLAG)) return [];
          const { uid } = await stat(`/proc/${name}`);
          if (uid !== ownUid) return [];
          return [{ pid: Number(name), args: text.replace(/\0$/, '').split('\0') }];
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
    args: ['-x', '-ww', '-o', 'pid=,command='],
    environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    cwd: '/',
    limitMs: 5_000,
    maxOutputBytes: 16 * 1024 * 1024,
    killing: 'child',
  });
  if (outcome.kind !== 'exited' || outcome.code !== 0) return null;
  return outcome.stdout.split('\n').flatMap(parsePsLine);
}

/** One line of `ps -o pid=,command=`. */
export function parsePsLine(line: string): ListedProcess[] {
  const match = /^\s*(\d+)\s+(.*)$/.exec(line);
  if (match === null || !line.includes(FLAG)) return [];
  const [, pid = '', command = ''] = match;
  const scope = / --workspace (.*?)(?= --[a-z]|$)/.exec(command);
  const rest = scope === null ? command : command.replace(scope[0], '');
  const args = rest.split(' ');
  if (scope !== null) args.push('--workspace', scope[1] ?? '');
  return [{ pid: Number(pid), args }];
}
