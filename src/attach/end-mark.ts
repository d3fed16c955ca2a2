/**
 * How to know that a dead child's output has been read to its end: a mark is written behind it, on the
 * child's side of the pty, and comes out after it. An empty pty would not tell: the kernel carries bytes
 * over in its own time.
 */

import { randomInt } from 'node:crypto';
import { writeSome } from './terminal-descriptor.ts';

export interface EndMark {
  /** Takes what was read; passes on all that is not the mark. */
  readonly take: (bytes: Buffer) => void;
  /** Writes the mark: from now on nothing but strangers write. */
  readonly write: () => void;
  readonly close: () => void;
}

/** Digits: no setting of a terminal turns them into anything else. */
const MARK_DIGITS = 40;

const RETRY_MS = 20;
/** Of a pty that was stopped (Ctrl-S) no mark comes out, while what was in it does at once. */
const STOPPED_MS = 1_000;
/** Nor does one between whose digits a stranger wrote: a mark that is in the pty comes out long before. */
const LOST_MS = 3_000;
/** More than a pty holds: whoever writes that much after it writes behind a mark that was lost. */
const MOST_BEHIND_BYTES = 1024 * 1024;

export interface MarkedPty {
  /** The child's side, not blocking. */
  readonly descriptor: number;
  /** Whether it is read at the moment; a pty that nobody reads may be full. */
  readonly isRead: () => boolean;
  readonly onData: (bytes: Buffer) => void;
  /** Called once all was read. */
  readonly onEnd: () => void;
}

export function makeEndMark({ descriptor, isRead, onData, onEnd }: MarkedPty): EndMark {
  const mark = Buffer.from(Array.from({ length: MARK_DIGITS }, () => randomInt(10)).join(''));
  let unwritten = mark.subarray(mark.length);
  let writing = false;
  let silentMs = 0;
  let behindBytes = 0;
  let retry: NodeJS.Timeout | undefined;
  let kept = Buffer.alloc(0);

  const pass = (bytes: Buffer) => {
    if (bytes.length > 0) onData(bytes);
  };
  const end = () => {
    pass(kept);
    kept = Buffer.alloc(0);
    onEnd();
  };
  const push = () => {
    clearTimeout(retry);
    const outcome = writeSome(descriptor, unwritten);
    if (outcome.kind === 'gone') return end();
    unwritten = unwritten.subarray(outcome.bytes);
    if (silentMs >= (unwritten.length > 0 ? STOPPED_MS : LOST_MS)) return end();
    if (isRead()) silentMs += RETRY_MS;
    retry = setTimeout(push, RETRY_MS);
  };
  return {
    take: (bytes) => {
      if (!writing) return onData(bytes);
      silentMs = 0;
      if (unwritten.length === 0) behindBytes += bytes.length;
      const all = Buffer.concat([kept, bytes]);
      const at = all.indexOf(mark);
      if (at < 0 && behindBytes < MOST_BEHIND_BYTES) {
        // Its beginning may be at the end of what is here.
        const sure = Math.max(0, all.length - mark.length + 1);
        kept = all.subarray(sure);
        return pass(all.subarray(0, sure));
      }
      kept = at < 0 ? all : all.subarray(0, at);
      end();
    },
    write: () => {
      writing = true;
      unwritten = mark;
      push();
    },
    close: () => clearTimeout(retry),
  };
}
