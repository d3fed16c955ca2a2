import type { FinishedRun } from './finished-run.ts';
import type { QuietHours } from './quiet-hours.ts';

/** What happened, as the log keeps it. The names are those of `log --json`; none is ever renamed. */
export type EventKind =
  | 'agent-started'
  | 'agent-stopped'
  | 'baseline'
  | 'started'
  | 'stopped'
  | 'ended'
  | 'quit'
  | 'vanished'
  | 'returned'
  | 'restarted'
  | 'late'
  | 'back'
  | 'down'
  | 'start-failed'
  | 'run-started'
  | 'run-completed'
  | 'run-failed'
  | 'run-hung'
  | 'run-cancelled'
  | 'blind'
  | 'sighted'
  | 'slept'
  | 'conflict';

export interface FleetEvent {
  readonly at: number;
  readonly kind: EventKind;
  readonly key: string | null;
  /**
   * The stable id under which this is told once: the same happening seen again, by a new process too,
   * has the same one. Null where a repetition is a new happening.
   */
  readonly incident: string | null;
  /** Which preference decides whether a banner is due; null where none ever is. */
  readonly noticeKind: NoticeKind | null;
  readonly text: string;
  /** Of `run-completed` and `run-failed`: what it came to. */
  readonly run?: FinishedRun;
  /** Of `run-hung`: which one. */
  readonly runId?: string;
}

/** The kinds of banner that a person can switch on and off. */
export type NoticeKind = 'overnight' | 'late' | 'failed' | 'back' | 'ended' | 'progress';

/** Whether a happening waits for somebody to do something about it. */
export function needsPerson({ noticeKind }: Pick<FleetEvent, 'noticeKind'>): boolean {
  return noticeKind === 'late' || noticeKind === 'failed';
}

export type NoticeSettings = Readonly<Record<NoticeKind, boolean>>;

/** When banners are held back. */
export interface QuietPolicy {
  readonly hours: QuietHours | null;
  /** Failures are shown in quiet hours too. */
  readonly failuresPass: boolean;
}
