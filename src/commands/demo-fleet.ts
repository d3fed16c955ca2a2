import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as FakeSandy from '../../fixtures/fake-sandy/fleet.mjs';
import { importResource } from '../system/resources.ts';
import { findProgram } from './window-parts.ts';

/** How many times faster than real time the demo runs. */
export const demoTimeScale = 30;

/** A fleet and a state folder of their own: nothing of the real ones is read or touched. */
export interface DemoFleet {
  readonly stateFolder: string;
  /** Our own program, as `sandy-tray ARGS` would be. */
  readonly runOurs: (args: readonly string[]) => ChildProcess;
  /** A sandy command that somebody else gives, as cron or a person at a terminal would. */
  readonly runSandy: (args: readonly string[]) => Promise<void>;
  readonly workspaceOf: (name: string) => string;
  /** Ends every process and removes every file of the demo. */
  readonly destroy: () => Promise<void>;
}

/** Five sessions, four on a stale image; one of these will be slow to come back, and one won't. */
export async function createDemoFleet(): Promise<DemoFleet> {
  const fake = (await importResource('fixtures', 'fake-sandy', 'fleet.mjs')) as typeof FakeSandy;
  const folder = await mkdtemp(join(tmpdir(), 'sandy-tray-demo-'));
  const hourAgo = Date.now() - 3_600_000;
  const fleet = await fake.createFleet(join(folder, 'sandy'), {
    version: '1.8.0',
    delays: { buildMs: 20_000, stopMs: 3_000, beforeLockMs: 3_000, innerMs: 4_000 },
    sessions: [
      { name: 'atlas', clients: 1, stale: true, startedAt: hourAgo },
      { name: 'hermes', clients: 0, stale: true, startedAt: hourAgo - 1_000 },
      {
        name: 'kiln',
        clients: 1,
        stale: true,
        startedAt: hourAgo - 2_000,
        delays: { innerMs: 130_000 },
      },
      { name: 'orion', clients: 0, stale: true, startedAt: hourAgo - 3_000, start: 'refused' },
      { name: 'zork', clients: 0, stale: false, startedAt: hourAgo - 4_000 },
    ],
  });
  const stateFolder = join(folder, 'state');
  const [program = '', ...before] = findProgram();
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: fleet.home,
    SANDY_TRAY_DIR: stateFolder,
    SANDY_TRAY_SANDY: fleet.sandy,
    SANDY_TRAY_TIME_SCALE: String(demoTimeScale),
  };
  const children = new Set<ChildProcess>();
  // In process groups of their own: Ctrl-C is for us to pass on, in the right order.
  const start = (file: string, args: readonly string[], stdout: 'pipe' | 'ignore') => {
    const child = spawn(file, args, {
      env: environment,
      stdio: ['ignore', stdout, 'ignore'],
      detached: true,
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  return {
    stateFolder,
    runOurs: (args) => start(program, [...before, ...args], 'pipe'),
    runSandy: (args) =>
      new Promise((resolve) => {
        const child = start(fleet.sandy, args, 'ignore');
        child.once('exit', () => resolve());
        child.once('error', () => resolve());
      }),
    workspaceOf: (name) =>
      fleet.sessions.find((session) => session.key.startsWith(`${name}-`))?.workspace ?? '',
    async destroy() {
      await Promise.all([...children].map(endChild));
      await fake.destroyFleet(fleet.dir);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Asks a child to end, and waits for it. */
function endChild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
    const last = setTimeout(() => child.kill('SIGKILL'), 3_000);
    last.unref();
  });
}
