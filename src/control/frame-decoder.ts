/** Newline-delimited JSON in UTF-8, one object a line, read without trusting whoever sends it. */

import { TextDecoder } from 'node:util';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/** Ours are less than ten deep. Parsing millions of levels takes seconds and gigabytes. */
const MOST_LEVELS = 64;

/** After a large frame its memory is given back. */
const KEPT_BYTES = 64 * 1024;

/** What some bytes completed, up to the fault that makes the rest worthless. */
export interface Decoded {
  readonly frames: readonly object[];
  /** `oversize`: a line longer than allowed; `invalid`: no UTF-8, no JSON, no object, or too deep. */
  readonly fault: 'oversize' | 'invalid' | null;
}

export type FrameDecoder = (bytes: Uint8Array) => Decoded;

/**
 * Makes a decoder for one stream: feed it what arrives, however it was cut up. It never holds more
 * than twice `maxFrameBytes`. After a fault it gives nothing more.
 */
export function createFrameDecoder(maxFrameBytes: number): FrameDecoder {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  let fault: Decoded['fault'] = null;

  const hold = (bytes: Uint8Array): void => {
    const needed = heldBytes + bytes.length;
    if (needed > held.length) {
      const larger = Buffer.alloc(Math.min(maxFrameBytes, Math.max(needed, 2 * held.length)));
      held.copy(larger, 0, 0, heldBytes);
      held = larger;
    }
    held.set(bytes, heldBytes);
    heldBytes = needed;
  };
  const takeLine = (end: Uint8Array): Uint8Array => {
    if (heldBytes === 0) return end;
    hold(end);
    const line = held.subarray(0, heldBytes);
    heldBytes = 0;
    if (held.length > KEPT_BYTES) held = Buffer.alloc(0);
    return line;
  };

  return (bytes) => {
    const frames: object[] = [];
    let start = 0;
    while (fault === null && start < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, start);
      const part = bytes.subarray(start, newline === -1 ? bytes.length : newline);
      start += part.length + 1;
      if (heldBytes + part.length > maxFrameBytes) {
        fault = 'oversize';
      } else if (newline === -1) {
        hold(part);
      } else {
        const frame = parseFrame(takeLine(part), utf8);
        if (frame === null) fault = 'invalid';
        else frames.push(frame);
      }
    }
    if (fault !== null) held = Buffer.alloc(0);
    return { frames, fault };
  };
}

function parseFrame(line: Uint8Array, utf8: TextDecoder): object | null {
  if (isTooDeep(line)) return null;
  try {
    const value: unknown = JSON.parse(utf8.decode(line));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function isTooDeep(line: Uint8Array): boolean {
  let levels = 0;
  let quoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const byte = line[index] ?? 0;
    if (byte === QUOTE) quoted = !quoted;
    else if (quoted) index += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.includes(byte)) levels += 1;
    else if (CLOSING.includes(byte)) levels -= 1;
    if (levels > MOST_LEVELS) return true;
  }
  return false;
}
