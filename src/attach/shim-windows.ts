import type { Windows } from '../fleet/windows.ts';

/** The shim's windows in milliseconds; awake, sighted time unless it says otherwise. */
export interface ShimWindows {
  /** Absent for this long without evidence of an update: it did not come back. */
  readonly returnMs: number;
  /** With evidence, and while blind: how long it is awaited. */
  readonly watchMs: number;
  /** No answer under the old incarnation for this long: the agent inside quit. */
  readonly quitMs: number;
  readonly notAttachableMs: number;
  /** How long a client that is seen may be our own dead one. */
  readonly ghostMs: number;
  /** Real time: a child alive for this long is in. */
  readonly believedMs: number;
  /** Real time: how long the look that tells detached from displaced may take; a child's limit. */
  readonly leavingMs: number;
  /** Real time: a pause in typing after which keys count again. */
  readonly pauseMs: number;
}

/** The windows of a shim, from the fleet's where they are the same. */
export function shimWindowsFrom(
  fleet: Pick<Windows, 'returnMs' | 'watchMs' | 'quitMs' | 'notAttachableMs' | 'timeScale'>,
): ShimWindows {
  const { returnMs, watchMs, quitMs, notAttachableMs, timeScale } = fleet;
  return {
    returnMs,
    watchMs,
    quitMs,
    notAttachableMs,
    ghostMs: 5_000 / timeScale,
    believedMs: 5_000 / timeScale,
    leavingMs: 2_000,
    pauseMs: 1_000 / timeScale,
  };
}
