/**
 * What is typed while nothing is attached belongs to the session that is gone. It never reaches the next
 * one, and neither does the rest of a line that was begun before the attach.
 */

/** `begun`: a line was begun and not ended; its last key came at `lastKeyMs`. */
export interface GapInput {
  readonly begun: boolean;
  readonly lastKeyMs: number;
}

export const nothingTyped: GapInput = { begun: false, lastKeyMs: Number.NEGATIVE_INFINITY };

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const ESCAPE = 0x1b;

/** Notes keys that are dropped because nothing is attached. */
export function noteDropped(input: GapInput, bytes: Uint8Array, atMs: number): GapInput {
  const typed = withoutSequences(bytes);
  if (typed.length === 0) return input;
  return { begun: !endsLine(typed.at(-1)), lastKeyMs: atMs };
}

/** Whether what comes next may still be of a line that was begun before the attach. */
export function isDropping(input: GapInput, atMs: number, pauseMs: number): boolean {
  return input.begun && atMs - input.lastKeyMs < pauseMs;
}

/**
 * Takes keys after the attach: those of a line begun before are dropped up to its Enter, or until a
 * pause. What the terminal itself answers (escape sequences) is the child's and passes.
 */
export function passKeys(
  input: GapInput,
  bytes: Uint8Array,
  atMs: number,
  pauseMs: number,
): { readonly input: GapInput; readonly passed: Uint8Array } {
  if (!isDropping(input, atMs, pauseMs)) return { input: nothingTyped, passed: bytes };
  const passed: number[] = [];
  let index = 0;
  while (index < bytes.length) {
    const length = sequenceLength(bytes, index);
    if (length > 0) {
      passed.push(...bytes.subarray(index, index + length));
      index += length;
      continue;
    }
    const ended = endsLine(bytes[index]);
    index += 1;
    if (!ended) continue;
    // The line is over; what follows is a new one.
    return { input: nothingTyped, passed: Uint8Array.from([...passed, ...bytes.subarray(index)]) };
  }
  return { input: { begun: true, lastKeyMs: atMs }, passed: Uint8Array.from(passed) };
}

function endsLine(byte: number | undefined): boolean {
  return byte === CARRIAGE_RETURN || byte === LINE_FEED;
}

function withoutSequences(bytes: Uint8Array): number[] {
  const typed: number[] = [];
  for (let index = 0; index < bytes.length; ) {
    const length = sequenceLength(bytes, index);
    if (length === 0) typed.push(bytes[index] ?? 0);
    index += Math.max(1, length);
  }
  return typed;
}

/** The length of the escape sequence that begins at `start`; 0 where none does. */
function sequenceLength(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== ESCAPE) return 0;
  const kind = bytes[start + 1];
  if (kind === 0x5b) {
    // CSI: parameters and intermediates, then one final byte.
    let end = start + 2;
    while (end < bytes.length && (bytes[end] ?? 0) < 0x40) end += 1;
    return Math.min(end + 1, bytes.length) - start;
  }
  if (kind === 0x5d || kind === 0x50 || kind === 0x5f) {
    // OSC, DCS, APC: up to BEL or ST.
    for (let end = start + 2; end < bytes.length; end += 1) {
      if (bytes[end] === 0x07) return end + 1 - start;
      if (bytes[end] === ESCAPE && bytes[end + 1] === 0x5c) return end + 2 - start;
    }
    return bytes.length - start;
  }
  return Math.min(2, bytes.length - start);
}
