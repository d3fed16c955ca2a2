/**
 * Bytes for a pty whose child may not read. Node's own stream would try again without a pause, for as
 * long as the child does not, and nothing else in this process would run: a terminal whose session is
 * frozen could not even be closed.
 */

import { writeSome } from './terminal-descriptor.ts';

export interface WriteQueue {
  /** Writes what fits and keeps the rest. False: some is kept. */
  readonly push: (bytes: Uint8Array) => boolean;
  /** Resolves when nothing is kept. */
  readonly empty: () => Promise<void>;
  /** Drops what is kept, and all that comes. */
  readonly close: () => void;
}

const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 50;

export function makeWriteQueue(descriptor: number): WriteQueue {
  let kept: Uint8Array[] = [];
  let retry: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let closed = false;
  let waiting: (() => void)[] = [];

  const flush = () => {
    retry = undefined;
    for (let first = kept[0]; first !== undefined; first = kept[0]) {
      const outcome = writeSome(descriptor, first);
      if (outcome.kind === 'gone') return close();
      if (outcome.bytes === first.length) kept.shift();
      else kept[0] = first.subarray(outcome.bytes);
      if (outcome.bytes > 0) retryMs = FIRST_RETRY_MS;
      else return later();
    }
    release();
  };
  const later = () => {
    retry = setTimeout(flush, retryMs);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  };
  const release = () => {
    const released = waiting;
    waiting = [];
    for (const resolve of released) resolve();
  };
  const close = () => {
    closed = true;
    kept = [];
    clearTimeout(retry);
    release();
  };
  return {
    push: (bytes) => {
      if (closed || bytes.length === 0) return true;
      kept.push(bytes);
      if (retry === undefined) flush();
      return kept.length === 0;
    },
    empty: () =>
      kept.length === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    close,
  };
}
