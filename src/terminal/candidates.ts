/** Which terminals to try, in which order, and the command line of each. Pure. */

import { basename } from 'node:path';
import {
  COMMAND_PLACE,
  type LinuxTerminalName,
  linuxTerminalNames,
  type MacTerminalName,
  macTerminalNames,
  type TerminalSetting,
} from '../system/terminal-names.ts';
import { desktopTerminals, linuxTerminals } from './linux-terminals.ts';
import { type MacTerminal, macTerminals } from './mac-terminals.ts';

/** A terminal that can be tried. */
export interface Candidate {
  /** What people know it by. */
  readonly name: string;
  /** A name on PATH or an absolute path. */
  readonly file: string;
  /**
   * Its arguments for a command. `commandFile` writes a file that is the command and gives its path; few
   * terminals need one.
   */
  readonly argsFor: (command: readonly string[], commandFile: () => string) => readonly string[];
  /** A person named it: that it isn't there is worth telling. */
  readonly named: boolean;
}

export interface CandidatesQuestion {
  readonly platform: NodeJS.Platform;
  readonly setting: TerminalSetting;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Candidates {
  readonly list: readonly Candidate[];
  /** The setting names a terminal of another system. */
  readonly foreignSetting: string | null;
}

/**
 * The terminals to try, in order: the setting, then on Linux $TERMINAL, xdg-terminal-exec, the desktop's
 * own, x-terminal-emulator and all others that draw on a display that there is. Whether they are
 * installed is not asked here. A list of the person's own needs no display that we know of.
 */
export function listCandidates(question: CandidatesQuestion): Candidates {
  const { setting, platform } = question;
  const own = setting !== null && typeof setting !== 'string' ? [fromList(setting)] : [];
  const name = typeof setting === 'string' ? setting : null;
  const others = platform === 'darwin' ? listMac(name) : listLinux(name, question);
  const isForeign = name !== null && !isNameOf(platform, name);
  return { list: [...own, ...others], foreignSetting: isForeign ? name : null };
}

function isNameOf(platform: NodeJS.Platform, name: string): boolean {
  return platform === 'darwin' ? isMacName(name) : isLinuxName(name);
}

function fromList(list: readonly string[]): Candidate {
  const [file = '', ...args] = list;
  return {
    name: basename(file),
    file,
    argsFor: (command) => args.flatMap((arg) => (arg === COMMAND_PLACE ? command : [arg])),
    named: true,
  };
}

function listLinux(
  setting: string | null,
  { environment }: CandidatesQuestion,
): readonly Candidate[] {
  const { TERMINAL = '', XDG_CURRENT_DESKTOP = '' } = environment;
  const variable = basename(TERMINAL);
  const desktop = XDG_CURRENT_DESKTOP.toLowerCase().split(':');
  const named = new Set([setting, variable].filter(isLinuxName));
  const order = new Set<LinuxTerminalName>([
    ...named,
    'xdg-terminal-exec',
    ...desktop.flatMap((part) =>
      Object.hasOwn(desktopTerminals, part) ? (desktopTerminals[part] ?? []) : [],
    ),
    'x-terminal-emulator',
    ...linuxTerminalNames,
  ]);
  return [...order]
    .filter((name) => hasDisplayFor(linuxTerminals[name].needs, environment))
    .map((name) => ({
      name,
      // A person who gives a path means that one.
      file: name === variable && name !== setting && TERMINAL.startsWith('/') ? TERMINAL : name,
      argsFor: (command) => [...linuxTerminals[name].args, ...command],
      named: named.has(name),
    }));
}

function hasDisplayFor(
  needs: 'wayland' | 'x11' | 'either',
  { DISPLAY, WAYLAND_DISPLAY }: CandidatesQuestion['environment'],
): boolean {
  switch (needs) {
    case 'wayland':
      return isSet(WAYLAND_DISPLAY);
    case 'x11':
      return isSet(DISPLAY);
    case 'either':
      return isSet(DISPLAY) || isSet(WAYLAND_DISPLAY);
  }
}

/** Whether there is anything that a window could be drawn on. */
export function hasDisplay(environment: CandidatesQuestion['environment']): boolean {
  return hasDisplayFor('either', environment);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function listMac(setting: string | null): readonly Candidate[] {
  const named = [setting].filter(isMacName);
  return [...new Set<MacTerminalName>([...named, ...macTerminalNames])].map((name) => ({
    name,
    file: fileOf(macTerminals[name]),
    argsFor: (command, commandFile) => argsOf(macTerminals[name], command, commandFile),
    named: name === setting,
  }));
}

function fileOf(terminal: MacTerminal): string {
  return terminal.kind === 'program' ? terminal.file : '/usr/bin/open';
}

function argsOf(
  terminal: MacTerminal,
  command: readonly string[],
  commandFile: () => string,
): readonly string[] {
  switch (terminal.kind) {
    case 'command-file':
      return ['-b', terminal.bundle, commandFile()];
    case 'instance':
      return ['-n', '-b', terminal.bundle, '--args', ...terminal.args, ...command];
    case 'program':
      return [...terminal.args, ...command];
  }
}

function isLinuxName(name: string | null): name is LinuxTerminalName {
  return (linuxTerminalNames as readonly (string | null)[]).includes(name);
}

function isMacName(name: string | null): name is MacTerminalName {
  return (macTerminalNames as readonly (string | null)[]).includes(name);
}
