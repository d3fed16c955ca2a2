/** What every desktop of a test stands on: folders of its own, an X server and a bus, all gone with the test. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { expectGone, isRunning } from '../processes.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { answerOf } from './answer.ts';
import { type Shot, takeShot } from './screen.ts';

export interface BareDesktop {
  readonly folder: string;
  readonly configFolder: string;
  readonly display: string;
  /** What every program on it is run with. */
  readonly variables: Readonly<Record<string, string>>;
  readonly takeShot: () => Shot;
  readonly xdotool: (...args: readonly string[]) => string;
  /** The ids of the windows that are shown, of one class. */
  readonly windowsOf: (windowClass: string) => readonly string[];
  /** Ends the connection of the program that a window belongs to. */
  readonly killWindow: (window: string) => void;
  readonly start: (file: string, args: readonly string[]) => ChildProcess;
  /** Everything that was started on it, by anybody. */
  readonly listProcesses: () => readonly number[];
  /** Where there was one and it is gone, at the same address. */
  readonly startBus: (settings: string) => Promise<void>;
  readonly killBus: () => Promise<void>;
}

/** Starts the screen; the bus is to be started. `more`: variables of this kind of desktop. */
export async function startBareDesktop(
  more: Readonly<Record<string, string>> = {},
): Promise<BareDesktop> {
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
  const children: ChildProcess[] = [];
  const startWith = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
    children.push(child);
    return child;
  };
  let display = '';
  const listProcesses = () => (display === '' ? [] : listOnDisplay(display));
  onTestFinished(async () => {
    const left = listProcesses();
    for (const pid of left) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([...left, ...children.map(({ pid = 0 }) => pid)].map(expectGone));
  });
  const server = startWith(
    'Xvfb',
    ['-displayfd', '1', '-screen', '0', '900x700x24', '-fbdir', screen, '-nolisten', 'tcp'],
    process.env,
  );
  display = `:${await answerOf(server)}`;
  const variables = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    DISPLAY: display,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus`,
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1',
    GTK_A11Y: 'none',
    ...more,
    ...folders,
  };
  const xdotool = (...args: readonly string[]) =>
    execFileSync('xdotool', args, { env: variables, encoding: 'utf8' });
  let bus: ChildProcess | null = null;
  return {
    folder,
    configFolder: folders.XDG_CONFIG_HOME,
    display,
    variables,
    takeShot: () => takeShot(join(screen, 'Xvfb_screen0')),
    xdotool,
    windowsOf: (windowClass) => {
      try {
        return xdotool('search', '--onlyvisible', '--class', windowClass).trim().split('\n');
      } catch {
        // Its way to say that there is none.
        return [];
      }
    },
    killWindow: (window) => {
      xdotool('windowkill', window);
    },
    start: (file, args) => startWith(file, args, variables),
    listProcesses,
    async startBus(settings) {
      rmSync(`${folder}/bus`, { force: true });
      const args = [`--config-file=${settings}`, '--nofork', '--print-address=1'];
      bus = startWith('dbus-daemon', args, variables);
      await answerOf(bus);
    },
    async killBus() {
      bus?.kill('SIGKILL');
      await expectGone(bus?.pid ?? 0);
    },
  };
}

/** Everything that was started on a display. */
export function listOnDisplay(display: string): readonly number[] {
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
