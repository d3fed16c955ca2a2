/** What a rolling restart came to, once it is over. */

export type RunOrigin = 'menu' | 'cli' | 'schedule' | 'outside';
export type RunScope = 'fleet' | readonly string[];

export interface KeyedReason {
  readonly key: string;
  readonly reason: string;
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
  /** Somebody looked at its summary. */
  readonly seen: boolean;
}
