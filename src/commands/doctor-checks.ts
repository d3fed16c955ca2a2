import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatusDocument } from '../control/status-document.ts';
import { nextPoll } from '../fleet/cadence.ts';
import type { Model } from '../fleet/model.ts';
import { formatDuration } from '../fleet/texts.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { describeCure } from '../tray/cures.ts';
import type { Setup } from './setup.ts';

/** One line of doctor: a fact, how bad it is, and the one command or act that mends it. */
export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly fact: string;
  readonly remedy: string | null;
}

const oldestNode = [20, 12] as const;

/** The Node that runs this. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fact = `Node ${version}`;
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    return fail('node', `${fact} is too old`, 'Install Node 20.12 or newer.');
  }
  return ok('node', fact);
}

/** config.json: its problems are sentences that say what to do. */
export function checkPreferences({ preferencesRead }: Setup): Check[] {
  const { problems } = preferencesRead;
  if (problems.length === 0) return [ok('config', 'every preference is valid')];
  return problems.map((problem) => warn('config', problem, 'sandy-tray config'));
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
    const remedy = 'Free the disk or mend the permissions of that folder.';
    return fail('folders', `${shown} can't be written (${code})`, remedy);
  }
  const { mode, uid } = await stat(folders.state);
  if (uid !== process.getuid?.()) {
    return fail(
      'folders',
      `${shown} belongs to another user`,
      'Set SANDY_TRAY_DIR to a folder of yours.',
    );
  }
  if ((mode & 0o077) !== 0) {
    const quoted = `'${shown.replaceAll("'", "'\\''")}'`;
    return warn('folders', `${shown} is open to other users`, `chmod 700 ${quoted}`);
  }
  return ok('folders', shown);
}

/** sandy itself, what it can do, docker behind it, and what a look costs. */
export function checkSandy(model: Model, warnings: readonly string[]): Check[] {
  const { sandy, sight } = model;
  const heard = warnings.map((warning) => warn('contract', warning, null));
  if (sandy === null) {
    const missing = sight.kind !== 'blind' || sight.reason === 'sandy-missing';
    return [
      fail(
        'sandy',
        sight.kind === 'blind' ? sight.text : 'sandy was not asked',
        missing ? 'sandy-tray config set sandyPath /path/to/sandy' : 'sandy --version',
      ),
      ...heard,
    ];
  }
  const found = ok(
    'sandy',
    `${cleanForeignText(sandy.version)} at ${cleanForeignText(sandy.path)}`,
  );
  return [
    found,
    checkCapabilities(sandy),
    sight.kind === 'blind'
      ? fail(
          'look',
          sight.text,
          sight.reason === 'docker-unreachable' ? 'docker ps' : 'sandy --print-state light',
        )
      : checkCost(model),
    ...heard,
  ];
}

function checkCapabilities({ capabilities, schemaVersion }: NonNullable<Model['sandy']>): Check {
  const { attach, start, stop, updateSessions } = capabilities;
  if (schemaVersion === null && !(attach || start || stop || updateSessions)) {
    return warn('flags', 'this sandy could not say what it can do', 'sandy --print-schema');
  }
  if (!(attach && start && stop)) {
    return fail(
      'flags',
      'this sandy has no daemon sessions; they came with 1.1.0',
      'sandy --upgrade',
    );
  }
  if (!updateSessions) {
    return warn(
      'flags',
      'this sandy has no --update-sessions; it came with 1.2.0',
      'sandy --upgrade',
    );
  }
  return ok('flags', 'start, attach, stop and update-sessions');
}

function checkCost(model: Model): Check {
  const tookMs = model.polls.tookMs.full ?? 0;
  const idleMs = nextPoll({ ...model, wish: null }).delayMs;
  const fact = `docker answers; a full look takes ${Math.round(tookMs)} ms, the next would be in ${formatDuration(idleMs)}`;
  return ok('look', fact);
}

/** Whether the agent's icon is to be seen; nothing where none is wanted. */
export function checkTray({ agent }: Pick<StatusDocument, 'agent'>): Check[] {
  if (agent === null) return [];
  const cure = agent.trayReason ?? describeCure(agent.tray);
  if (cure !== null) return [warn('tray', cure, null)];
  return agent.tray === 'shown' ? [ok('tray', 'the icon is shown')] : [];
}

function ok(name: string, fact: string): Check {
  return { name, level: 'ok', fact, remedy: null };
}

function warn(name: string, fact: string, remedy: string | null): Check {
  return { name, level: 'warn', fact, remedy };
}

function fail(name: string, fact: string, remedy: string): Check {
  return { name, level: 'fail', fact, remedy };
}
