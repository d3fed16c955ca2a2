/** Which tray there is on a machine. */

import type { BusConnection } from '../system/dbus-connection.ts';
import type { Folders } from '../system/paths.ts';
import { createFirstUsable } from './first-usable.ts';
import type { HelperReason } from './helper-process.ts';
import { drawIcon, type IconTheme } from './icon.ts';
import { createMacMenuBar, prepareMacScript, refuseWithoutDesktop } from './mac-menu-bar.ts';
import { encodePng, toArgb32 } from './pixels.ts';
import { createStatusNotifier } from './status-notifier.ts';
import { findSystrayBinary } from './systray-binary.ts';
import { createSystrayHelper, prepareSystrayHelper } from './systray-helper.ts';
import type { TrayBackend, TrayIcon, TrayListener } from './tray-picture.ts';
import { createX11Fallback } from './x11-fallback.ts';
import { watchXTray } from './x11-tray.ts';

/** What a person may ask for. */
export type TrayChoice = 'auto' | 'status-notifier' | 'systray' | 'jxa' | 'off';

export type TrayKind = Exclude<TrayChoice, 'auto' | 'off'>;

export interface TrayQuestion {
  readonly choice: TrayChoice;
  readonly platform: NodeJS.Platform;
  readonly arch: NodeJS.Architecture;
}

/**
 * The kinds of trays to try, the best first; none: there is no icon. On Macs with Apple's own processors
 * `systray` runs only where Rosetta is installed, which its start will show.
 */
export function chooseTrays({ choice, platform, arch }: TrayQuestion): readonly TrayKind[] {
  const possible = listPossible(platform, arch);
  switch (choice) {
    case 'off':
      return [];
    case 'auto':
      return possible;
    case 'status-notifier':
    case 'systray':
    case 'jxa':
      return possible.filter((kind) => kind === choice);
  }
}

function listPossible(platform: NodeJS.Platform, arch: NodeJS.Architecture): readonly TrayKind[] {
  if (platform === 'linux') {
    return arch === 'x64' ? ['status-notifier', 'systray'] : ['status-notifier'];
  }
  if (platform === 'darwin') return arch === 'arm64' ? ['jxa', 'systray'] : ['systray', 'jxa'];
  return [];
}

export interface TrayStart extends TrayQuestion {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folders: Folders;
  /** By which every delay is divided. */
  readonly timeScale: number;
  /** The one connection of this process; called only where there is something to be said on it. Whoever gives it closes it. */
  readonly makeBus: () => BusConnection;
  readonly listener: TrayListener;
  /** Of panels on Linux: most are dark. */
  readonly theme?: Exclude<IconTheme, 'template'>;
}

/** A tray that may know why it is not shown. */
export interface StartedTray extends TrayBackend {
  readonly reason: () => HelperReason | null;
}

/** What panels of the old kind shrink to their own height. */
const X11_ICON_PX = 48;
const MAC_ICON_PX = 32;

/** Starts the tray of this machine; null: there is none, or none is wanted. */
export function startTray(start: TrayStart): StartedTray | null {
  const kinds = chooseTrays(start);
  if (kinds.length === 0) return null;
  return start.platform === 'darwin' ? startOnMac(start, kinds) : startOnLinux(start, kinds);
}

function startOnLinux(start: TrayStart, kinds: readonly TrayKind[]): StartedTray {
  const { environment, folders, timeScale, listener, theme = 'dark' } = start;
  const startUsual = (heard: TrayListener) =>
    createStatusNotifier({
      bus: start.makeBus(),
      listener: heard,
      timeScale,
      drawIcon(icon, sizePx) {
        const pixels = drawIcon(icon, sizePx, theme);
        const { width, height } = pixels;
        return { width, height, argb: Buffer.from(toArgb32(pixels)) };
      },
    });
  if (!kinds.includes('systray')) return { ...startUsual(listener), reason: () => null };
  const source = findSystrayBinary('linux');
  return createX11Fallback({
    startUsual: kinds.includes('status-notifier') ? startUsual : null,
    startOld: (heard) =>
      createSystrayHelper({
        prepare: () => prepareSystrayHelper(source, 'linux', folders.state, environment),
        listener: heard,
        encodeIcon: (icon) => encodePng(drawIcon(icon, X11_ICON_PX, theme)),
        hasTemplateIcons: false,
        timeScale,
      }),
    watchOld: (onSight) => watchXTray(environment, timeScale, onSight),
    listener,
    timeScale,
  });
}

function startOnMac(start: TrayStart, kinds: readonly TrayKind[]): StartedTray {
  const { environment, folders, timeScale } = start;
  const encodeIcon = (icon: TrayIcon) => encodePng(drawIcon(icon, MAC_ICON_PX, 'template'));
  const source = findSystrayBinary('darwin');
  const starters = kinds.map((kind) => (heard: TrayListener) => {
    const common = { listener: heard, encodeIcon, timeScale };
    if (kind === 'jxa') {
      return createMacMenuBar({ ...common, prepare: () => prepareMacScript(environment) });
    }
    return createSystrayHelper({
      ...common,
      hasTemplateIcons: true,
      prepare: async () =>
        (await refuseWithoutDesktop()) ??
        (await prepareSystrayHelper(source, 'darwin', folders.state, environment)),
    });
  });
  return createFirstUsable(starters, start.listener);
}
