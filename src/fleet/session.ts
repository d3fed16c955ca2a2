import type { Incarnation } from './observation.ts';

/** Why a session counts as gone for an update rather than stopped: the rules (a) to (d) of evidence. */
export type Evidence =
  /** (a) Our own run said that it is restarting this session. */
  | 'own-run'
  /** (b) Its lock is held by a live process other than the one before: a start is in progress. */
  | 'start-in-progress'
  /** (c) Somebody's `sandy --update-sessions` was alive when the vanishing was noticed. */
  | 'update-process'
  /** (d) Noticed late, and another session came back updated meanwhile. */
  | 'others-updated'
  /** It is listed again, not ready, under an incarnation that an update made. */
  | 'updated-incarnation';

/** What one look for update processes, taken when a vanishing is noticed, said about this session. */
export type ProcessLook = 'asked' | 'update' | 'none' | 'unknown';

/** A time of not being ready: absent, or listed under a new incarnation without an answer. */
export interface Absence {
  /** The first sample that lacked it (wall clock). */
  readonly at: number;
  /** Awake, sighted time since then. */
  readonly spentMs: number;
  /** Noticed late after the last sighting. */
  readonly late: boolean;
  /** Who held the lock while it was listed; null when nobody did or nobody could tell. */
  readonly oldHolder: number | null;
  /** The lock was seen free, or with another holder, since it was last listed. */
  readonly freeSeen: boolean;
  readonly look: ProcessLook;
  readonly evidence: Evidence | null;
}

export type FailedStep = 'stop' | 'start';

/** What our own run said had failed while its session was still listed: it decides once that is gone. */
export interface RememberedStep {
  readonly step: FailedStep;
  /** For how long the session has been ready since, in awake time. */
  readonly ageMs: number;
}

export type OffReason = 'stopped' | 'quit' | 'ended' | 'update-failed' | 'late' | 'not-attachable';

/** The machine of a session: three phases. Sight is not in here; it is the whole fleet's. */
export type Phase =
  | {
      readonly kind: 'up';
      readonly clients: number | null;
      /** Awake time without an answer from inside. */
      readonly nullMs: number;
      /** One absent sample so far; the second makes it `away`. */
      readonly absence: Absence | null;
      readonly failedStep: RememberedStep | null;
    }
  | {
      readonly kind: 'away';
      /** `started`: it was off, and somebody is starting it; its arrival is no return. */
      readonly origin: 'vanished' | 'started';
      readonly absence: Absence;
      /** The new incarnation it is listed under without an answer; null when absent. */
      readonly listed: { readonly incarnation: Incarnation; readonly nullMs: number } | null;
      readonly alarmed: boolean;
      readonly failedStep: RememberedStep | null;
    }
  | {
      readonly kind: 'off';
      readonly why: OffReason;
      /** The incarnation that never answered, when that is why. */
      readonly unanswered: Incarnation | null;
    };

export type FailureKind = 'late' | 'update-failed' | 'start-failed' | 'not-attachable' | 'stuck';

/** Something that waits for a person: pinned until the session is back, or until acknowledged. */
export interface Failure {
  readonly kind: FailureKind;
  readonly at: number;
  /** The stable id under which this is told once. */
  readonly incident: string;
  readonly text: string;
}

/** Who holds the sandbox's lock now. Mirrors the observation; kept so that views need no observation. */
export type Holder = 'free' | 'alive' | 'dead' | 'unknown';

/** One session, for ever: its key is its identity. */
export interface Row {
  readonly key: string;
  readonly workspace: string | null;
  readonly workspaceExists: boolean | null;
  readonly phase: Phase;
  /** When the state that people see was entered (wall clock). */
  readonly since: number;
  /** The baseline: the last incarnation that was ready; null when it never was. */
  readonly incarnation: Incarnation | null;
  /** How often this incarnation went away and came back by itself: each is a happening of its own. */
  readonly resumptions: number;
  /** Somebody was attached when it was last ready before it went away, or became another incarnation. */
  readonly hadClient: boolean;
  /** From the last full look at this incarnation. */
  readonly imageStale: boolean | null;
  readonly holder: Holder;
  /** The pid that held the lock when the session was last listed. */
  readonly holderPid: number | null;
  /** Our own run announced that it restarts this session, and it has not returned yet. */
  readonly restarting: boolean;
  /** When it was last seen back from an update restart, by the awake clock. */
  readonly updateSeenAwakeMs: number | null;
  readonly failure: Failure | null;
  /** Two different workspaces claim this key: nothing may act on it. */
  readonly conflict: boolean;
  /** Its sandbox was missing from the last sighted look. */
  readonly sandboxGone: boolean;
}

/** What a person sees of the phase. The names are those of `status --json`. */
export type SessionState =
  | 'running'
  | 'detached'
  | 'starting'
  | 'ending'
  | 'missing'
  | 'overdue'
  | 'ended'
  | 'stopped'
  | 'down';

/** The one table from phases to the states that people see. */
export function stateOf(phase: Phase): SessionState {
  switch (phase.kind) {
    case 'up':
      if (phase.absence !== null) return 'missing';
      if (phase.clients === null) return 'ending';
      return phase.clients > 0 ? 'running' : 'detached';
    case 'away':
      if (phase.alarmed) return 'overdue';
      return phase.listed === null ? 'missing' : 'starting';
    case 'off':
      switch (phase.why) {
        case 'stopped':
          return 'stopped';
        case 'quit':
        case 'ended':
          return 'ended';
        case 'update-failed':
        case 'late':
        case 'not-attachable':
          return 'down';
      }
  }
}

/** The time a session has not been ready, if it is not. */
export function absenceOf(phase: Phase): Absence | null {
  switch (phase.kind) {
    case 'up':
    case 'away':
      return phase.absence;
    case 'off':
      return null;
  }
}

/** Whether a start is in progress now; evidence only says that one was. */
export function isStarting(row: Row, absence: Absence): boolean {
  return absence.freeSeen && row.holder === 'alive';
}

/** Whether somebody could attach now. */
export function isReady(row: Row | undefined): boolean {
  const phase = row?.phase;
  return phase?.kind === 'up' && phase.absence === null && phase.clients !== null;
}

/** Whether the last look listed it, in whatever state. */
export function isListed(row: Row | undefined): boolean {
  if (row === undefined) return false;
  const { phase } = row;
  switch (phase.kind) {
    case 'up':
      return absenceOf(phase) === null;
    case 'away':
      return phase.listed !== null;
    case 'off':
      return phase.unanswered !== null;
  }
}

/** Whether to start it may help: it is not up, or something is pinned for it, and sandy can act on it. */
export function isStartable(row: Row | undefined): boolean {
  if (row === undefined || row.conflict) return false;
  const hasFolder = row.workspace !== null && row.workspaceExists !== false;
  return hasFolder && (row.failure !== null || row.phase.kind === 'off');
}
