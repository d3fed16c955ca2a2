/** A desktop with nothing but a notification server: an X server and a bus of a test's own. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BusConnection } from '../../src/system/dbus-connection.ts';
import { expectGone } from '../processes.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { connect, eventually, reach } from '../system/bus-stand-in.ts';
import { answerOf } from './answer.ts';
import { writeBusConfig } from './bus-config.ts';
import { requireTools } from './desktop.ts';
import { writeServerSettings } from './notify-settings.ts';
import { writeBusSettings } from './panel-settings.ts';
import { type Box, findBox, type Shot, takeShot } from './screen.ts';

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
  const folder = makeScratchFolder();
  const folders = {
    HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_RUNTIME_DIR: join(folder, 'runtime'),
  };
  const screen = join(folder, 'screen');
  for (const path of [...Object.values(folders), screen]) mkdirSync(path, { mode: 0o700 });
  writeServerSettings(folders.XDG_CONFIG_HOME);
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ pid = 0 }) => expectGone(pid)));
  });
  const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
    children.push(child);
    return child;
  };
  const x = start(
    'Xvfb',
    ['-displayfd', '1', '-screen', '0', '900x700x24', '-fbdir', screen, '-nolisten', 'tcp'],
    process.env,
  );
  const variables = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    DISPLAY: `:${await answerOf(x)}`,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus`,
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1',
    GTK_A11Y: 'none',
    ...folders,
  };
  let daemon: ChildProcess | null = null;
  let server: ChildProcess | null = null;
  const startBus = async () => {
    rmSync(`${folder}/bus`, { force: true });
    const settings =
      serviceFolders === undefined
        ? writeBusSettings(folder)
        : writeBusConfig(folder, serviceFolders);
    daemon = start(
      'dbus-daemon',
      [`--config-file=${settings}`, '--nofork', '--print-address=1'],
      variables,
    );
    await answerOf(daemon);
  };
  await startBus();
  const bus = connect(variables);
  await reach(bus, 'connected');
  let owner: string | null = null;
  bus.watchName(NAME, (next) => {
    owner = next;
  });
  /** The screen has the pointer drawn on it. */
  const movePointerAway = () => xdotool('mousemove', '20', '680');
  const xdotool = (...args: string[]) => execFileSync('xdotool', args, { env: variables });
  return {
    name,
    folder,
    variables,
    bus,
    takeShot: () => takeShot(join(screen, 'Xvfb_screen0')),
    click: (x, y) => {
      // Servers see where the pointer is before it is pressed, or take it for somebody else's click.
      xdotool('mousemove', String(x), String(y), 'sleep', '0.2', 'click', '1');
      movePointerAway();
    },
    windowsOf: (windowClass) => {
      try {
        return String(xdotool('search', '--onlyvisible', '--class', windowClass))
          .trim()
          .split('\n');
      } catch {
        // Its way to say that there is none.
        return [];
      }
    },
    typeInto: (window, line) => {
      xdotool('mousemove', '--window', window, '40', '40', 'sleep', '0.2', 'type', line);
      xdotool('key', 'Return');
      movePointerAway();
    },
    killWindow: (window) => {
      xdotool('windowkill', window);
    },
    async startServer() {
      server = start(file, [], variables);
      server.stdout?.resume();
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
      daemon?.kill('SIGKILL');
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
