/** A desktop with nothing but a notification server: an X server and a bus of a test's own. */

import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BusConnection } from '../../src/system/dbus-connection.ts';
import { connect, eventually, reach } from '../system/bus-stand-in.ts';
import { startBareDesktop } from './bare-desktop.ts';
import { writeBusConfig } from './bus-config.ts';
import { requireTools } from './desktop.ts';
import { writeServerSettings } from './notify-settings.ts';
import { writeBusSettings } from './panel-settings.ts';
import { type Box, findBox, type Shot } from './screen.ts';

export type ServerName = 'dunst' | 'xfce4-notifyd';

const NAME = 'org.freedesktop.Notifications';

export interface NotifyDesktop {
  readonly name: string;
  readonly folder: string;
  /** What every program on it is run with. */
  readonly variables: Readonly<Record<string, string>>;
  /** Of the test itself. */
  readonly bus: BusConnection;
  readonly takeShot: () => Shot;
  /** Moves the pointer and presses its left button, then moves it to where nothing is. */
  readonly click: (x: number, y: number) => void;
  /** The ids of the windows that are shown, of one class. */
  readonly windowsOf: (windowClass: string) => readonly string[];
  /** Types a line into a window; without a window manager the keyboard is where the pointer is. */
  readonly typeInto: (window: string, line: string) => void;
  /** Ends the connection of the program that a window belongs to. */
  readonly killWindow: (window: string) => void;
  /** Starts the server, and waits until it can be used. */
  readonly startServer: () => Promise<void>;
  readonly killServer: () => Promise<void>;
  readonly signalServer: (signal: NodeJS.Signals) => void;
  /** Starts it where there was none, at the same address; the test's own connection comes by itself. */
  readonly startBus: () => Promise<void>;
  readonly killBus: () => Promise<void>;
}

/** Where a server is; Xfce has its own outside of PATH. */
function findServer(name: ServerName): string {
  if (name === 'dunst') return name;
  const found = readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'xfce4/notifyd/xfce4-notifyd'))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error('install what these tests need: xfce4-notifyd');
  return found;
}

/** Starts all of it but the server; it ends with the test. Throws where a tool is missing. */
export async function startNotifyDesktop(
  name: ServerName,
  serviceFolders?: readonly string[],
): Promise<NotifyDesktop> {
  requireTools(['Xvfb', 'dbus-daemon', 'xdotool', 'dunst']);
  const file = findServer(name);
  const bare = await startBareDesktop();
  const { folder, variables, xdotool } = bare;
  writeServerSettings(bare.configFolder);
  let server: ChildProcess | null = null;
  const startBus = () =>
    bare.startBus(
      serviceFolders === undefined
        ? writeBusSettings(folder)
        : writeBusConfig(folder, serviceFolders),
    );
  await startBus();
  const bus = connect(variables);
  await reach(bus, 'connected');
  let owner: string | null = null;
  bus.watchName(NAME, (next) => {
    owner = next;
  });
  /** The screen has the pointer drawn on it. */
  const movePointerAway = () => xdotool('mousemove', '20', '680');
  return {
    name,
    folder,
    variables,
    bus,
    takeShot: bare.takeShot,
    click: (x, y) => {
      // Servers see where the pointer is before it is pressed, or take it for somebody else's click.
      xdotool('mousemove', String(x), String(y), 'sleep', '0.2', 'click', '1');
      movePointerAway();
    },
    windowsOf: bare.windowsOf,
    killWindow: bare.killWindow,
    typeInto: (window, line) => {
      xdotool('mousemove', '--window', window, '40', '40', 'sleep', '0.2', 'type', line);
      xdotool('key', 'Return');
      movePointerAway();
    },
    async startServer() {
      const started = bare.start(file, []);
      started.stdout?.resume();
      server = started;
      await eventually(() => {
        if (owner === null) throw new Error(`${name} is not on the bus`);
      });
    },
    async killServer() {
      server?.kill('SIGKILL');
      await eventually(() => {
        if (owner !== null) throw new Error(`${name} is still on the bus`);
      });
    },
    signalServer: (signal) => {
      server?.kill(signal);
    },
    startBus,
    async killBus() {
      await bare.killBus();
      await reach(bus, 'no-bus');
    },
  };
}

/** The box around all banners; null: there is none. The screen is black. */
export function findBanners(shot: Shot): Box | null {
  return findBox(shot, (x, y) => y < 660 && shot.colourAt(x, y) !== 0);
}

/** The buttons of one banner of Xfce, from left to right: what is not white in the row above its lower edge. */
export function findButtons(shot: Shot, { left, top, width, height }: Box): readonly Box[] {
  const y = top + height - 20;
  const buttons: Box[] = [];
  let start: number | null = null;
  for (let x = left + 4; x < left + width - 4; x += 1) {
    const isButton = shot.colourAt(x, y) !== 0xff_ffff;
    if (isButton && start === null) start = x;
    if (isButton || start === null) continue;
    if (x - start > 20) buttons.push({ left: start, top: y - 10, width: x - start, height: 10 });
    start = null;
  }
  return buttons;
}
