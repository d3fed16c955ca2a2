/** Which terminals to try, in which order, and the command line of each. Pure. */

import { basename } from 'node:path';
import { hasDisplay } from '../system/display.ts';
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

/** A terminal that a person named and that can't be tried. */
export interface UnfitTerminal {
  readonly terminal: string;
  /** `no-screen`: it draws on X11 or on Wayland, and only the other one is there. */
  readonly kind: 'other-system' | 'no-screen';
}

export interface Candidates {
  readonly list: readonly Candidate[];
  readonly unfit: readonly UnfitTerminal[];
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
  const { list, unfit } =
    platform === 'darwin' ? { list: listMac(name), unfit: [] } : listLinux(name, question);
  const isForeign = platform === 'darwin' ? !isMacName(name) : !isLinuxName(name);
  const foreign: readonly UnfitTerminal[] =
    name !== null && isForeign ? [{ terminal: name, kind: 'other-system' }] : [];
  return { list: [...own, ...list], unfit: [...foreign, ...unfit] };
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

function listLinux(setting: string | null, { environment }: CandidatesQuestion): Candidates {
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
  const fits = (name: LinuxTerminalName) => hasDisplay(environment, linuxTerminals[name].needs);
  const list = [...order].filter(fits).map(
    (name): Candidate => ({
      name,
      // A person who gives a path means that one.
      file: name === variable && name !== setting && TERMINAL.startsWith('/') ? TERMINAL : name,
      argsFor: (command) => [...linuxTerminals[name].args, ...command],
      named: named.has(name),
    }),
  );
  // Where there is no display at all, that is what is wrong, and not one of them.
  const unfit = hasDisplay(environment) ? [...named].filter((name) => !fits(name)) : [];
  return { list, unfit: unfit.map((terminal) => ({ terminal, kind: 'no-screen' })) };
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
  return terminal.kind === 'program' ? terminal.file : 'open';
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
