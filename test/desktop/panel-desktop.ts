import { readFileSync } from 'node:fs';
import { expectGone, isRunning } from '../processes.ts';
import { eventually } from '../system/bus-stand-in.ts';
import { startBareDesktop } from './bare-desktop.ts';
import { requireTools } from './desktop.ts';
import { writeBusSettings, writePanelSettings } from './panel-settings.ts';
import type { Shot } from './screen.ts';

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
  const bare = await startBareDesktop({
    XDG_CURRENT_DESKTOP: desktopNames[panel],
    XDG_SESSION_TYPE: 'x11',
    QT_QPA_PLATFORM: 'xcb',
  });
  const { variables, xdotool, start } = bare;
  writePanelSettings(bare.configFolder);
  const startBus = () => bare.startBus(writeBusSettings(bare.folder));
  const startPanel = () => {
    start(panel, panelArguments[panel]).stdout?.resume();
  };
  const listNamed = (name: string) =>
    bare.listProcesses().filter((pid) => nameOf(pid) === name && isRunning(pid));
  const killNamed = async (name: string) => {
    const pids = listNamed(name);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await Promise.all(pids.map(expectGone));
  };
  await startBus();
  start('openbox', []).stdout?.resume();
  startPanel();
  return {
    panel,
    variables,
    takeShot: bare.takeShot,
    click: (x, y, button = 1) => {
      xdotool('mousemove', String(x), String(y), 'sleep', '0.1', 'click', String(button));
    },
    press: (key) => {
      xdotool('key', key);
    },
    parkPointer: () => {
      xdotool('mousemove', '450', '690');
    },
    windowsOf: bare.windowsOf,
    killWindow: bare.killWindow,
    startPanel,
    killPanel: () => killNamed(panel),
    killNamed,
    countNamed: (name) => listNamed(name).length,
    startBus,
    killBus: bare.killBus,
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

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
