/** The person's terminal: raw from its opening until it is put right. */

import type { TerminalSequences } from './terminal-modes.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Takes a listener off again; calling it twice does no harm. */
export type Stop = () => void;

export interface OuterTerminal {
  readonly sequences: TerminalSequences;
  readonly size: () => TerminalSize;
  readonly onResize: (listener: (size: TerminalSize) => void) => Stop;
  /** Reads what is typed; while nobody listens nothing is read. One listener at a time. */
  readonly readInput: (listener: (bytes: Buffer) => void) => Stop;
  /** Drops all that was typed, or answered by the terminal, and not read yet. */
  readonly discardInput: () => void;
  /** Writes in the order of the calls. False: the terminal is behind, await `written` before more. */
  readonly write: (bytes: string | Uint8Array) => boolean;
  /** Resolves when all that was written is with the terminal, or the terminal is gone. */
  readonly written: () => Promise<void>;
  /** Resolves when the terminal was closed; nothing can be read or written any more. */
  readonly gone: Promise<void>;
  /**
   * Gives the terminal back as it was: modes, screen, title, stty. At once and without the event loop,
   * so that it works in an `exit` handler; what is not written yet is dropped. The second call does
   * nothing, and nothing else may be called afterwards.
   */
  readonly putRight: () => void;
}

export type TerminalOpening =
  | { readonly kind: 'opened'; readonly terminal: OuterTerminal }
  /** Standard input or output is no terminal, or not one that can be set. */
  | { readonly kind: 'none' };

/** Opens the terminal that this process was started in, makes it raw, saves its title. */
export function openTerminal(_environment: NodeJS.ProcessEnv): TerminalOpening {
  return { kind: 'none' };
}
