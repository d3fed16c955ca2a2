import type { StampedView } from './look-reading.ts';

/** Whoever looks at the fleet for a shim: the agent, or this process by itself. */
export interface LookSource {
  /** Newest last. */
  readonly onView: (listener: (view: StampedView) => void) => void;
  /** It is gone, or it no longer answers. */
  readonly onLost: (listener: () => void) => void;
  /** Somebody waits for this session from now on: look often, beginning now. */
  readonly begin: () => void;
  /** Nobody waits any more; what is seen all the same is still of interest. */
  readonly rest: () => void;
  readonly close: () => void;
}
