/**
 * How each terminal of macOS is told to run a command. None by Apple Events: they go through a shell and
 * ask the person for leave.
 */

import { quoteForShell } from '../system/shell-words.ts';
import type { MacTerminalName } from '../system/terminal-names.ts';

export type MacTerminal =
  /** Opens a file that holds the command, as it would one that is clicked. */
  | { readonly kind: 'command-file'; readonly bundle: string }
  /** A new instance of the application, with the command as its arguments. */
  | { readonly kind: 'instance'; readonly bundle: string; readonly args: readonly string[] }
  | { readonly kind: 'program'; readonly file: string; readonly args: readonly string[] };

/** In the order in which they are tried where nothing says which one is the person's. */
export const macTerminals: Readonly<Record<MacTerminalName, MacTerminal>> = {
  terminal: { kind: 'command-file', bundle: 'com.apple.Terminal' },
  iterm2: { kind: 'command-file', bundle: 'com.googlecode.iterm2' },
  ghostty: {
    kind: 'instance',
    bundle: 'com.mitchellh.ghostty',
    args: ['--quit-after-last-window-closed=true', '-e'],
  },
  kitty: { kind: 'instance', bundle: 'net.kovidgoyal.kitty', args: [] },
  wezterm: {
    kind: 'program',
    file: '/Applications/WezTerm.app/Contents/MacOS/wezterm',
    args: ['start', '--'],
  },
  alacritty: { kind: 'instance', bundle: 'org.alacritty', args: ['-e'] },
  warp: { kind: 'command-file', bundle: 'dev.warp.Warp-Stable' },
};

/**
 * The text of a file that removes itself and then is the command. It is a shell's text, so every element
 * of the command is quoted.
 */
export function writeCommandText(command: readonly string[]): string {
  return `#!/bin/sh\nrm -f -- "$0"\nclear\nexec ${command.map(quoteForShell).join(' ')}\n`;
}
