/** What doctor says of this machine: Node, our folders and files, and what windows are made of. */

import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startInPty } from '../attach/pty-child.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { quoteForShell } from '../system/shell-words.ts';
import { findTerminal } from '../terminal/finding.ts';
import { advice, type Check, command, fail, ok, warn } from './doctor-check.ts';
import type { Setup } from './setup.ts';

const oldestNode = [20, 12] as const;

/** The Node that runs this. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fact = `Node ${version}`;
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    return fail('node', `${fact} is too old`, advice('Install Node 20.12 or newer.'));
  }
  return ok('node', fact);
}

/** config.json: its problems are sentences that say what to do. */
export function checkPreferences({ preferencesRead }: Setup): Check[] {
  const { problems } = preferencesRead;
  if (problems.length === 0) return [ok('config', 'every preference is valid')];
  return problems.map((problem) => warn('config', problem, command('sandy-tray config')));
}

/** Whether the state folder can be written and is this user's alone. */
export async function checkStateFolder({ folders }: Setup): Promise<Check> {
  const shown = cleanForeignText(folders.state);
  try {
    await mkdir(folders.state, { recursive: true, mode: 0o700 });
    const probe = join(folders.state, `probe-${randomUUID()}`);
    await writeFile(probe, '', { mode: 0o600, flag: 'wx' });
    await rm(probe);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const remedy = advice('Free the disk or mend the permissions of that folder.');
    return fail('folders', `${shown} can't be written (${code})`, remedy);
  }
  const { mode, uid } = await stat(folders.state);
  if (uid !== process.getuid?.()) {
    return fail(
      'folders',
      `${shown} belongs to another user`,
      advice('Set SANDY_TRAY_DIR to a folder of yours.'),
    );
  }
  if ((mode & 0o077) !== 0) {
    return warn(
      'folders',
      `${shown} is open to other users`,
      command(`chmod 700 ${quoteForShell(shown)}`),
    );
  }
  return ok('folders', shown);
}

/** Files of ours that could not be used and were kept: somebody may miss what stood in them. */
export function checkSetAside({ folders }: Setup): Check[] {
  return [...new Set([folders.state, folders.config])].flatMap((folder) =>
    listNames(folder)
      .filter((name) => name.endsWith('.bad'))
      .map((name) => {
        const shown = cleanForeignText(join(folder, name));
        return warn(
          'files',
          `${shown} could not be used and was kept`,
          command(`rm ${quoteForShell(shown)}`),
        );
      }),
  );
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Another check says that it can't be read.
    return [];
  }
}

/** A terminal of ours stands on a pty: one is opened, and something is said in it. */
export async function checkPty(): Promise<Check[]> {
  let said = '';
  const start = startInPty({
    file: '/bin/sh',
    args: ['-c', 'printf heard; exit 7'],
    environment: {},
    cwd: '/',
    size: { columns: 80, rows: 24 },
    onData: (bytes) => {
      said += bytes.toString('latin1');
    },
  });
  const remedy = command('npm install -g sandy-tray');
  if (start.kind !== 'started') {
    const why = start.kind === 'not-started' ? start.reason : start.kind;
    return [fail('pty', `no pty can be opened (${cleanForeignText(why)})`, remedy)];
  }
  const end = await start.child.ended;
  if (said !== 'heard' || end.kind !== 'exited' || end.code !== 7) {
    return [fail('pty', 'a program in a pty was not heard as it should be', remedy)];
  }
  return [ok('pty', 'a program in a pty is heard to its end')];
}

/** In what windows are opened. */
export function checkTerminal({ preferences }: Setup): Check {
  const found = findTerminal(process.platform, preferences.terminal, process.env);
  switch (found.kind) {
    case 'found':
      return ok('terminal', `windows open in ${cleanForeignText(found.name, 40)}`);
    case 'no-display':
      return ok('terminal', 'there is no display here, so no windows are opened');
    case 'none':
      return warn(
        'terminal',
        'no terminal program was found',
        command('sandy-tray config set terminal NAME'),
      );
  }
}
