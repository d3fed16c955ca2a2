/**
 * Every sentence of this room that a person reads: first what is wrong, then what to do about it.
 * Whatever comes from outside is cleaned here, at the only place where it becomes text.
 */

import { cleanForeignText } from '../system/foreign-text.ts';

type NamedBy = 'setting' | 'variable';

const namedAs: Readonly<Record<NamedBy, string>> = {
  setting: 'The setting sandyPath',
  variable: 'SANDY_TRAY_SANDY',
};

export const texts = {
  nowhere:
    'sandy was not found in PATH or in the usual folders. Install it, or set sandyPath to its absolute path.',
  onlyUnusable: (path: string) =>
    `The only sandy found, ${cleanForeignText(path)}, is not executable. Run chmod +x on it, or set sandyPath to another.`,
  vanished: (path: string) =>
    `sandy at ${cleanForeignText(path)} is gone. If it isn't just being upgraded, install it again.`,
  namedNotAbsolute: (by: NamedBy, path: string) =>
    `${namedAs[by]} is not an absolute path: "${cleanForeignText(path)}". ${remedyFor(by)}`,
  namedMissing: (by: NamedBy, path: string) =>
    `${namedAs[by]} names a file that does not exist: ${cleanForeignText(path)}. ${remedyFor(by)}`,
  namedDirectory: (by: NamedBy, path: string) =>
    `${namedAs[by]} names a folder: ${cleanForeignText(path)}. ${remedyFor(by)}`,
  namedNotExecutable: (by: NamedBy, path: string) =>
    `${namedAs[by]} names a file that is not executable: ${cleanForeignText(path)}. Run chmod +x on it, or name another.`,

  notSandy: (path: string, printed: string) =>
    `${cleanForeignText(path)} is not sandy: asked for its version it printed "${cleanForeignText(printed.trim(), 60)}". Set sandyPath to the absolute path of sandy.`,
  tooOld: (version: string) =>
    `sandy ${cleanForeignText(version)} is too old to show its sessions. Upgrade it to 1.1.0 or newer with sandy --upgrade.`,
  schemaUnreadable:
    'sandy could not say which commands it has (sandy --print-schema), so updates, start and stop are not offered. It is asked again later.',

  exited: (command: string, code: number, stderr: string) =>
    `${command} ended with code ${code}${quoteLastLine(stderr)}. Run it in a terminal to see why.`,
  signalled: (command: string, signal: string) =>
    `${command} was killed (${cleanForeignText(signal)}). Nothing needs to be done unless it happens again.`,
  timedOut: (command: string, limitMs: number) =>
    `${command} did not answer within ${Math.round(limitMs / 1000)} s. See whether docker ps answers in a terminal.`,
  tooLarge: (command: string, maxBytes: number) =>
    `${command} printed more than ${Math.round(maxBytes / 1024 / 1024)} MiB and was stopped. Run it in a terminal to see what it prints.`,
  aborted: (command: string) => `${command} was called off. It runs again at the next look.`,
  interpreterMissing: (command: string) =>
    `${command} could not be started: the file, or the program named in its first line, is missing. Install sandy again.`,
  notStarted: (command: string, errorCode: string) =>
    `${command} could not be started (${cleanForeignText(errorCode)}). Run it in a terminal to see why.`,
  unreadable: (command: string) =>
    `${command} printed something that is not its state. Run it in a terminal to see what it prints.`,

  dockerMissing:
    'docker was not found in PATH or in the usual folders. Install it, or add its folder to PATH in your shell profile.',
  dockerUnreachable: 'Docker does not answer. Start it, or see what docker ps says in a terminal.',

  loginShellFailed:
    "Your login shell did not show its environment within 4 s, so sandy runs with this program's own. See what your shell profile waits for.",
  newerSchema: (version: number) =>
    `sandy's state has schema version ${version}, which is newer than this program knows. Upgrade sandy-tray if something looks wrong.`,
  loss: (id: string) =>
    `A part of sandy's state was not understood and is left out: ${cleanForeignText(id)}.`,
};

function remedyFor(by: NamedBy): string {
  switch (by) {
    case 'setting':
      return 'Set it to the absolute path of sandy, or to null to have it looked for.';
    case 'variable':
      return 'Set it to the absolute path of sandy, or unset it to have it looked for.';
  }
}

/** Programs say what stopped them last. */
function quoteLastLine(output: string): string {
  const last = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return last === '' ? '' : `: "${cleanForeignText(last, 160)}"`;
}
