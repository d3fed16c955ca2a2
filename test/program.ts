import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as base } from 'vitest';
import {
  createFleet,
  destroyFleet,
  type Fleet,
  type Knobs,
  type SessionSpec,
} from '../fixtures/fake-sandy/fleet.mjs';

/** What was built, as `bin` of package.json names it. */
export const PROGRAM = join(import.meta.dirname, '..', 'dist', 'main.js');

/** Variables to add to a program's environment; undefined takes one away. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program with a home, a folder and an environment of its own. All of it goes with the test. */
export interface Program {
  /** Everything of this test is in here. */
  readonly folder: string;
  readonly home: string;
  /** SANDY_TRAY_DIR; not there yet. */
  readonly ownFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Makes a fleet; its sandy is the one that the program finds from now on. */
  addFleet(spec?: Knobs & { sessions?: SessionSpec[] }, name?: string): Promise<Fleet>;
  run(args: readonly string[], variables?: Variables): Promise<Ran>;
}

/** Like vitest's own, with `program`: fit for concurrent tests, since nothing is shared. */
export const test = base.extend<{ program: Program }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs off its pattern
  program: async ({}, use) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-')));
    const fleets: string[] = [];
    try {
      await use(makeProgram(folder, fleets));
    } finally {
      for (const fleet of fleets) await destroyFleet(fleet);
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function makeProgram(folder: string, fleets: string[]): Program {
  const home = join(folder, 'home');
  const ownFolder = join(folder, 'own');
  mkdirSync(home);
  // A login shell without the profile of whoever runs the tests.
  const shell = writeScript(join(folder, 'shell'), 'exec /bin/sh "$@"');
  const environment: Record<string, string> = {
    HOME: home,
    SANDY_TRAY_DIR: ownFolder,
    SHELL: shell,
    PATH: '/usr/bin:/bin',
    TZ: 'UTC',
  };
  return {
    folder,
    home,
    ownFolder,
    environment,
    addFleet: async (spec, name = 'fleet') => {
      const dir = join(folder, name);
      fleets.push(dir);
      const fleet = await createFleet(dir, spec);
      environment.SANDY_TRAY_SANDY = fleet.sandy;
      return fleet;
    },
    run: (args, variables = {}) => run(args, { ...environment, ...variables }, folder),
  };
}

function run(args: readonly string[], environment: Variables, cwd: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...environment },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
}

/** Writes an executable `/bin/sh` script, gives its path. */
export function writeScript(path: string, body: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}
