/** Reading and writing a terminal's descriptor that does not block, at once and without the event loop. */

import { readSync, writeSync } from 'node:fs';

/** `gone`: the other side was closed, or the descriptor. */
export type TransferOutcome = { readonly kind: 'moved'; readonly bytes: number } | { kind: 'gone' };

/** Writes what fits: 0 bytes when there is no room. */
export function writeSome(descriptor: number, bytes: Uint8Array): TransferOutcome {
  return transfer(() => writeSync(descriptor, bytes));
}

const WAIT_MS = 2;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Writes all of it, blocking; gives up after `limitMs` with a terminal that takes nothing. */
export function writeAll(descriptor: number, text: string, limitMs: number): void {
  let rest = Buffer.from(text);
  for (let waitedMs = 0; rest.length > 0 && waitedMs < limitMs; ) {
    const outcome = writeSome(descriptor, rest);
    if (outcome.kind === 'gone') return;
    rest = rest.subarray(outcome.bytes);
    if (outcome.bytes > 0) continue;
    Atomics.wait(sleeper, 0, 0, WAIT_MS);
    waitedMs += WAIT_MS;
  }
}

/** Of a terminal that never stops talking no more than this is dropped. */
const MOST_DROPPED_BYTES = 1024 * 1024;

/** Reads and drops all that is there to be read. */
export function dropPending(descriptor: number): void {
  const buffer = Buffer.alloc(4096);
  for (let dropped = 0; dropped < MOST_DROPPED_BYTES; ) {
    const outcome = transfer(() => readSync(descriptor, buffer));
    if (outcome.kind === 'gone' || outcome.bytes === 0) return;
    dropped += outcome.bytes;
  }
}

const goneCodes = new Set(['EIO', 'EPIPE', 'EBADF', 'ENXIO', 'ENOTTY', 'ECONNRESET']);

/** Whether an error says that a terminal was closed. */
export function isGone(error: unknown): boolean {
  return goneCodes.has((error as NodeJS.ErrnoException).code ?? '');
}

function transfer(move: () => number): TransferOutcome {
  try {
    return { kind: 'moved', bytes: move() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return { kind: 'moved', bytes: 0 };
    if (isGone(error)) return { kind: 'gone' };
    throw error;
  }
}
