/** What people and programs see of the model: the JSON of `status --json`, schema 1. */

import { nextPoll, type PollReason } from './cadence.ts';
import type { FinishedRun, KeyedReason, RunEnd, RunOrigin, RunScope } from './finished-run.ts';
import { nameIncarnation } from './incarnation.ts';
import type { Model } from './model.ts';
import { quietNow } from './notice-policy.ts';
import type { Capabilities, PollMode, SandyInfo } from './observation.ts';
import type { Run, RunPhase } from './runs.ts';
import {
  absenceOf,
  type Evidence,
  type FailureKind,
  isStarting,
  type OffReason,
  type Row,
  type SessionState,
  stateOf,
} from './session.ts';
import { writeStampAsIso } from './stamp-iso.ts';
import { texts } from './texts.ts';

export type Health = 'zombie' | 'supervisor-lost' | 'workspace-missing' | 'conflict';
export type Action = 'open' | 'update' | 'start' | 'stop' | 'ack';
export type BadgeState = 'attention' | 'updating' | 'unknown' | 'stale' | 'ok';

export interface SessionView {
  readonly key: string;
  readonly workspace: string | null;
  readonly state: SessionState;
  readonly since: string;
  readonly imageStale: boolean | null;
  readonly attachedClients: number | null;
  readonly waitingShims: number;
  readonly startedAt: string | null;
  readonly updatedAt: string | null;
  /** A token for the life that is listed now; only equality means anything. Null: it is not listed. */
  readonly incarnation: string | null;
  /** Why its absence counts as an update's; null when it is not absent, or nothing says so. */
  readonly evidence: Evidence | null;
  /** How it ended, when it did. */
  readonly end: OffReason | null;
  readonly health: readonly Health[];
  readonly reason: string | null;
  readonly actions: readonly Action[];
}

export interface RunView {
  readonly id: string;
  readonly origin: RunOrigin;
  readonly scope: RunScope;
  readonly phase: RunPhase | 'done';
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly restarted: readonly string[];
  readonly skipped: readonly KeyedReason[];
  readonly failed: readonly KeyedReason[];
  readonly log: string | null;
  /** How its commands ended; null while it runs. */
  readonly outcome: RunEnd['kind'] | null;
  /** Why it failed, in half a sentence; null where it did not, or runs. */
  readonly reason: string | null;
  /** Somebody looked at its summary. */
  readonly seen: boolean;
}

export interface FailureView {
  readonly key: string;
  readonly kind: FailureKind;
  readonly at: string;
  readonly text: string;
}

/** The fleet's part of `status --json`; who looked, and in which order, is the caller's to add. */
export interface FleetView {
  readonly schema: 1;
  readonly checkedAt: string | null;
  readonly imagesCheckedAt: string | null;
  readonly blindSince: string | null;
  readonly sandy: {
    readonly path: string;
    readonly version: string;
    readonly schemaVersion: number | null;
    readonly capabilities: readonly string[];
  } | null;
  readonly docker: 'ok' | 'unreachable' | 'unknown';
  readonly badge: { readonly state: BadgeState; readonly count: number | null };
  readonly sessions: readonly SessionView[];
  readonly run:
    | (RunView & {
        readonly current: string | null;
        readonly progress: readonly [number, number | null];
      })
    | null;
  readonly lastRun: RunView | null;
  readonly failures: readonly FailureView[];
  /** Quiet hours that hold now, and how many notices they hold back. */
  readonly quiet: { readonly until: string; readonly held: number } | null;
  readonly poll: {
    readonly mode: PollMode;
    /** Counted from `checkedAt`, or from the last failed poll. */
    readonly nextInMs: number;
    readonly reason: PollReason;
    readonly lastMs: number | null;
    /** Counts the polls of this epoch. */
    readonly id: number;
    /** Awake, sighted time of this epoch; only differences mean anything. */
    readonly awakeMs: number;
  };
}

/** Everything a person can see. `at` is the wall clock, for what depends on the hour alone. */
export function view(model: Model, at: number = model.polls.checkedAt ?? 0): FleetView {
  const rows = [...model.rows.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  const next = nextPoll(model);
  const { polls, sight, sandy } = model;
  const lastMs = polls.tookMs[polls.lastMode];
  return {
    schema: 1,
    checkedAt: toIso(polls.checkedAt),
    imagesCheckedAt: toIso(polls.imagesCheckedAt),
    blindSince: sight.kind === 'blind' ? toIso(sight.since) : null,
    sandy:
      sandy === null
        ? null
        : {
            path: sandy.path,
            version: sandy.version,
            schemaVersion: sandy.schemaVersion,
            capabilities: nameCapabilities(sandy.capabilities),
          },
    docker: viewDocker(model),
    badge: viewBadge(model, rows),
    sessions: viewSessions(rows, model),
    run: model.run === null ? null : viewRun(model.run),
    lastRun: model.lastRun === null ? null : viewFinishedRun(model.lastRun),
    failures: rows.flatMap(viewFailure),
    quiet: viewQuiet(model, at),
    poll: {
      mode: next.mode,
      nextInMs: Math.round(next.delayMs),
      reason: next.reason,
      lastMs: lastMs === null ? null : Math.round(lastMs),
      id: polls.lastId,
      awakeMs: Math.round(model.clock.awakeMs),
    },
  };
}

function viewQuiet(model: Model, at: number): FleetView['quiet'] {
  const until = quietNow(model, at);
  return until === null ? null : { until: new Date(until).toISOString(), held: model.held.length };
}

function viewDocker(model: Model): FleetView['docker'] {
  switch (model.sight.kind) {
    case 'unlooked':
      return 'unknown';
    case 'sighted':
      return 'ok';
    case 'blind':
      return model.sight.reason === 'docker-unreachable' ? 'unreachable' : 'unknown';
  }
}

/** The first state that applies, in this order. */
function viewBadge(model: Model, rows: readonly Row[]): FleetView['badge'] {
  const failures = rows.filter((row) => row.failure !== null).length;
  if (failures > 0) return { state: 'attention', count: failures };
  if (model.run !== null) {
    const { total, restarts } = model.run;
    return {
      state: 'updating',
      count: total === null ? null : Math.max(0, total - restarts.length),
    };
  }
  if (model.sight.kind !== 'sighted') return { state: 'unknown', count: 0 };
  const stale = rows.filter((row) => row.phase.kind === 'up' && row.imageStale === true).length;
  return stale > 0 ? { state: 'stale', count: stale } : { state: 'ok', count: 0 };
}

function viewSessions(rows: readonly Row[], model: Model): SessionView[] {
  // After a start most rows have one instant in common, and writing it is most of the work.
  let last = { at: Number.NaN, iso: '' };
  return rows.map((row) => {
    if (row.since !== last.at) last = { at: row.since, iso: new Date(row.since).toISOString() };
    return viewSession(row, last.iso, model);
  });
}

function viewSession(row: Row, since: string, model: Model): SessionView {
  const { phase } = row;
  const health = viewHealth(row, model);
  // What is listed now is the life that counts; the baseline speaks only while nothing else is.
  const life =
    phase.kind === 'away' && phase.listed !== null ? phase.listed.incarnation : row.incarnation;
  return {
    key: row.key,
    workspace: row.workspace,
    state: stateOf(phase),
    since,
    imageStale: phase.kind === 'up' && phase.absence === null ? row.imageStale : null,
    attachedClients: phase.kind === 'up' && phase.absence === null ? phase.clients : null,
    waitingShims: model.waiters.get(row.key)?.count ?? 0,
    startedAt: writeStampAsIso(life?.startedAt ?? null),
    updatedAt: writeStampAsIso(life?.updatedAt ?? null),
    incarnation: nameListed(phase, row),
    evidence: absenceOf(phase)?.evidence ?? null,
    end: phase.kind === 'off' ? phase.why : null,
    health,
    reason: explain(row, health, model),
    actions: viewActions(row, model),
  };
}

function nameListed(phase: Row['phase'], row: Row): string | null {
  switch (phase.kind) {
    case 'up':
      return phase.absence === null && row.incarnation !== null
        ? nameIncarnation(row.incarnation)
        : null;
    case 'away':
      return phase.listed === null ? null : nameIncarnation(phase.listed.incarnation);
    case 'off':
      return phase.unanswered === null ? null : nameIncarnation(phase.unanswered);
  }
}

function viewHealth(row: Row, model: Model): Health[] {
  const { phase } = row;
  const health: Health[] = [];
  if (phase.kind === 'up' && phase.clients === null && phase.nullMs >= model.windows.zombieMs) {
    health.push('zombie');
  }
  const ready = phase.kind === 'up' && phase.absence === null && phase.clients !== null;
  if (ready && (row.holder === 'free' || row.holder === 'dead')) health.push('supervisor-lost');
  if (row.workspaceExists === false) health.push('workspace-missing');
  if (row.conflict) health.push('conflict');
  return health;
}

/** One sentence on why the row is as it is, where there is anything to say. */
function explain(row: Row, health: readonly Health[], model: Model): string | null {
  if (health.includes('conflict')) return texts.reasonConflict;
  if (row.failure !== null) return row.failure.text;
  const { phase } = row;
  if (phase.kind === 'away') {
    const { absence, listed } = phase;
    const lingers =
      absence.evidence === null &&
      listed === null &&
      row.holder === 'alive' &&
      absence.spentMs >= model.windows.lingerMs;
    if (lingers) return texts.reasonLinger;
    if (listed !== null || isStarting(row, absence)) return texts.reasonStarting;
    return absence.evidence === null ? texts.reasonGone : texts.reasonUpdating;
  }
  if (health.includes('zombie')) return texts.reasonZombie;
  if (phase.kind === 'up' && phase.clients === null) return texts.reasonNoAnswer;
  if (health.includes('workspace-missing')) return texts.reasonWorkspaceMissing;
  if (health.includes('supervisor-lost')) return texts.reasonSupervisorLost;
  if (phase.kind === 'off') return offReasons[phase.why];
  return null;
}

const offReasons: Readonly<Record<(Row['phase'] & { kind: 'off' })['why'], string>> = {
  stopped: texts.reasonStopped,
  quit: texts.reasonQuit,
  ended: texts.reasonEnded,
  'update-failed': texts.reasonDown,
  late: texts.reasonDown,
  'not-attachable': texts.reasonDown,
};

/** What a person can do with the row now, as far as this sandy can do it. */
function viewActions(row: Row, model: Model): Action[] {
  const can = model.sandy?.capabilities ?? null;
  const actions: Action[] = [];
  const { phase } = row;
  const folderKnown = row.workspace !== null && row.workspaceExists !== false;
  if (can !== null && !row.conflict && folderKnown) {
    const listed = phase.kind === 'up' || (phase.kind === 'away' && phase.listed !== null);
    if (phase.kind === 'off') {
      if (can.start) actions.push('start');
    } else if (can.attach) actions.push('open');
    if (phase.kind === 'up' && can.updateSessions) actions.push('update');
    if (listed && can.stop) actions.push('stop');
  }
  if (row.failure !== null) actions.push('ack');
  return actions;
}

function viewFailure(row: Row): FailureView[] {
  if (row.failure === null) return [];
  const { kind, at, text } = row.failure;
  return [{ key: row.key, kind, at: new Date(at).toISOString(), text }];
}

function viewRun(run: Run): NonNullable<FleetView['run']> {
  return {
    id: run.id,
    origin: run.origin,
    scope: run.scope,
    phase: run.phase,
    startedAt: new Date(run.startedAt).toISOString(),
    endedAt: null,
    restarted: run.restarts.map((restart) => restart.key),
    skipped: run.skipped,
    failed: run.leftOut,
    log: run.log,
    outcome: null,
    reason: null,
    seen: false,
    current: run.current,
    progress: [run.restarts.length, run.total],
  };
}

function viewFinishedRun(run: FinishedRun): RunView {
  return {
    ...run,
    phase: 'done',
    startedAt: new Date(run.startedAt).toISOString(),
    endedAt: new Date(run.endedAt).toISOString(),
  };
}

/** Whether the sandy that a view names could not say what it can do: that is no sign of age. */
export function isMute({
  schemaVersion,
  capabilities,
}: Pick<NonNullable<FleetView['sandy']>, 'schemaVersion' | 'capabilities'>): boolean {
  return schemaVersion === null && capabilities.length === 0;
}

/** The sandy that a view names, as whoever looked knew it. */
export function readSandyInfo(sandy: NonNullable<FleetView['sandy']>): SandyInfo {
  const can = (name: string) => sandy.capabilities.includes(name);
  return {
    path: sandy.path,
    version: sandy.version,
    schemaVersion: sandy.schemaVersion,
    schemaRead: !isMute(sandy),
    capabilities: {
      attach: can('attach'),
      start: can('start'),
      stop: can('stop'),
      updateSessions: can('update-sessions'),
    },
  };
}

function nameCapabilities(capabilities: Capabilities): string[] {
  const names: string[] = [];
  if (capabilities.attach) names.push('attach');
  if (capabilities.start) names.push('start');
  if (capabilities.stop) names.push('stop');
  if (capabilities.updateSessions) names.push('update-sessions');
  return names;
}

function toIso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
