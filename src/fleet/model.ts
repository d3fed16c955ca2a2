import { type AwakeClock, newAwakeClock } from './awake-clock.ts';
import type { FleetEvent, NoticeSettings, QuietPolicy } from './events.ts';
import type { FinishedRun } from './finished-run.ts';
import type { BlindReason, PollMode, SandyInfo } from './observation.ts';
import type { Run } from './runs.ts';
import type { Row } from './session.ts';
import type { Windows } from './windows.ts';

/** Whether the fleet can be seen now. While it can't, nothing moves. */
export type Sight =
  | { readonly kind: 'unlooked' }
  | { readonly kind: 'sighted' }
  | {
      readonly kind: 'blind';
      readonly since: number;
      readonly reason: BlindReason;
      readonly text: string;
    };

/** A full poll out of turn, and why somebody wants it. */
export interface PollWish {
  readonly reason: 'start' | 'wake' | 'run-ended' | 'refresh';
  readonly askedAt: number;
}

/** Everything the agent knows. `update` is its only writer. */
export interface Model {
  readonly windows: Windows;
  readonly notify: NoticeSettings;
  readonly quiet: QuietPolicy;
  /** What local time is ahead of UTC; only quiet hours need it. */
  readonly utcOffsetMinutes: number;
  /** Notices that are held back, as by quiet hours, oldest first. */
  readonly held: readonly FleetEvent[];
  /** When the last banners were shown (wall clock). */
  readonly bannersAt: readonly number[];
  readonly sandy: SandyInfo | null;
  readonly sight: Sight;
  readonly clock: AwakeClock;
  readonly rows: ReadonlyMap<string, Row>;
  readonly run: Run | null;
  readonly lastRun: FinishedRun | null;
  /** Stops that we asked for and that have not shown yet: key to the awake time of the asking. */
  readonly stopIntents: ReadonlyMap<string, number>;
  /** Shims that wait for a session, by key, and since when by the awake clock. */
  readonly waiters: ReadonlyMap<string, { readonly count: number; readonly sinceAwakeMs: number }>;
  readonly polls: {
    readonly lastId: number;
    readonly checkedAt: number | null;
    readonly imagesCheckedAt: number | null;
    /**
     * When the last full look saw the fleet, by the awake clock. Null: none did, or the last one was blind, so
     * that what it was to find out is still not known.
     */
    readonly fullSeenAwakeMs: number | null;
    /**
     * The full poll that the next one has to be paid for: when it ended, by the clock that no one sets, and what it
     * took. Null: none was. A blind one that somebody wanted out of turn was spent on waiting, and is not repeated.
     */
    readonly fullCost: { readonly endedMonoMs: number; readonly tookMs: number } | null;
    readonly lastMode: PollMode;
    /** The last duration in each mode; null before the first. */
    readonly tookMs: Readonly<Record<PollMode, number | null>>;
    readonly blindStreak: number;
  };
  /** A poll that somebody wants before the next one is due. */
  readonly wish: PollWish | null;
  /** When something last hinted at a change that no poll begun since has confirmed. */
  readonly hintedAt: number | null;
  /** A first sighted look was taken: what comes after is change. */
  readonly baselined: boolean;
}

/** A model that knows nothing yet. */
export function newModel(
  windows: Windows,
  notify: NoticeSettings,
  quiet: QuietPolicy = { hours: null, failuresPass: true },
): Model {
  return {
    windows,
    notify,
    quiet,
    utcOffsetMinutes: 0,
    held: [],
    bannersAt: [],
    sandy: null,
    sight: { kind: 'unlooked' },
    clock: newAwakeClock,
    rows: new Map(),
    run: null,
    lastRun: null,
    stopIntents: new Map(),
    waiters: new Map(),
    polls: {
      lastId: 0,
      checkedAt: null,
      imagesCheckedAt: null,
      fullSeenAwakeMs: null,
      fullCost: null,
      lastMode: 'full',
      tookMs: { light: null, full: null },
      blindStreak: 0,
    },
    wish: { reason: 'start', askedAt: Number.NEGATIVE_INFINITY },
    hintedAt: null,
    baselined: false,
  };
}
