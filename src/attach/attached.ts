/** A child in the person's terminal. */

import type { OuterTerminal } from './outer-terminal.ts';
import {
  type PtyChild,
  type PtyChildEnd,
  type PtyRequest,
  type PtyStart,
  startInPty,
} from './pty-child.ts';

export type AttachedEnd =
  | PtyChildEnd
  /** The window was closed; the child was hung up. */
  | { readonly kind: 'terminal-gone' };

export type AttachedStart =
  | { readonly kind: 'started'; readonly child: PtyChild; readonly ended: Promise<AttachedEnd> }
  | Exclude<PtyStart, { readonly kind: 'started' }>;

export interface AttachedOptions {
  /** What of the keys goes to the child; all of them without it. */
  readonly passKeys?: ((bytes: Buffer) => Uint8Array) | undefined;
  /** Sees what the child writes; it goes to the terminal untouched. */
  readonly onOutput?: ((bytes: Buffer) => void) | undefined;
}

/**
 * Starts a child of the terminal's size and joins them: bytes both ways untouched, size changes, back
 * pressure. `ended` resolves when the child has ended and all that it wrote is with the terminal, whose
 * modes are then still the child's: write `sequences.toMain` before any text of ours.
 */
export function startAttached(
  request: Omit<PtyRequest, 'size' | 'onData'>,
  terminal: OuterTerminal,
  { passKeys, onOutput }: AttachedOptions = {},
): AttachedStart {
  const start = startInPty({ ...request, size: terminal.size(), onData: carryOut });
  if (start.kind !== 'started') return start;
  const { child } = start;

  function carryOut(bytes: Buffer): void {
    onOutput?.(bytes);
    if (terminal.write(bytes)) return;
    child.pause();
    void terminal.written().then(child.resume);
  }

  let reading = true;
  const carryIn = (bytes: Buffer) => {
    const passed = passKeys === undefined ? bytes : passKeys(bytes);
    if (child.write(passed)) return;
    // A child that does not read holds the terminal, as it would without us.
    stopReading();
    void child.taken().then(() => {
      if (reading) stopReading = terminal.readInput(carryIn);
    });
  };
  let stopReading = terminal.readInput(carryIn);
  const stopResizing = terminal.onResize(child.resize);

  const gone = terminal.gone.then((): AttachedEnd => {
    child.hangUp();
    return { kind: 'terminal-gone' };
  });
  const ended = Promise.race([child.ended, gone]).then(async (end) => {
    reading = false;
    stopReading();
    stopResizing();
    await terminal.written();
    return end;
  });
  return { kind: 'started', child, ended };
}
