/** Programs of macOS on a PATH of the test's own: each one that is run reports here and does what it is told. */

import { mkdirSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { createMacNotifier, type MacNotifierParts } from '../../src/notify/mac-notifier.ts';
import type { MacLimits } from '../../src/notify/mac-program.ts';
import type { Notice, NoticeClick, NoticeEnd } from '../../src/notify/notifier.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';

const STAND_IN = join(import.meta.dirname, 'mac-stand-in.mjs');

export interface MacCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly pid: number;
  /** The names of its environment's variables. */
  readonly variables: readonly string[];
  end(how: { stdout?: string; stderr?: string; code?: number }): void;
}

/** A program that can't show its banner is awaited for as long as it takes. */
export const patient: MacLimits = {
  settleMs: 60_000,
  answerMs: 60_000,
  askMs: 60_000,
  overtimeMs: 60_000,
};
/** Whatever runs shows its banner. */
export const trusting: MacLimits = { ...patient, settleMs: 1 };

export async function openMacStage(parts: Partial<MacNotifierParts> = {}) {
  const folder = makeScratchFolder();
  const path = join(folder, 'stage');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const calls: MacCall[] = [];
  const unseen: MacCall[] = [];
  const waiting = new Set<() => void>();
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    createInterface({ input: socket }).once('line', (line) => {
      const call: MacCall = {
        ...JSON.parse(line),
        end: (how) => socket.write(`${JSON.stringify(how)}\n`),
      };
      calls.push(call);
      unseen.push(call);
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const clicks: NoticeClick[] = [];
  const ends: [key: string, end: NoticeEnd][] = [];
  const notifier = createMacNotifier({
    listener: {
      onClick: (click) => clicks.push(click),
      onEnd: (key, end) => ends.push([key, end]),
    },
    environment: { PATH: bin, HOME: folder, SECRET: 'mine' },
    platform: 'darwin',
    timeScale: 1,
    limits: trusting,
    scriptProgram: join(bin, 'osascript'),
    loadCenter: async () => null,
    ...parts,
  });
  onTestFinished(async () => {
    // What waits for an order ends with its socket.
    server.close();
    const closing = notifier.close();
    for (const socket of sockets) socket.destroy();
    await closing;
  });
  return {
    notifier,
    folder,
    /** Everything that was run. */
    calls,
    clicks,
    ends,
    path: (name: string) => join(bin, name),
    /** Puts a program there. `first` are lines of its script that come before it reports. */
    add: (name: string, first = '') =>
      writeScript(
        join(bin, name),
        `${first}\nexec '${process.execPath}' '${STAND_IN}' '${path}' ${name} "$@"`,
      ),
    /** The next one of that name that is run. */
    next: (name: string) =>
      new Promise<MacCall>((resolve) => {
        const look = () => {
          const at = unseen.findIndex((call) => call.name === name);
          if (at < 0) return;
          waiting.delete(look);
          resolve(unseen.splice(at, 1)[0] as MacCall);
        };
        waiting.add(look);
        look();
      }),
  };
}

export const VERSION_3 = '[ "$1" = -version ] && echo "terminal-notifier 3.1.0." && exit';

export function makeNotice(key: string, more: Partial<Notice> = {}): Notice {
  return {
    key,
    kind: 'late',
    at: 0,
    session: key,
    title: 'A session is down',
    body: 'zoo is down.',
    urgency: 'normal',
    actions: [
      { id: 'open', label: 'Open' },
      { id: 'start', label: 'Start' },
      { id: 'log', label: 'Show log' },
    ],
    ...more,
  };
}

/** Everything that a text from outside may hold. */
export const hostile: Partial<Notice> = {
  title: '-e $(touch x) "q" \u202eexe\u0000',
  body: '[a, {b} (c)\n--help `id`; rm -rf ~\r\nC:\\new\\table \u001b[31m$HOME 👩‍👧',
  actions: [
    { id: 'open', label: 'Yes, really' },
    { id: 'log', label: '-v' },
  ],
};
