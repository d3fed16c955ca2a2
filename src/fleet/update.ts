/**
 * The fleet's one writer: a model and a message give the next model and what to do about it. Pure and
 * total: it reads no clock, no file and no environment, and it never throws.
 */

import { type AwakeClock, awakeAt, tickBlind, tickSighted } from './awake-clock.ts';
import { nextPoll } from './cadence.ts';
import type { FleetEvent } from './events.ts';
import type { KeyedReason } from './finished-run.ts';
import type { Effect, Message, UpdateProcess } from './message.ts';
import type { Model, PollWish } from './model.ts';
import { applyNoticePolicy } from './notice-policy.ts';
import {
  type Blindness,
  mayUpdate,
  type SandboxSight,
  type SessionSight,
  type Sighting,
} from './observation.ts';
import { decideClosing, finishRun, newRun, type Run, trackRun } from './runs.ts';
import { type Absence, absenceOf, type Failure, type Row } from './session.ts';
import { texts } from './texts.ts';
import {
  addEvidence,
  failUpdate,
  isBackUpdated,
  judge,
  type Look,
  newRow,
  observe,
  withAbsence,
} from './watch.ts';

export type Update = readonly [Model, readonly Effect[]];

/** Takes one message into the model. */
export function update(model: Model, message: Message): Update {
  const [taken, effects] = takeMessage(model, message);
  const next = message.kind === 'polled' ? taken : prolongPlan(taken);
  return applyNoticePolicy(next, effects, message.at);
}

/** A wait that becomes longer between two polls, as when the last shim leaves, must not look like sleep. */
function prolongPlan(model: Model): Model {
  const plannedDelayMs = nextPoll(model).delayMs;
  if (plannedDelayMs <= model.clock.plannedDelayMs) return model;
  return { ...model, clock: { ...model.clock, plannedDelayMs } };
}

function takeMessage(model: Model, message: Message): Update {
  switch (message.kind) {
    case 'polled':
      return message.id <= model.polls.lastId ? [model, []] : takePoll(model, message);
    case 'looked':
      return takeLook(model, message.processes, message.at);
    case 'sandy-found':
      return [message.sandy === model.sandy ? model : { ...model, sandy: message.sandy }, []];
    case 'settings-changed':
      return [
        { ...model, windows: message.windows, notify: message.notify, quiet: message.quiet },
        [],
      ];
    case 'ticked':
      return [{ ...model, utcOffsetMinutes: message.utcOffsetMinutes }, []];
    case 'hinted':
      return [hinting(model, message.at), []];
    case 'woke':
      return [wishing(model, 'wake', message.at), []];
    case 'refresh-asked':
      return [wishing(model, 'refresh', message.at), []];
    case 'waiters-changed':
      return [takeWaiters(model, message.key, message.count, message.at), []];
    case 'stop-intended': {
      const askedAwakeMs = awakeAt(model.clock, message.at);
      const stopIntents = new Map(model.stopIntents).set(message.key, askedAwakeMs);
      return [{ ...model, stopIntents }, []];
    }
    case 'stop-failed': {
      const stopIntents = new Map(model.stopIntents);
      stopIntents.delete(message.key);
      return [{ ...model, stopIntents }, []];
    }
    case 'acknowledged':
      return [acknowledge(model, message.key), []];
    case 'run-began': {
      const { id, origin, scope, log, at } = message;
      // One that still settles is summed up now: nothing would ever tell of it otherwise.
      const [before, summed] = closeRun(model, at);
      const run = newRun({ id, origin, scope, log, startedAt: at }, model.windows.settleMs);
      const event: FleetEvent = {
        at,
        kind: 'run-started',
        key: null,
        incident: `run-started:${id}`,
        noticeKind: null,
        text: texts.runStarted(scope),
      };
      return [{ ...before, run }, [...summed, ...tell([event])]];
    }
    case 'run-planned': {
      const { total, skipped } = message;
      return [withRun(model, (run) => ({ ...run, total, skipped })), []];
    }
    case 'run-left-out':
      return [withRun(model, (run) => leaveOut(run, message)), []];
    case 'run-built':
      return takeBuilding(model, message.phase, message.at);
    case 'run-restarting':
      return [takeRestarting(model, message.key, message.at), []];
    case 'run-step-failed':
      return takeFailedStep(model, message.key, message.step, message.at);
    case 'run-ended': {
      const { end } = message;
      const next = withRun(model, (run) => ({ ...run, end: run.end ?? end, current: null }));
      return [wishing(next, 'run-ended', message.at), []];
    }
    case 'run-seen': {
      const { lastRun } = model;
      if (lastRun?.id !== message.id) return [model, []];
      return [{ ...model, lastRun: { ...lastRun, seen: true } }, []];
    }
    case 'start-failed': {
      const { key, attempt, text, at } = message;
      return pin(model, key, { kind: 'start-failed', at, attempt, text });
    }
    case 'stuck': {
      const { keys, attempt, at } = message;
      let next: Update = [model, []];
      for (const key of keys) {
        const text = texts.stuck(key);
        const [pinned, effects] = pin(next[0], key, { kind: 'stuck', at, attempt, text });
        next = [pinned, [...next[1], ...effects]];
      }
      if (model.run?.id !== attempt) return next;
      // It would be open for ever: nobody will see any more how it ended.
      const [closed, summed] = closeRun(next[0], at);
      return [closed, [...next[1], ...summed]];
    }
  }
}

type Polled = Message & { readonly kind: 'polled' };

function takePoll(model: Model, polled: Polled): Update {
  const [next, effects] =
    polled.observation.kind === 'blind'
      ? takeBlind(model, polled, polled.observation)
      : takeSighting(model, polled, polled.observation);
  const { wish, hintedAt } = next;
  const granted = wish === null || (polled.mode === 'full' && !isAskedDuring(wish.askedAt, polled));
  const confirmed = hintedAt === null || !isAskedDuring(hintedAt, polled);
  const asked: Model = {
    ...next,
    wish: granted ? null : wish,
    hintedAt: confirmed ? null : hintedAt,
  };
  const plannedDelayMs = nextPoll(asked).delayMs;
  return [{ ...asked, clock: { ...asked.clock, plannedDelayMs } }, effects];
}

/** A poll that had begun before somebody asked for one may have missed what they asked for. */
function isAskedDuring(askedAt: number, { at, tookMs }: Polled): boolean {
  return askedAt <= at && askedAt > at - tookMs;
}

/** Blind is not gone: nothing moves but the sight itself. */
function takeBlind(model: Model, polled: Polled, blindness: Blindness): Update {
  const { reason, text } = blindness;
  const since = model.sight.kind === 'blind' ? model.sight.since : polled.at;
  const clock = tickBlind(model.clock, polled);
  const next: Model = {
    ...model,
    sight: { kind: 'blind', since, reason, text },
    clock,
    polls: notePoll(model, polled, clock, false),
  };
  const [closed, summed] = isOverUntouched(model.run) ? closeRun(next, polled.at) : [next, []];
  if (model.sight.kind === 'blind') return [closed, summed];
  return [closed, [...tell([plainEvent(polled.at, 'blind', texts.blind(reason))]), ...summed]];
}

/** Our run's commands failed before any restart was announced: there is nothing to be seen of it. */
function isOverUntouched(run: Run | null): boolean {
  return run?.end?.kind === 'failed' && run.announced.length === 0 && run.restarts.length === 0;
}

function takeSighting(model: Model, polled: Polled, sighting: Sighting): Update {
  const { windows } = model;
  const tick = tickSighted(model.clock, polled);
  const look: Look = {
    at: polled.at,
    elapsedMs: tick.elapsedMs,
    awakeMs: tick.clock.awakeMs,
    late: tick.sinceSightingMs > windows.lateNoticeMs,
    verdicts: !tick.gap,
    canUpdate: mayUpdate(model.sandy),
    windows,
  };
  const seen: Model = {
    ...model,
    sight: { kind: 'sighted' },
    clock: tick.clock,
    polls: notePoll(model, polled, tick.clock, true),
    baselined: true,
  };
  const events: FleetEvent[] = [];
  if (model.sight.kind === 'blind') {
    const blindMs = Math.max(0, polled.at - model.sight.since) * windows.timeScale;
    events.push(plainEvent(polled.at, 'sighted', texts.sighted(blindMs)));
  } else if (tick.gap && model.clock.last !== null) {
    const gapMs = Math.max(0, polled.at - model.clock.last.at) * windows.timeScale;
    events.push(plainEvent(polled.at, 'slept', texts.slept(gapMs)));
  }
  const watched = watchRows(seen, sighting, look, model.baselined);
  events.push(...watched.events);
  const next = dropShownIntents({ ...seen, rows: watched.rows }, watched.events);
  const [closed, closing] = advanceRun(next, events, look);
  const effects = [...tell(events), ...closing];
  return [closed, watched.vanishing ? [...effects, { kind: 'look-for-updates' }] : effects];
}

interface Watched {
  readonly rows: ReadonlyMap<string, Row>;
  readonly events: readonly FleetEvent[];
  readonly vanishing: boolean;
}

/** All rows through one sighted look: facts first, then the verdicts that need all facts. */
function watchRows(model: Model, sighting: Sighting, look: Look, baselined: boolean): Watched {
  const sandboxes = new Map(sighting.sandboxes.map((sandbox) => [sandbox.key, sandbox]));
  const conflicts = findConflicts(sighting.sandboxes);
  // Newest first: where a dead life is still listed beside the new one, the new one counts.
  const sessions = new Map<string, SessionSight>();
  for (const session of sighting.sessions) {
    if (!sessions.has(session.key)) sessions.set(session.key, session);
  }
  // Of all rows before any is judged: evidence must not depend on whose turn comes first.
  const updated = findUpdated(model.rows, sessions, look);
  const othersUpdated = (row: Row) => updated.some((key) => key !== row.key);
  const events: FleetEvent[] = [];
  const observed: Row[] = [];
  let vanishing = false;
  for (const row of model.rows.values()) {
    const sandbox = sandboxes.get(row.key) ?? null;
    const session = sessions.get(row.key) ?? null;
    if (isForgotten(row, sandbox, session, look)) continue;
    const sample = {
      session,
      sandbox,
      stopIntended: isStopIntended(model, row.key, look),
      othersUpdated: othersUpdated(row),
    };
    const step = observe(row, sample, look);
    events.push(...step.events);
    vanishing ||= step.vanishing;
    const sandboxGone = sandbox === null;
    observed.push(sandboxGone === step.row.sandboxGone ? step.row : { ...step.row, sandboxGone });
  }
  const added: string[] = [];
  for (const [key, session] of sessions) {
    if (model.rows.has(key)) continue;
    observed.push(newRow(session, sandboxes.get(key) ?? null, look));
    added.push(key);
  }
  if (!baselined) {
    events.push(plainEvent(look.at, 'baseline', texts.baseline(added.length)));
  } else {
    // One that is still starting is told of when it is ready.
    for (const key of added) {
      if (observed.some((row) => row.key === key && row.phase.kind === 'up')) {
        events.push(startedEvent(look.at, key, sessions.get(key)));
      }
    }
  }
  const rows = new Map<string, Row>();
  for (const row of observed) {
    const step = judge(row, look, othersUpdated(row));
    events.push(...step.events);
    const conflict = conflicts.has(row.key);
    if (conflict && !row.conflict) events.push(conflictEvent(look.at, row.key));
    rows.set(row.key, conflict === step.row.conflict ? step.row : { ...step.row, conflict });
  }
  return { rows, events, vanishing };
}

/** The keys that an update was seen to have restarted lately, this look included. */
function findUpdated(
  rows: Model['rows'],
  sessions: ReadonlyMap<string, SessionSight>,
  look: Look,
): string[] {
  const updated = [...rows.values()].filter((row) => {
    const { key, updateSeenAwakeMs: seen } = row;
    if (seen !== null && look.awakeMs - seen <= look.windows.recentUpdateMs) return true;
    const session = sessions.get(key);
    return session !== undefined && isBackUpdated(row, session);
  });
  return updated.map((row) => row.key);
}

/** A row that is not running goes after a day, or when its sandbox was missing from two looks. */
function isForgotten(
  row: Row,
  sandbox: SandboxSight | null,
  session: SessionSight | null,
  look: Look,
): boolean {
  if (row.phase.kind !== 'off' || session !== null) return false;
  if (sandbox === null) return row.sandboxGone;
  return row.failure === null && look.at - row.since >= look.windows.forgetMs;
}

function isStopIntended(model: Model, key: string, look: Look): boolean {
  const askedAwakeMs = model.stopIntents.get(key);
  if (askedAwakeMs === undefined) return false;
  return look.awakeMs - askedAwakeMs <= look.windows.stopIntentMs;
}

/** An intent is spent by what it announced, or by a new life of its session. */
function dropShownIntents(model: Model, events: readonly FleetEvent[]): Model {
  const ending: ReadonlySet<FleetEvent['kind']> = new Set([
    'stopped',
    'restarted',
    'returned',
    'started',
  ] as const);
  const shown = events.filter((event) => ending.has(event.kind)).map((event) => event.key ?? '');
  if (!shown.some((key) => model.stopIntents.has(key))) return model;
  const stopIntents = new Map(model.stopIntents);
  for (const key of shown) stopIntents.delete(key);
  return { ...model, stopIntents };
}

/** The keys that two different workspaces claim. */
function findConflicts(sandboxes: readonly SandboxSight[]): ReadonlySet<string> {
  const claimed = new Map<string, string | null>();
  const conflicts = new Set<string>();
  for (const { key, workspace } of sandboxes) {
    const other = claimed.get(key);
    if (other !== undefined && other !== workspace) conflicts.add(key);
    claimed.set(key, workspace);
  }
  return conflicts;
}

/** Opens, advances and closes the run that the rows and events show. */
function advanceRun(model: Model, events: readonly FleetEvent[], look: Look): Update {
  const run = trackRun(model.run, model.rows, events, look);
  if (run === null) return [model, []];
  switch (decideClosing(run, model.rows, look).kind) {
    case 'open':
      return [{ ...model, run }, []];
    case 'ask':
      return [{ ...model, run: { ...run, asked: true } }, [{ kind: 'look-for-updates' }]];
    case 'close':
      return closeRun({ ...model, run }, look.at);
  }
}

function closeRun(model: Model, at: number): Update {
  if (model.run === null) return [model, []];
  const summed = finishRun(model.run, model.rows, at, model.windows.forgetMs);
  // The images were rebuilt: what is stale now has to be asked anew.
  const closed = wishing({ ...model, run: null, rows: unmarkAll(model.rows) }, 'run-ended', at);
  if (summed === null) return [closed, []];
  return [{ ...closed, lastRun: summed.finished }, tell([summed.event])];
}

/** The answer to the one look for update processes: rule (c) of evidence, and whether a run is over. */
function takeLook(model: Model, processes: readonly UpdateProcess[] | null, at: number): Update {
  const others = processes?.filter((process) => !process.ours && !process.dryRun) ?? null;
  const rows = new Map(model.rows);
  for (const row of model.rows.values()) {
    const absence = absenceOf(row.phase);
    if (absence === null || absence.look !== 'asked') continue;
    rows.set(row.key, withAbsence(row, answerLook(absence, row, others)));
  }
  const elapsedMs = 0;
  const run = trackRun(model.run, rows, [], { at, elapsedMs, windows: model.windows });
  const next: Model = { ...model, rows, run };
  if (run === null || !run.asked) return [next, []];
  if (others === null || others.length === 0) return closeRun(next, at);
  // Still at work: more may come. Ask again when it has been quiet for as long once more.
  const askAtMs = run.quietMs + model.windows.settleMs;
  return [{ ...next, run: { ...run, asked: false, askAtMs } }, []];
}

function answerLook(absence: Absence, row: Row, others: readonly UpdateProcess[] | null): Absence {
  if (others === null) return { ...absence, look: 'unknown' };
  const concerns = others.some(
    ({ workspace }) => workspace === null || workspace === row.workspace,
  );
  if (!concerns) return { ...absence, look: 'none' };
  return addEvidence({ ...absence, look: 'update' }, 'update-process');
}

function leaveOut(run: Run, { key, reason }: KeyedReason): Run {
  const others = run.leftOut.filter((one) => one.key !== key);
  return { ...run, leftOut: [...others, { key, reason }] };
}

/** A build moves, or has not for long; that it hangs is told once. */
function takeBuilding(model: Model, phase: 'building' | 'hung', at: number): Update {
  if (model.run === null || model.run.phase === phase) return [model, []];
  const next = withRun(model, (run) => ({ ...run, phase }));
  if (phase === 'building') return [next, []];
  const event: FleetEvent = {
    at,
    kind: 'run-hung',
    key: null,
    incident: `run:${model.run.id}`,
    noticeKind: 'failed',
    text: texts.runHung,
    runId: model.run.id,
  };
  return [next, tell([event])];
}

/** Our run announced a restart. A log that is read again says nothing new, and a stranger's key nothing at all. */
function takeRestarting(model: Model, key: string, at: number): Model {
  const { run } = model;
  if (run === null || !model.rows.has(key) || run.announced.includes(key)) return model;
  const known = run.restarts.some((restart) => restart.key === key);
  const marked = known ? model : withRow(model, key, markRestarting);
  const next = withRun(marked, () => ({
    ...run,
    announced: [...run.announced, key],
    phase: 'restarting',
    current: key,
    quietMs: 0,
  }));
  return hinting(next, at);
}

/** Our run reported a failed step: down at once when the session is gone, remembered while it is not. */
function takeFailedStep(model: Model, key: string, step: 'stop' | 'start', at: number): Update {
  const row = model.rows.get(key);
  const { run } = model;
  if (row === undefined || run?.stepsFailed.includes(key)) return [model, []];
  const noted = withRun(model, (one) => ({ ...one, stepsFailed: [...one.stepsFailed, key] }));
  // It is back from this very run: whatever failed, it did not keep it away.
  if (run?.restarts.some((restart) => restart.key === key)) return [noted, []];
  if (row.phase.kind === 'off') return [noted, []];
  if (row.phase.kind === 'up' || row.phase.listed !== null) {
    const phase = { ...row.phase, failedStep: { step, ageMs: 0 } };
    const remembered = withRow(noted, key, () => ({ ...row, phase }));
    return [hinting(remembered, at), []];
  }
  const failed = failUpdate(row, step, { at });
  return [withRow(noted, key, () => failed.row), tell(failed.events)];
}

/** Pins what a command of ours left undone, until the session is back or somebody takes it down. */
function pin(
  model: Model,
  key: string,
  failed: Pick<Failure, 'at' | 'text'> & {
    readonly kind: 'start-failed' | 'stuck';
    readonly attempt: string;
  },
): Update {
  const { kind, at, text, attempt } = failed;
  const incident = `${kind}:${key}:${attempt}`;
  const event: FleetEvent = {
    at,
    kind: kind === 'stuck' ? 'down' : 'start-failed',
    key,
    incident,
    noticeKind: 'failed',
    text,
  };
  const next = withRow(model, key, (row) => ({ ...row, failure: { kind, at, incident, text } }));
  return [next, tell([event])];
}

/** Our run's own word is evidence, also where a poll was quicker to see the session go. */
function markRestarting(row: Row): Row {
  const marked = { ...row, restarting: row.phase.kind !== 'off' };
  const absence = absenceOf(row.phase);
  return absence === null ? marked : withAbsence(marked, addEvidence(absence, 'own-run'));
}

/** A run that is over announces nothing any more: who vanishes later does so for another reason. */
function unmarkAll(rows: ReadonlyMap<string, Row>): ReadonlyMap<string, Row> {
  return new Map([...rows].map(([key, row]) => [key, { ...row, restarting: false }]));
}

function takeWaiters(model: Model, key: string, count: number, at: number): Model {
  const waiters = new Map(model.waiters);
  const sinceAwakeMs = waiters.get(key)?.sinceAwakeMs ?? awakeAt(model.clock, at);
  if (count > 0) waiters.set(key, { count, sinceAwakeMs });
  else waiters.delete(key);
  return { ...model, waiters };
}

function acknowledge(model: Model, key: string | null): Model {
  const rows = new Map(model.rows);
  for (const row of model.rows.values()) {
    if (row.failure === null || (key !== null && key !== row.key)) continue;
    rows.set(row.key, { ...row, failure: null });
  }
  return { ...model, rows };
}

/** `clock` is the one after the poll. */
function notePoll(
  { polls, wish }: Model,
  polled: Polled,
  clock: AwakeClock,
  sighted: boolean,
): Model['polls'] {
  const full = polled.mode === 'full';
  return {
    lastId: polled.id,
    checkedAt: sighted ? polled.at : polls.checkedAt,
    imagesCheckedAt: sighted && full ? polled.at : polls.imagesCheckedAt,
    fullSeenAwakeMs: full ? (sighted ? clock.awakeMs : null) : polls.fullSeenAwakeMs,
    fullCost: full && (sighted || wish === null) ? costOf(polled) : polls.fullCost,
    lastMode: polled.mode,
    tookMs: { ...polls.tookMs, [polled.mode]: polled.tookMs },
    blindStreak: sighted ? 0 : polls.blindStreak + 1,
  };
}

function costOf({ monoMs, tookMs }: Polled): NonNullable<Model['polls']['fullCost']> {
  return { endedMonoMs: monoMs, tookMs };
}

function wishing(model: Model, reason: PollWish['reason'], askedAt: number): Model {
  return { ...model, wish: { reason, askedAt } };
}

function hinting(model: Model, hintedAt: number): Model {
  return { ...model, hintedAt };
}

function withRun(model: Model, change: (run: NonNullable<Model['run']>) => Model['run']): Model {
  return model.run === null ? model : { ...model, run: change(model.run) };
}

function withRow(model: Model, key: string, change: (row: Row) => Row): Model {
  const row = model.rows.get(key);
  if (row === undefined) return model;
  return { ...model, rows: new Map(model.rows).set(key, change(row)) };
}

/** Whether a banner is due is the policy's to say, after the message was taken in. */
function tell(events: readonly FleetEvent[]): Effect[] {
  return events.map((event) => ({ kind: 'tell', event, notice: false, held: false }));
}

function plainEvent(at: number, kind: FleetEvent['kind'], text: string): FleetEvent {
  return { at, kind, key: null, incident: null, noticeKind: null, text };
}

function startedEvent(at: number, key: string, session: SessionSight | undefined): FleetEvent {
  const life = session?.incarnation.id ?? session?.incarnation.startedAt ?? 'unknown';
  const incident = `started:${key}:${life}`;
  return { at, kind: 'started', key, incident, noticeKind: null, text: texts.started(key) };
}

function conflictEvent(at: number, key: string): FleetEvent {
  const incident = `conflict:${key}`;
  return { at, kind: 'conflict', key, incident, noticeKind: null, text: texts.conflict(key) };
}
