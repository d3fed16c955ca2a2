import { join } from 'node:path';
import { connectToAgent } from '../control/client.ts';
import { nameSocket } from '../control/socket-path.ts';
import { readJsonFile } from '../store/json-file.ts';
import { preferenceKeys } from '../store/preferences.ts';
import { parseSaved, savedFormat } from '../store/saved-fleet.ts';
import { parseArguments } from './arguments.ts';
import { type Commands, exitCodes, UsageError } from './command.ts';
import { shells, writeCompletion } from './completion-scripts.ts';
import { readShapes } from './completion-shape.ts';
import { nameOwnFolders } from './setup.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[], commands: Commands): Promise<number> {
  const { values, positionals } = parseArguments(args, { sessions: { type: 'boolean' } });
  const [name, ...more] = positionals;
  if (more.length > 0 || (values.sessions === true && name !== undefined)) {
    throw new UsageError(texts.tooManyArguments);
  }
  if (values.sessions === true) return await printSessions();
  if (name === undefined) throw new UsageError(texts.whichShell);
  const shell = shells.find((known) => known === name);
  if (shell === undefined) throw new UsageError(texts.unknownShell(name));
  process.stdout.write(writeCompletion(shell, { commands: readShapes(commands), preferenceKeys }));
  return exitCodes.ok;
}

/** A person waits at a prompt: rather no sessions than late ones. */
const AGENT_LIMIT_MS = 500;

/**
 * A key that a shell takes for what it is, unquoted and anywhere on a line. Keys come from outside: one
 * with any other character is not offered, so that no line is ever completed to something that runs.
 */
const plainKey = /^[\p{L}\p{N}_.][\p{L}\p{M}\p{N}_.-]{0,99}$/u;

/** One key a line, for the shells. Never a word on stderr, never a process, never a file touched. */
async function printSessions(): Promise<number> {
  const outcome = nameOwnFolders();
  if (outcome.kind !== 'found') return exitCodes.ok;
  const { state } = outcome.folders;
  const keys = (await askAgent(state)) ?? readSavedKeys(state);
  const plain = keys.filter((key) => plainKey.test(key)).sort();
  process.stdout.write(plain.map((key) => `${key}\n`).join(''));
  return exitCodes.ok;
}

/** Null: no agent answers. */
async function askAgent(folder: string): Promise<readonly string[] | null> {
  const outcome = await connectToAgent({
    socketPath: nameSocket(folder),
    role: 'status',
    timeoutMs: AGENT_LIMIT_MS,
  });
  if (outcome.kind !== 'connected') return null;
  const limit = setTimeout(outcome.close, AGENT_LIMIT_MS);
  const first = await outcome.snapshots.next();
  clearTimeout(limit);
  outcome.close();
  return first.done === true ? null : first.value.status.sessions.map(({ key }) => key);
}

/** What the last agent knew. The file is left as it is, whatever is in it. */
function readSavedKeys(folder: string): readonly string[] {
  const read = readJsonFile(join(folder, 'state.json'), savedFormat);
  const saved = read.kind === 'read' ? parseSaved(read.object) : null;
  return saved?.saved.rows.map(({ key }) => key) ?? [];
}
