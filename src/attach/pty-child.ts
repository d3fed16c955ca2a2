/** A child in a pty of its own: bytes both ways, and how it ended once all of its output was given. */

import type { TerminalSize } from './outer-terminal.ts';

export interface PtyRequest {
  /** An absolute path, or a name that is looked up on the PATH of `environment`. */
  readonly file: string;
  readonly args: readonly string[];
  /** The child's whole environment: nothing of ours is added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly size: TerminalSize;
  /** Called with all that the child writes, in order. */
  readonly onData: (bytes: Buffer) => void;
}

/** How the child ended. Look at the kind first: a signal's death has no code. */
export type PtyChildEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string };

export interface PtyChild {
  readonly pid: number;
  /** Resolves after the last call of `onData`; never rejects. */
  readonly ended: Promise<PtyChildEnd>;
  /** Types into the child. False: it does not read at the moment, and what it was given waits. */
  readonly write: (bytes: Uint8Array) => boolean;
  /** Resolves when nothing waits to be typed into it any more, or it has ended. */
  readonly taken: () => Promise<void>;
  /** Stops calling `onData`; a child that goes on writing is then held by the kernel. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly resize: (size: TerminalSize) => void;
  /** As a terminal that is closed: HUP, and no more output is read. `ended` follows. */
  readonly hangUp: () => void;
}

export type PtyStart =
  | { readonly kind: 'started'; readonly child: PtyChild }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-executable' }
  /** No such folder, no pty left, no node-pty for this machine, … */
  | { readonly kind: 'not-started'; readonly reason: string };

/** Starts a child in a pty. It never throws for what the request names or the machine lacks. */
export async function startInPty(_request: PtyRequest): Promise<PtyStart> {
  return { kind: 'not-started', reason: 'not built yet' };
}
