/**
 * Rolling restarts: one `sandy --update-sessions`, ours or anybody's. One started elsewhere is recognised
 * by what it does to sessions and summed up once, however often anybody looked.
 */

import type { FleetEvent } from './events.ts';
import {
  countLeftAlone,
  type FinishedRun,
  findUnbuilt,
  type KeyedReason,
  type RunEnd,
  type RunOrigin,
  type RunScope,
} from './finished-run.ts';
import { parseStamp } from './incarnation.ts';
import { absenceOf, type Evidence, type Row } from './session.ts';
import { texts } from './texts.ts';
import type { Look } from './watch.ts';

export type RunPhase = 'building' | 'hung' | 'restarting' | 'settling';

/** A session that came back under an incarnation that an update made. */
interface Restart {
  readonly key: string;
  readonly updatedAt: number;
  readonly createdAt: number;
  /** Its alarm was raised and taken back: the person knows, and a summary of it alone says nothing new. */
  readonly told: boolean;
}

export interface Run {
  readonly id: string;
  readonly origin: RunOrigin;
  readonly scope: RunScope;
  readonly phase: RunPhase;
  readonly startedAt: number;
  /** The session being restarted now. */
  readonly current: string | null;
  /** How many will be restarted; null when nobody can know it. */
  readonly total: number | null;
  readonly restarts: readonly Restart[];
  /** The keys that our own run said it restarts, each once: what is read again says nothing new. */
  readonly announced: readonly string[];
  /** The keys of which our own run said that a step failed. */
  readonly stepsFailed: readonly string[];
  /** What sandy left as it is, and why. */
  readonly skipped: readonly KeyedReason[];
  /** What was asked for and could not be asked of sandy. */
  readonly leftOut: readonly KeyedReason[];
  readonly log: string | null;
  /** Set when our own run's commands are over. */
  readonly end: RunEnd | null;
  /** Awake time since anything vanished or returned. */
  readonly quietMs: number;
  /** The quiet time at which to ask whether the update process is still alive. */
  readonly askAtMs: number;
  readonly asked: boolean;
}

export function newRun(
  start: Pick<Run, 'id' | 'origin' | 'scope' | 'startedAt' | 'log'>,
  settleMs: number,
): Run {
  return {
    ...start,
    phase: start.origin === 'outside' ? 'restarting' : 'building',
    current: null,
    total: null,
    restarts: [],
    announced: [],
    stepsFailed: [],
    skipped: [],
    leftOut: [],
    end: null,
    quietMs: 0,
    askAtMs: settleMs,
    asked: false,
  };
}

/** Evidence of an update, as opposed to a start that may be anybody's. */
const provesRun: Readonly<Record<Evidence, boolean>> = {
  'own-run': true,
  'start-in-progress': false,
  'update-process': true,
  'others-updated': true,
  'updated-incarnation': true,
};

/** The run in progress after new evidence or returns; opens one from outside where they show it. */
export function trackRun(
  run: Run | null,
  rows: ReadonlyMap<string, Row>,
  events: readonly FleetEvent[],
  look: Pick<Look, 'at' | 'windows'> & { readonly elapsedMs: number },
): Run | null {
  const restarts = events.flatMap((event) => restartOf(event, events, rows));
  const missing = [...rows.values()].filter((row) => {
    const evidence = absenceOf(row.phase)?.evidence ?? null;
    return evidence !== null && provesRun[evidence];
  });
  const waited = missing.filter(
    (row) => isAwaited(row, look) && (run === null || isConcerned(run, row.key)),
  );
  if (run === null && restarts.length === 0 && waited.length === 0) return null;
  const open =
    run ??
    newRun(
      {
        id: `outside-${look.at}`,
        origin: 'outside',
        scope: 'fleet',
        startedAt: look.at,
        log: null,
      },
      look.windows.settleMs,
    );
  const active = events.some((event) => activity.has(event.kind));
  const quietMs = active ? 0 : open.quietMs + look.elapsedMs;
  const counted = restarts.filter(({ key }) => isConcerned(open, key));
  const keys = new Set(counted.map((restart) => restart.key));
  return {
    ...open,
    // The newest life of a session counts, so that fewer looks at the same run give the same sum.
    restarts: [...open.restarts.filter((restart) => !keys.has(restart.key)), ...counted],
    current: currentOf(open, waited[0]?.key ?? null),
    phase: phaseOf(open, waited.length > 0),
    quietMs,
    askAtMs: active ? look.windows.settleMs : open.askAtMs,
    asked: active ? false : open.asked,
  };
}

/** Whether a run is about this session; somebody else's doing is not the sum of ours. */
function isConcerned({ scope }: Pick<Run, 'scope'>, key: string): boolean {
  return scope === 'fleet' || scope.includes(key);
}

const activity: ReadonlySet<FleetEvent['kind']> = new Set([
  'vanished',
  'restarted',
  'returned',
  'back',
] as const);

/** What our own run says it is at goes before who is awaited: one may be late while the next is restarted. */
function currentOf(run: Run, awaited: string | null): string | null {
  if (run.origin === 'outside') return awaited;
  return run.end === null ? (run.current ?? awaited) : (awaited ?? run.current);
}

function phaseOf(run: Run, anyMissing: boolean): RunPhase {
  // While its commands are at work, what they print says it: somebody missing may be another's doing.
  if (run.origin !== 'outside' && run.end === null) return run.phase;
  return anyMissing ? 'restarting' : 'settling';
}

function restartOf(
  event: FleetEvent,
  events: readonly FleetEvent[],
  rows: ReadonlyMap<string, Row>,
): Restart[] {
  const row = event.kind === 'restarted' ? rows.get(event.key ?? '') : undefined;
  if (row === undefined) return [];
  const updatedAt = parseStamp(row.incarnation?.updatedAt ?? null) ?? event.at;
  const createdAt = parseStamp(row.incarnation?.startedAt ?? null) ?? event.at;
  const told = events.some((other) => other.kind === 'back' && other.key === row.key);
  return [{ key: row.key, updatedAt, createdAt: Math.max(createdAt, updatedAt), told }];
}

/** Missing with evidence for less than the window: the sum has to wait for it. */
function isAwaited(row: Row, look: Pick<Look, 'windows'>): boolean {
  const absence = absenceOf(row.phase);
  if (absence === null || absence.evidence === null) return false;
  if (row.phase.kind === 'away' && row.phase.alarmed) return false;
  return absence.spentMs < look.windows.returnMs;
}

export type Closing =
  | { readonly kind: 'open' }
  /** Everything is quiet: ask once whether its process is still at work before summing up. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'close' };

/** Whether a run can be summed up: nobody awaited, and quiet for long enough (or our run ended). */
export function decideClosing(run: Run, rows: ReadonlyMap<string, Row>, look: Look): Closing {
  if (!look.verdicts) return { kind: 'open' };
  for (const row of rows.values()) {
    if (isConcerned(run, row.key) && isAwaited(row, look)) return { kind: 'open' };
  }
  if (run.origin !== 'outside') {
    // It said that it restarts one that is still there: the stop may be on its way.
    const announced = [...rows.values()].some((row) => row.restarting && row.phase.kind === 'up');
    const quiet = run.quietMs >= look.windows.settleMs;
    return run.end !== null && (quiet || !announced) ? { kind: 'close' } : { kind: 'open' };
  }
  // A process that hangs for ever, or an answer that never comes, must not keep the sum for ever.
  if (run.quietMs >= look.windows.watchMs) return { kind: 'close' };
  return run.asked || run.quietMs < run.askAtMs ? { kind: 'open' } : { kind: 'ask' };
}

/** Sums a run up. Null: one from outside of which no session came back, and its alarms tell it. */
export function finishRun(
  run: Run,
  rows: ReadonlyMap<string, Row>,
  at: number,
  forgetMs: number,
): { readonly finished: FinishedRun; readonly event: FleetEvent } | null {
  const outside = run.origin === 'outside';
  if (outside && run.restarts.length === 0) return null;
  const ordered = [...run.restarts].sort(
    (a, b) => a.updatedAt - b.updatedAt || compare(a.key, b.key),
  );
  // Sandy's own stamps where there are any: they are the same whoever looked, and how often.
  const startedAt = outside ? Math.min(...ordered.map((r) => r.updatedAt)) : run.startedAt;
  const endedAt = outside ? Math.max(...ordered.map((r) => r.createdAt)) : at;
  const end = judgeEnd(run);
  const finished: FinishedRun = {
    id: run.id,
    origin: run.origin,
    scope: run.scope,
    startedAt,
    endedAt,
    restarted: ordered.map((restart) => restart.key),
    skipped: run.skipped,
    failed: [...rows.values()]
      .flatMap((row) => failedOf(row, run))
      .concat(run.leftOut)
      .sort((a, b) => compare(a.key, b.key)),
    log: run.log,
    outcome: end?.kind ?? 'done',
    reason: end?.kind === 'failed' ? end.reason : null,
    seen: false,
  };
  const tooOld = at - endedAt > forgetMs;
  const known = outside && ordered.every((restart) => restart.told);
  const incident = `run:${outside ? new Date(startedAt).toISOString() : run.id}`;
  const { kind, noticeKind, text } = describeEnd(end, finished);
  return {
    finished,
    event: {
      at,
      kind,
      key: null,
      incident,
      noticeKind: tooOld || known ? null : noticeKind,
      text,
      run: finished,
    },
  };
}

/** What a run left undone with a session: an alarm since it began, or a restart that nobody saw. */
function failedOf(row: Row, run: Run): KeyedReason[] {
  const { key, phase, failure } = row;
  if (!isConcerned(run, key)) return [];
  if (failure !== null && failure.at >= run.startedAt) {
    const step = failure.kind === 'update-failed';
    return [{ key, reason: step ? texts.updateStepFailed : texts.didNotComeBack }];
  }
  const seen = run.restarts.some((restart) => restart.key === key);
  if (seen || !run.announced.includes(key) || phase.kind !== 'up') return [];
  const reported = phase.failedStep !== null || run.stepsFailed.includes(key);
  return [{ key, reason: reported ? texts.stillRuns : texts.notSeenRestarted }];
}

/**
 * How a run of ours ended for its sessions: sandy's exit code is that of a success also where it left some
 * as they were because their images could not be built.
 */
function judgeEnd({ end, skipped }: Run): RunEnd | null {
  const unbuilt = findUnbuilt(skipped);
  if (end?.kind !== 'done' || unbuilt.length === 0) return end;
  return { kind: 'failed', reason: texts.notBuilt(unbuilt) };
}

/** @param end null: one from outside, of which nobody knows what it left as it was */
function describeEnd(
  end: RunEnd | null,
  { restarted, failed, skipped }: FinishedRun,
): Pick<FleetEvent, 'kind' | 'noticeKind' | 'text'> {
  switch (end?.kind) {
    case 'cancelled':
      return {
        kind: 'run-cancelled',
        noticeKind: null,
        text: texts.runCancelled(restarted.length),
      };
    case 'failed':
      return {
        kind: 'run-failed',
        noticeKind: 'failed',
        text: texts.runFailed(end.reason, restarted.length, failed.length),
      };
    case 'done':
      if (restarted.length + failed.length === 0) {
        const text = texts.nothingRestarted(countLeftAlone(skipped));
        return { kind: 'run-completed', noticeKind: null, text };
      }
  }
  const text = texts.runCompleted(restarted.length, failed.length);
  return { kind: 'run-completed', noticeKind: 'overnight', text };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
