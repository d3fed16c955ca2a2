import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from 'vitest';
import { createFleet, destroyFleet, type Fleet } from '../../fixtures/fake-sandy/fleet.mjs';

/** Processes of others, as updates of their own, are no evidence here. Root may be kept from it all the same. */
const alone = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const through = spawnSync('unshare', [...alone.slice(1), 'true']).status === 0 ? alone : [];

export interface Ran {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home of its own, and nothing in the environment but HOME and PATH. */
export interface BareMachine {
  readonly folder: string;
  readonly home: string;
  run(command: readonly string[], path: string, more?: NodeJS.ProcessEnv): Promise<Ran>;
  /** Killed when the test ends. */
  start(command: readonly string[], path: string): ChildProcess;
  /** A fleet whose sandy is in the folder `bin` of it. */
  addFleet(): Promise<Fleet>;
}

export const test = base.extend<{ machine: BareMachine }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs off its pattern
  machine: async ({}, use) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-bare-')));
    const home = realpathSync(mkdtempSync(join(folder, 'home-')));
    const fleetFolder = join(folder, 'fleet');
    const environment = (path: string) => ({ HOME: home, PATH: path });
    const started: ChildProcess[] = [];
    const split = (command: readonly string[]) => {
      // By its own path, since PATH is the program's.
      const [file = '', ...args] = [...through.map(locate), ...command];
      return { file, args };
    };
    try {
      await use({
        folder,
        home,
        run(command, path, more = {}) {
          const { file, args } = split(command);
          const options = { env: { ...environment(path), ...more }, cwd: folder };
          return new Promise((resolve) => {
            execFile(file, args, options, (error, stdout, stderr) => {
              resolve({ code: error === null ? 0 : (error.code ?? String(error)), stdout, stderr });
            });
          });
        },
        start(command, path) {
          const { file, args } = split(command);
          const child = spawn(file, args, { env: environment(path), cwd: folder });
          started.push(child);
          return child;
        },
        addFleet: () => createFleet(fleetFolder, { sessions: [{ name: 'atlas' }] }),
      });
    } finally {
      for (const child of started) child.kill('SIGKILL');
      await destroyFleet(fleetFolder);
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function locate(word: string): string {
  return word === 'unshare' ? '/usr/bin/unshare' : word;
}
