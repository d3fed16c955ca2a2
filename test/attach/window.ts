import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as pty from 'node-pty';
import { onTestFinished } from 'vitest';
import { isRunning } from '../processes.ts';
import type { DriverOrder } from './attached-order.ts';

const root = join(import.meta.dirname, '..', '..');

export interface Driver {
  readonly file: string;
  remove(): void;
}

/** Bundles the driver as the program itself is, beside what it loads; return `remove` from `beforeAll`. */
export async function buildDriver(): Promise<Driver> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-driver-')));
  const file = join(folder, 'driver.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'attached-driver.ts')],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.12',
    external: ['node-pty'],
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The arguments of Node for a driver with an order. */
export function driverArgs(driver: Driver, order: DriverOrder): string[] {
  return [driver.file, JSON.stringify(order)];
}

/** What a driver has told so far. */
export function readReports(file: string): { kind: string; [name: string]: unknown }[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

/** Ends what a driver started and did not end, and itself, when the test ends. */
export function endWithTest(reportTo: string): void {
  onTestFinished(() => {
    for (const { pid } of readReports(reportTo)) {
      if (typeof pid === 'number' && isRunning(pid)) process.kill(pid, 'SIGKILL');
    }
  });
}

/** A terminal window, as far as bytes go: what it shows is only recorded. */
export interface Window {
  readonly pid: number;
  /** All that was written to it. */
  written(): Buffer;
  /** Resolves once this was written; rejects when the window's process ends without. */
  waitFor(text: string): Promise<void>;
  type(bytes: Buffer | string): void;
  /** Stops taking what is written. */
  pause(): void;
  resume(): void;
  resize(columns: number, rows: number): void;
  /** As by a click on its cross: whoever is in it is told by the kernel. */
  close(): void;
  /** As `stty -g` prints them. */
  settings(): string;
  /** Changes them to what `settings` gave once. */
  set(settings: string): void;
  readonly ended: Promise<{ readonly code: number; readonly signal: number }>;
}

/** Opens a window on a program; it is gone when the test ends. */
export function openWindow(
  file: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Window {
  const env = { PATH: process.env.PATH, TERM: 'xterm-256color', ...variables };
  const child = pty.spawn(file, [...args], { env, cols: 80, rows: 24, encoding: null });
  const inside = child as unknown as { ptsName: string; _socket: { destroy(): void } };
  // Held open, so that the window's own end loses nothing either, and can be asked for its settings.
  const held = openSync(inside.ptsName, constants.O_RDWR | constants.O_NOCTTY);
  const chunks: Buffer[] = [];
  const watchers = new Set<() => void>();
  child.onData((bytes) => {
    chunks.push(bytes as unknown as Buffer);
    for (const watch of watchers) watch();
  });
  let running = true;
  const ended = new Promise<{ code: number; signal: number }>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      running = false;
      resolve({ code: exitCode, signal: signal ?? 0 });
    });
  });
  onTestFinished(() => {
    if (running) child.kill('SIGKILL');
    closeSync(held);
    inside._socket.destroy();
  });
  const written = () => Buffer.concat(chunks);
  const stty = (arg: string) => {
    const { stdout } = spawnSync('stty', [arg], { stdio: [held, 'pipe', 'inherit'] });
    return stdout.toString().trim();
  };
  return {
    pid: child.pid,
    written,
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          if (!written().includes(text)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
        void ended.then(() =>
          reject(new Error(`ended without ${text}: ${written().toString('utf8')}`)),
        );
      }),
    type: (bytes) => child.write(bytes as string),
    pause: () => child.pause(),
    resume: () => child.resume(),
    resize: (columns, rows) => child.resize(columns, rows),
    close: () => inside._socket.destroy(),
    settings: () => stty('-g'),
    set: stty,
    ended,
  };
}
