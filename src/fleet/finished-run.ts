/** What a rolling restart came to, once it is over. */

export type RunOrigin = 'menu' | 'cli' | 'schedule' | 'outside';
export type RunScope = 'fleet' | readonly string[];

export interface KeyedReason {
  readonly key: string;
  readonly reason: string;
}

/** What sandy says in its table of a session whose image is not stale. */
const CURRENT = 'current';
/** What it says where it could not build the image. Its exit code says nothing of that. */
const BUILD_FAILED = 'build failed';
/** How it begins where somebody is at work inside, or may be. */
const ACTIVE = 'active';

/** The sessions whose images could not be built. */
export function findUnbuilt(skipped: readonly KeyedReason[]): readonly string[] {
  return skipped.filter(({ reason }) => reason === BUILD_FAILED).map(({ key }) => key);
}

/** How many sessions were left as they were though nothing says that they are up to date. */
export interface LeftAlone {
  readonly count: number;
  /** Somebody is at work in each of them, as far as sandy knows. */
  readonly isInUse: boolean;
}

export function countLeftAlone(skipped: readonly KeyedReason[]): LeftAlone {
  const left = skipped.filter(({ reason }) => reason !== CURRENT);
  const isInUse = left.length > 0 && left.every(({ reason }) => reason.startsWith(ACTIVE));
  return { count: left.length, isInUse };
}

/** How our own run's commands ended; what became of the sessions is for polls to say. */
export type RunEnd =
  | { readonly kind: 'done' }
  /** Ended on request, before anything of its last step was touched. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly reason: string };

export interface FinishedRun {
  readonly id: string;
  readonly origin: RunOrigin;
  readonly scope: RunScope;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly restarted: readonly string[];
  readonly skipped: readonly KeyedReason[];
  readonly failed: readonly KeyedReason[];
  readonly log: string | null;
  /** How its commands ended; nobody knows more of one from outside than that it is over. */
  readonly outcome: RunEnd['kind'];
  /** Why it failed: half a sentence. Null where it did not. */
  readonly reason: string | null;
  /** Somebody looked at its summary. */
  readonly seen: boolean;
}
