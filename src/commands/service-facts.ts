/** What the service files are made from, on this machine. */

import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import {
  ASKING_VARIABLE,
  composeEnvironment,
  dropOwnVariables,
  splitPath,
} from '../sandy/environment.ts';
import { askLoginShell } from '../sandy/login-shell.ts';
import type { Host } from '../service/host.ts';
import { isWritable } from '../service/quoting.ts';
import type { ServiceFacts } from '../service/service-files.ts';
import { readTemplatesFrom, type TemplateReader } from '../service/templates.ts';
import { resourcePath } from '../system/resources.ts';
import { describeWrongFolders } from '../system/texts.ts';
import { UsageError } from './command.ts';
import { serviceTexts } from './service-texts.ts';
import type { Setup } from './setup.ts';
import { findProgram } from './window-parts.ts';

/** The machine and the user of this process. */
export function describeHost({ timeScale }: Setup): Host {
  const home = homedir();
  if (!isAbsolute(home)) {
    throw new UsageError(describeWrongFolders({ kind: 'wrong-home', value: home }));
  }
  return {
    platform: process.platform,
    environment: process.env,
    home,
    uid: process.getuid?.() ?? 0,
    timeScale,
  };
}

/** What of this program the service files are made from. */
export interface ServiceParts {
  readonly read: TemplateReader;
  /** What runs it, and the arguments before those of a command. */
  readonly program: readonly string[];
}

export function findParts(): ServiceParts {
  return { read: readTemplatesFrom(resourcePath()), program: findProgram() };
}

export type FactsOutcome =
  | { readonly kind: 'found'; readonly facts: ServiceFacts; readonly warning: string | null }
  /** `text`: what is wrong, and what to do. */
  | { readonly kind: 'refused'; readonly text: string };

/** Asks the login shell for its PATH, which takes up to 4 s. `logs`: a folder. */
export async function gatherFacts(
  host: Host,
  logs: string,
  program: readonly string[],
): Promise<FactsOutcome> {
  const { home, environment } = host;
  const [first = '', ...rest] = program;
  const temporary = program.find((path) => path.includes('/_npx/'));
  if (temporary !== undefined) return { kind: 'refused', text: serviceTexts.fromNpx(temporary) };

  const own = dropOwnVariables(environment);
  const isInsideShell = own[ASKING_VARIABLE] !== undefined;
  const cwd = await stat(home).then(
    (found) => (found.isDirectory() ? home : '/'),
    () => '/',
  );
  const login = isInsideShell ? null : await askLoginShell(own, cwd);
  // What only this terminal has, such as a project's own folder, is nothing for a service.
  const { PATH, ...others } = own;
  const composed = composeEnvironment(
    login === null && PATH !== undefined ? own : others,
    login,
    home,
  );
  const path = keepLasting(splitPath(composed.PATH), environment).join(':');
  const facts: ServiceFacts = {
    program: [findLastingName(first, home), ...rest.map((file) => findLastingName(file, home))],
    variables: [['PATH', path], ...listRecorded(host)],
    home,
    logs,
  };
  const isSilent = login === null && !isInsideShell;
  return { kind: 'found', facts, warning: isSilent ? serviceTexts.loginShellSilent : null };
}

/** Without folders that are made for one login, and those that no service file can hold. */
function keepLasting(
  folders: readonly string[],
  { XDG_RUNTIME_DIR }: Host['environment'],
): string[] {
  const temporary = XDG_RUNTIME_DIR || '/run/user/';
  return folders.filter((folder) => !folder.startsWith(temporary) && isWritable(folder));
}

/**
 * The variables that the services must share with the commands of a terminal: else they would look for each
 * other in different folders. launchd knows no language.
 */
function listRecorded({ environment, platform }: Host): [string, string][] {
  const names =
    platform === 'darwin'
      ? ['SANDY_TRAY_DIR', 'SANDY_TRAY_SANDY', 'LANG']
      : ['SANDY_TRAY_DIR', 'SANDY_TRAY_SANDY', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME'];
  return names.flatMap((name): [string, string][] => {
    const value = environment[name];
    const counts = value !== undefined && value !== '' && (name === 'LANG' || isAbsolute(value));
    return counts ? [[name, value]] : [];
  });
}

/** Where an upgrade leaves a file of the same name, although it moves what that leads to. */
function listLastingFolders(home: string): string[] {
  return [
    '/opt/homebrew/bin',
    '/home/linuxbrew/.linuxbrew/bin',
    '/usr/local/bin',
    '/usr/bin',
    join(home, '.local/bin'),
    join(home, 'bin'),
  ];
}

/** The lasting name of a program's file, or the file itself. */
function findLastingName(path: string, home: string): string {
  const names = basename(path) === 'node' ? ['node'] : ['sandy-tray'];
  const candidates = listLastingFolders(home).flatMap((folder) =>
    names.map((name) => join(folder, name)),
  );
  return candidates.find((candidate) => leadsTo(candidate, path)) ?? path;
}

function leadsTo(link: string, path: string): boolean {
  try {
    return realpathSync(link) === path;
  } catch {
    return false;
  }
}
