/** A desktop of a test's own: an X server and a message bus, both gone with the test. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Stage, test as stageTest, until } from '../agent/running-agent.ts';
import { expectGone, isRunning } from '../processes.ts';
import { listOnDisplay } from './bare-desktop.ts';
import { writeBusConfig } from './bus-config.ts';

export interface Desktop {
  readonly stage: Stage;
  /** What every program on it is run with. */
  readonly variables: Readonly<Record<string, string>>;
  /** The ids of the windows that are shown, of one class. */
  windowsOf(windowClass: string): readonly string[];
  /** Gives a window the keyboard and presses keys, such as `ctrl+shift+q`. */
  press(window: string, keys: string): void;
  /** Ends the connection of the program that a window belongs to. */
  kill(window: string): void;
}

/** Throws where a tool is missing: a desktop that was not tested must not look as if it had been. */
export function requireTools(tools: readonly string[]): void {
  const folders = (process.env.PATH ?? '').split(':');
  const missing = tools.filter((tool) => !folders.some((folder) => isThere(join(folder, tool))));
  if (missing.length > 0) throw new Error(`install what these tests need: ${missing.join(', ')}`);
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Like the agent's, with `desktop`. */
export const test = stageTest.extend<{ desktop: Desktop }>({
  desktop: async ({ stage }, use) => {
    const folder = join(stage.program.folder, 'desktop');
    mkdirSync(folder, { mode: 0o700 });
    const children: ChildProcess[] = [];
    let display = '';
    try {
      display = `:${await startAnswering(children, 'Xvfb', ['-displayfd', '3', '-screen', '0', '1000x700x24', '-nolisten', 'tcp', '-noreset'])}`;
      const bus = await startAnswering(children, 'dbus-daemon', [
        // One that starts nothing by itself.
        `--config-file=${writeBusConfig(folder, [])}`,
        '--nofork',
        '--print-address=3',
      ]);
      await use(makeDesktop(stage, folder, display, bus));
    } finally {
      const left = display === '' ? [] : listOnDisplay(display);
      for (const pid of left) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
      for (const child of children) child.kill('SIGKILL');
      await Promise.all([...left, ...children.map(({ pid = 0 }) => pid)].map(expectGone));
    }
  },
});

/** Starts a server and waits for the line that it writes to descriptor 3 once it can be used. */
async function startAnswering(
  children: ChildProcess[],
  file: string,
  args: readonly string[],
): Promise<string> {
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  children.push(child);
  let answer = '';
  let failure: string | null = null;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.once('exit', (code) => {
    failure ??= `exit code ${code}`;
  });
  (child.stdio[3] as Readable).on('data', (bytes) => {
    answer += bytes;
  });
  await until(
    () => {
      if (failure !== null) throw new Error(`${file}: ${failure}`);
      return answer.includes('\n');
    },
    () => `an answer of ${file}`,
  );
  return answer.trim();
}

function makeDesktop(stage: Stage, folder: string, display: string, bus: string): Desktop {
  const runtime = join(folder, 'runtime');
  mkdirSync(runtime, { mode: 0o700 });
  const variables = {
    DISPLAY: display,
    DBUS_SESSION_BUS_ADDRESS: bus,
    XDG_RUNTIME_DIR: runtime,
    LANG: 'C.UTF-8',
    // There is no graphics card, and no accessibility bus.
    LIBGL_ALWAYS_SOFTWARE: '1',
    NO_AT_BRIDGE: '1',
    GTK_A11Y: 'none',
  };
  const tool = (name: string, ...args: string[]) =>
    execFileSync(name, args, { encoding: 'utf8', env: { ...process.env, ...variables } });
  return {
    stage,
    variables,
    windowsOf: (windowClass) => {
      try {
        const found = tool('xdotool', 'search', '--onlyvisible', '--class', windowClass);
        return found.split('\n').filter((line) => line !== '');
      } catch {
        // Its way to say that there is none.
        return [];
      }
    },
    press: (window, keys) => {
      tool('xdotool', 'windowfocus', '--sync', window, 'key', keys);
    },
    kill: (window) => {
      tool('xdotool', 'windowkill', window);
    },
  };
}
