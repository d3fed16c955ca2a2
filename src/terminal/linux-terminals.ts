/** How each terminal of Linux is told to run a command: all of them take it as separate arguments. */

import type { LinuxTerminalName } from '../system/terminal-names.ts';

interface LinuxTerminal {
  /** Between the program and the command. */
  readonly args: readonly string[];
  /** What it draws on; `either`: Wayland or X11. */
  readonly needs: 'wayland' | 'x11' | 'either';
}

/** In the order in which they are tried where nothing says which one is the person's. */
export const linuxTerminals: Readonly<Record<LinuxTerminalName, LinuxTerminal>> = {
  'xdg-terminal-exec': either(),
  ghostty: either('-e'),
  kitty: either('--'),
  wezterm: either('start', '--always-new-process', '--'),
  alacritty: either('-e'),
  foot: { args: ['--'], needs: 'wayland' },
  ptyxis: either('--new-window', '--'),
  kgx: either('--'),
  'gnome-terminal': either('--'),
  konsole: either('-e'),
  'xfce4-terminal': either('-x'),
  'mate-terminal': either('-x'),
  qterminal: either('-e'),
  lxterminal: either('-e'),
  tilix: either('-e'),
  terminator: either('-x'),
  xterm: { args: ['-e'], needs: 'x11' },
  uxterm: { args: ['-e'], needs: 'x11' },
  'x-terminal-emulator': either('-e'),
};

function either(...args: string[]): LinuxTerminal {
  return { args, needs: 'either' };
}

/** A desktop's own terminals, by the parts of XDG_CURRENT_DESKTOP in small letters. */
export const desktopTerminals: Readonly<Record<string, readonly LinuxTerminalName[]>> = {
  gnome: ['ptyxis', 'kgx', 'gnome-terminal'],
  ubuntu: ['ptyxis', 'kgx', 'gnome-terminal'],
  unity: ['gnome-terminal'],
  'x-cinnamon': ['gnome-terminal'],
  budgie: ['tilix', 'gnome-terminal'],
  kde: ['konsole'],
  xfce: ['xfce4-terminal'],
  mate: ['mate-terminal'],
  lxqt: ['qterminal'],
  lxde: ['lxterminal'],
  sway: ['foot', 'kitty', 'alacritty'],
  hyprland: ['kitty', 'foot', 'alacritty'],
  niri: ['alacritty', 'foot', 'kitty'],
  river: ['foot', 'kitty', 'alacritty'],
};
