/** A stage for helpers: each one that is started reports here and does what it is told. */

import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, vi } from 'vitest';
import {
  type HelperLimits,
  helperLimits,
  type Preparation,
} from '../../src/tray/helper-process.ts';
import type { HelperTray } from '../../src/tray/helper-tray.ts';
import type {
  TrayClick,
  TrayItem,
  TrayListener,
  TrayPicture,
  TrayState,
} from '../../src/tray/tray-picture.ts';
import { isRunning } from '../processes.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const STAND_IN = join(import.meta.dirname, 'helper-stand-in.mjs');

export interface Actor {
  readonly pid: number;
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Every message that it was sent. */
  readonly heard: readonly Record<string, unknown>[];
  /** Whether all of that was ASCII. */
  readonly isAscii: () => boolean;
  order(kind: string, more?: object): void;
  /** Says that it is ready, and reads from now on. */
  beReady(): void;
  say(message: unknown): void;
}

export interface Stage {
  readonly prepare: () => Promise<Preparation>;
  readonly limits: HelperLimits;
  /** The next one that is started. */
  readonly next: () => Promise<Actor>;
  /** How many were started. */
  readonly starts: () => number;
  readonly listener: TrayListener;
  readonly states: readonly TrayState[];
  readonly clicks: readonly TrayClick[];
  /** Ends the tray with the test. */
  readonly keep: (tray: HelperTray) => HelperTray;
}

export async function openStage(limits: Partial<HelperLimits> = {}): Promise<Stage> {
  const path = join(makeScratchFolder(), 'control');
  const actors: Actor[] = [];
  const waiting: ((actor: Actor) => void)[] = [];
  const sockets: Socket[] = [];
  let starts = 0;
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    const heard: Record<string, unknown>[] = [];
    let isAscii = true;
    const order = (kind: string, more: object = {}) => {
      socket.write(`${JSON.stringify({ kind, ...more })}\n`);
    };
    createInterface({ input: socket }).on('line', (line) => {
      const said = JSON.parse(line);
      if (said.kind === 'shut') heard.push({ type: 'shut' });
      if (said.kind === 'heard') {
        heard.push(said.message);
        isAscii &&= said.isAscii;
      }
      if (said.kind !== 'started') return;
      starts += 1;
      const say = (message: unknown) => order('say', { text: `${JSON.stringify(message)}\n` });
      const actor: Actor = {
        ...said,
        heard,
        isAscii: () => isAscii,
        order,
        say,
        beReady() {
          order('read');
          say({ type: 'ready' });
        },
      };
      const taker = waiting.shift();
      if (taker === undefined) actors.push(actor);
      else taker(actor);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const states: TrayState[] = [];
  const clicks: TrayClick[] = [];
  const trays: HelperTray[] = [];
  onTestFinished(async () => {
    await Promise.all(trays.map((tray) => tray.stop()));
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    prepare: async () => ({
      kind: 'prepared',
      command: {
        file: process.execPath,
        args: [STAND_IN, path],
        environment: { LANG: 'C.UTF-8' },
      },
    }),
    limits: { ...helperLimits, readyMs: 20_000, ...limits },
    starts: () => starts,
    next: async () => {
      const first = actors.shift();
      return first ?? new Promise<Actor>((resolve) => waiting.push(resolve));
    },
    listener: {
      onClick: (click) => clicks.push(click),
      onState: (state) => states.push(state),
    },
    states,
    clicks,
    keep(tray) {
      trays.push(tray);
      return tray;
    },
  };
}

export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 20_000 });
}

export async function expectEnded(pid: number): Promise<void> {
  await eventually(() => expect(isRunning(pid)).toBe(false));
}

export function makePicture(items: readonly TrayItem[], more: Partial<TrayPicture> = {}) {
  return {
    icon: { shape: 'ok', count: null },
    title: '',
    tooltip: { title: 'tip', text: '' },
    items,
    ...more,
  } satisfies TrayPicture;
}

export const note = (id: string): TrayItem => ({ kind: 'note', id, label: id });
export const line = (id: string): TrayItem => ({ kind: 'separator', id });
export const row = (id: string, more: { label?: string; checked?: boolean } = {}): TrayItem => ({
  kind: 'action',
  id,
  label: id,
  enabled: true,
  checked: null,
  action: { kind: 'open', key: id },
  ...more,
});
export const menu = (id: string, items: readonly TrayItem[]): TrayItem => ({
  kind: 'submenu',
  id,
  label: id,
  items,
});
