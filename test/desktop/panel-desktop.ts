/** A desktop with a panel: an X server, a message bus and a window manager of a test's own. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { expectGone, isRunning } from '../processes.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { eventually } from '../system/bus-stand-in.ts';
import { answerOf } from './answer.ts';
import { requireTools } from './desktop.ts';
import { writeBusSettings, writePanelSettings } from './panel-settings.ts';
import { type Shot, takeShot } from './screen.ts';

export type PanelName = 'xfce4-panel' | 'lxqt-panel' | 'trayer';

const panelArguments: Readonly<Record<PanelName, readonly string[]>> = {
  'xfce4-panel': ['--disable-wm-check'],
  'lxqt-panel': [],
  // Of the old kind: it knows nothing of the bus.
  trayer: ['--edge', 'top', '--align', 'left', '--widthtype', 'request', '--height', '32'],
};

const desktopNames: Readonly<Record<PanelName, string>> = {
  'xfce4-panel': 'XFCE',
  'lxqt-panel': 'LXQt',
  trayer: 'Openbox',
};

export interface PanelDesktop {
  readonly panel: PanelName;
  /** What every program on it is run with. */
  readonly variables: NodeJS.ProcessEnv;
  readonly takeShot: () => Shot;
  /** Moves the pointer and presses one of its buttons: 1 is left, 3 is right. */
  readonly click: (x: number, y: number, button?: number) => void;
  readonly press: (key: string) => void;
  /** Moves the pointer to where it covers nothing. */
  readonly parkPointer: () => void;
  /** The ids of the windows that are shown, of one class. */
  readonly windowsOf: (windowClass: string) => readonly string[];
  /** Ends the connection of the program that a window belongs to. */
  readonly killWindow: (window: string) => void;
  readonly startPanel: () => void;
  readonly killPanel: () => Promise<void>;
  /** Kills whatever runs on the desktop under a name, which has 15 characters at most. */
  readonly killNamed: (name: string) => Promise<void>;
  readonly countNamed: (name: string) => number;
  readonly startBus: () => Promise<void>;
  readonly killBus: () => Promise<void>;
}

/** Starts all of it; it ends with the test. Throws where a tool is missing. */
export async function startPanelDesktop(panel: PanelName): Promise<PanelDesktop> {
  requireTools(['Xvfb', 'dbus-daemon', 'openbox', 'xdotool', panel]);
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
  writePanelSettings(folders.XDG_CONFIG_HOME);
  const children: ChildProcess[] = [];
  let display = '';
  onTestFinished(async () => {
    const left = display === '' ? [] : listProcesses(display);
    for (const pid of left) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([...left, ...children.map(({ pid = 0 }) => pid)].map(expectGone));
  });

  const start = (file: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
    children.push(child);
    return child;
  };
  const server = start(
    'Xvfb',
    ['-displayfd', '1', '-screen', '0', '900x700x24', '-fbdir', screen, '-nolisten', 'tcp'],
    process.env,
  );
  display = `:${await answerOf(server)}`;
  const variables: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    DISPLAY: display,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus`,
    XDG_CURRENT_DESKTOP: desktopNames[panel],
    XDG_SESSION_TYPE: 'x11',
    QT_QPA_PLATFORM: 'xcb',
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1',
    GTK_A11Y: 'none',
    ...folders,
  };
  let bus: ChildProcess | null = null;
  const startBus = async () => {
    rmSync(`${folder}/bus`, { force: true });
    const settings = `--config-file=${writeBusSettings(folder)}`;
    bus = start('dbus-daemon', [settings, '--nofork', '--print-address=1'], variables);
    await answerOf(bus);
  };
  const startPanel = () => {
    start(panel, panelArguments[panel], variables).stdout?.resume();
  };
  const xdotool = (...args: string[]) => execFileSync('xdotool', args, { env: variables });
  const listNamed = (name: string) =>
    listProcesses(display).filter((pid) => nameOf(pid) === name && isRunning(pid));
  const killNamed = async (name: string) => {
    const pids = listNamed(name);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await Promise.all(pids.map(expectGone));
  };
  await startBus();
  start('openbox', [], variables).stdout?.resume();
  startPanel();
  return {
    panel,
    variables,
    takeShot: () => takeShot(join(screen, 'Xvfb_screen0')),
    click: (x, y, button = 1) => {
      xdotool('mousemove', String(x), String(y), 'sleep', '0.1', 'click', String(button));
    },
    press: (key) => {
      xdotool('key', key);
    },
    parkPointer: () => {
      xdotool('mousemove', '450', '690');
    },
    windowsOf: (windowClass) => {
      try {
        const found = xdotool('search', '--onlyvisible', '--class', windowClass);
        return String(found).trim().split('\n');
      } catch {
        // Its way to say that there is none.
        return [];
      }
    },
    killWindow: (window) => {
      xdotool('windowkill', window);
    },
    startPanel,
    killPanel: () => killNamed(panel),
    killNamed,
    countNamed: (name) => listNamed(name).length,
    startBus,
    async killBus() {
      bus?.kill('SIGKILL');
      await expectGone(bus?.pid ?? 0);
    },
  };
}

/** Waits until the screen is so; gives what was looked for. */
export async function see<T>(
  desktop: Pick<PanelDesktop, 'takeShot'>,
  look: (shot: Shot) => T | null,
): Promise<T> {
  const found: T[] = [];
  await eventually(() => {
    const sight = look(desktop.takeShot());
    if (sight === null) throw new Error('not on the screen');
    found.push(sight);
  });
  return found[0] as T;
}

/** Everything that was started on a display. */
function listProcesses(display: string): readonly number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return [];
    try {
      const variables = readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0');
      return variables.includes(`DISPLAY=${display}`) ? [Number(entry)] : [];
    } catch {
      // Ended meanwhile, or not ours.
      return [];
    }
  });
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
