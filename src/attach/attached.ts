/** A child in the person's terminal. */

import type { OuterTerminal } from './outer-terminal.ts';
import type { PtyChild, PtyChildEnd, PtyRequest } from './pty-child.ts';

export type AttachedEnd =
  | PtyChildEnd
  /** The window was closed; the child was hung up. */
  | { readonly kind: 'terminal-gone' };

export type AttachedStart =
  | { readonly kind: 'started'; readonly child: PtyChild; readonly ended: Promise<AttachedEnd> }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-executable' }
  | { readonly kind: 'not-started'; readonly reason: string };

export interface AttachedOptions {
  /** What of the keys goes to the child; all of them without it. */
  readonly passKeys?: (bytes: Buffer) => Uint8Array;
  /** Sees what the child writes; it goes to the terminal untouched. */
  readonly onOutput?: (bytes: Buffer) => void;
}

/**
 * Starts a child of the terminal's size and joins them: bytes both ways untouched, size changes, back
 * pressure. `ended` resolves when the child has ended and all that it wrote is with the terminal, whose
 * modes are then still the child's: write `sequences.toMain` before any text of ours.
 */
export async function startAttached(
  _request: Omit<PtyRequest, 'size' | 'onData'>,
  _terminal: OuterTerminal,
  _options: AttachedOptions = {},
): Promise<AttachedStart> {
  return { kind: 'not-started', reason: 'not built yet' };
}
