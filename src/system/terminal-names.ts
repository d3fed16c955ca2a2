/** The terminal programs that can be asked for by name; how each is started is told elsewhere. */

export const linuxTerminalNames = [
  'xdg-terminal-exec',
  'ghostty',
  'kitty',
  'wezterm',
  'alacritty',
  'foot',
  'ptyxis',
  'kgx',
  'gnome-terminal',
  'konsole',
  'xfce4-terminal',
  'mate-terminal',
  'qterminal',
  'lxterminal',
  'tilix',
  'terminator',
  'xterm',
  'uxterm',
  'x-terminal-emulator',
] as const;

export const macTerminalNames = [
  'terminal',
  'iterm2',
  'ghostty',
  'kitty',
  'wezterm',
  'alacritty',
  'warp',
] as const;

export type LinuxTerminalName = (typeof linuxTerminalNames)[number];
export type MacTerminalName = (typeof macTerminalNames)[number];
export type TerminalName = LinuxTerminalName | MacTerminalName;

/** Both systems': one config.json may serve a person's Mac and Linux machine. */
export const terminalNames: readonly TerminalName[] = [
  ...new Set<TerminalName>([...linuxTerminalNames, ...macTerminalNames]),
];

/** Stands in a list for the command that the terminal is to run, as several elements. */
export const COMMAND_PLACE = '{cmd}';

/**
 * The preference `terminal`: one of the names, or the whole command as a list in which one element, not
 * the first, is `{cmd}`; null: whichever there is. Never a text that a shell would have to split.
 */
export type TerminalSetting = TerminalName | readonly string[] | null;
