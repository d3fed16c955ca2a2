/**
 * Rolling restarts: one `sandy --update-sessions`, ours or anybody's. One started elsewhere is recognised
 * by what it does to sessions and summed up once, however often anybody looked.
 */

import type { FleetEvent } from './events.ts';
import { parseStamp } from './incarnation.ts';
import { absenceOf, type Evidence, type Row } from './session.ts';
import { texts } from './texts.ts';
import type { Look } from './watch.ts';

export type RunOrigin = 'menu' | 'cli' | 'schedule' | 'outside';
export type RunScope = 'fleet' | readonly string[];
export type RunPhase = 'building' | 'hung' | 'restarting' | 'settling';

export interface KeyedReason {
  readonly key: string;
  readonly reason: string;
}

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
  readonly log: string | null;
  /** Our own run's process has ended. */
  readonly ended: boolean;
  /** Awake time since anything vanished or returned. */
  readonly quietMs: number;
  /** The quiet time at which to ask whether the update process is still alive. */
  readonly askAtMs: number;
  readonly asked: boolean;
}

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
    ended: false,
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
  const waited = missing.filter((row) => isAwaited(row, look));
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
  const keys = new Set(restarts.map((restart) => restart.key));
  return {
    ...open,
    // The newest life of a session counts, so that fewer looks at the same run give the same sum.
    restarts: [...open.restarts.filter((restart) => !keys.has(restart.key)), ...restarts],
    current: waited[0]?.key ?? (open.origin === 'outside' ? null : open.current),
    phase: phaseOf(open, waited.length > 0),
    quietMs,
    askAtMs: active ? look.windows.settleMs : open.askAtMs,
    asked: active ? false : open.asked,
  };
}

const activity: ReadonlySet<FleetEvent['kind']> = new Set([
  'vanished',
  'restarted',
  'returned',
  'back',
] as const);

function phaseOf(run: Run, anyMissing: boolean): RunPhase {
  if (anyMissing) return 'restarting';
  return run.origin === 'outside' || run.ended ? 'settling' : run.phase;
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
  for (const row of rows.values()) if (isAwaited(row, look)) return { kind: 'open' };
  if (run.origin !== 'outside') {
    // It said that it restarts one that is still there: the stop may be on its way.
    const announced = [...rows.values()].some((row) => row.restarting && row.phase.kind === 'up');
    const quiet = run.quietMs >= look.windows.settleMs;
    return run.ended && (quiet || !announced) ? { kind: 'close' } : { kind: 'open' };
  }
  // A process that hangs for ever, or an answer that never comes, must not keep the sum for ever.
  if (run.quietMs >= look.windows.watchMs) return { kind: 'close' };
  return run.asked || run.quietMs < run.askAtMs ? { kind: 'open' } : { kind: 'ask' };
}

/** Sums a run up. Null: no session came back, and its alarms tell it. */
export function finishRun(
  run: Run,
  rows: ReadonlyMap<string, Row>,
  at: number,
  forgetMs: number,
): { readonly finished: FinishedRun; readonly event: FleetEvent } | null {
  const failed = [...rows.values()]
    .filter((row) => row.failure !== null && row.failure.at >= run.startedAt)
    .map((row) => ({ key: row.key, reason: texts.didNotComeBack }))
    .sort((a, b) => compare(a.key, b.key));
  if (run.origin === 'outside' && run.restarts.length === 0) return null;
  const ordered = [...run.restarts].sort(
    (a, b) => a.updatedAt - b.updatedAt || compare(a.key, b.key),
  );
  // Sandy's own stamps where there are any: they are the same whoever looked, and how often.
  const outside = run.origin === 'outside';
  const startedAt = outside ? Math.min(...ordered.map((r) => r.updatedAt)) : run.startedAt;
  const endedAt = outside ? Math.max(...ordered.map((r) => r.createdAt)) : at;
  const tooOld = at - endedAt > forgetMs;
  const known = ordered.length > 0 && ordered.every((restart) => restart.told);
  return {
    finished: {
      id: run.id,
      origin: run.origin,
      scope: run.scope,
      startedAt,
      endedAt,
      restarted: ordered.map((restart) => restart.key),
      skipped: [],
      failed,
      log: run.log,
    },
    event: {
      at,
      kind: 'run-completed',
      key: null,
      incident: `run:${outside ? new Date(startedAt).toISOString() : run.id}`,
      noticeKind: tooOld || known ? null : 'overnight',
      text: texts.runCompleted(ordered.length, failed.length),
    },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
