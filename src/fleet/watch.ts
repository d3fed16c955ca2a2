/**
 * The return watch: what one sighted look makes of one session. Three phases (`up`, `away`, `off`);
 * `observe` takes in the facts, `judge` gives the verdicts that time alone brings.
 */

import type { FleetEvent, NoticeKind } from './events.ts';
import {
  isSameIncarnation,
  isUpdateOf,
  mergeIncarnation,
  nameIncarnation,
  parseStamp,
} from './incarnation.ts';
import type { Incarnation, Lock, SandboxSight, SessionSight } from './observation.ts';
import {
  type Absence,
  absenceOf,
  type Evidence,
  type Failure,
  type Holder,
  isStarting,
  type Phase,
  type RememberedStep,
  type Row,
  stateOf,
} from './session.ts';
import { texts } from './texts.ts';
import type { Windows } from './windows.ts';

/** What a look showed of one session. */
export interface Sample {
  readonly session: SessionSight | null;
  readonly sandbox: SandboxSight | null;
  /** A stop that we asked for is still due to show. */
  readonly stopIntended: boolean;
  /** Another session was lately seen back from an update: rule (d) of evidence. */
  readonly othersUpdated: boolean;
}

/** The look itself: what is the same for every session of it. */
export interface Look {
  readonly at: number;
  readonly elapsedMs: number;
  readonly awakeMs: number;
  /** The last sighting was long ago: an update may have come and gone. */
  readonly late: boolean;
  /** False after a gap: facts are taken in, but no window may run out. */
  readonly verdicts: boolean;
  /** This sandy may have `--update-sessions`; where it says that it has none, nothing is awaited. */
  readonly canUpdate: boolean;
  readonly windows: Windows;
}

export interface Step {
  readonly row: Row;
  readonly events: readonly FleetEvent[];
  /** An absence was noticed now: somebody should look for update processes, once. */
  readonly vanishing: boolean;
}

/** Takes the facts of one sighted look into a row. Never gives a verdict by time. */
export function observe(row: Row, sample: Sample, look: Look): Step {
  const known = takeSandbox(row, sample.sandbox);
  const { session } = sample;
  if (session === null) return observeAbsent(known, sample, look);
  const listed = takeLock(known, sample.sandbox?.lock ?? { kind: 'unknown' });
  return session.attachedClients === null
    ? observeUnanswered(listed, session, look)
    : observeReady(listed, session, session.attachedClients, look);
}

/**
 * A row for a session seen for the first time. Without an answer from inside it is starting, unless
 * its container is old: then nothing is starting there any more.
 */
export function newRow(session: SessionSight, sandbox: SandboxSight | null, look: Look): Row {
  const blank: Row = {
    key: session.key,
    workspace: null,
    workspaceExists: null,
    phase: { kind: 'off', why: 'ended', unanswered: null },
    since: look.at,
    incarnation: null,
    resumptions: 0,
    hadClient: false,
    imageStale: session.imageStale,
    holder: 'unknown',
    holderPid: null,
    restarting: false,
    updateSeenAwakeMs: null,
    failure: null,
    conflict: false,
    sandboxGone: false,
  };
  const createdAt = parseStamp(session.incarnation.startedAt);
  const old = createdAt !== null && look.at - createdAt >= look.windows.notAttachableMs;
  const up: Phase = {
    kind: 'up',
    clients: session.attachedClients,
    nullMs: 0,
    absence: null,
    failedStep: null,
  };
  const baseline =
    old || session.attachedClients !== null
      ? { ...blank, phase: up, incarnation: session.incarnation }
      : blank;
  const sample: Sample = { session, sandbox, stopIntended: false, othersUpdated: false };
  return observe(baseline, sample, { ...look, elapsedMs: 0 }).row;
}

/** Gives the verdicts that are due: alarm, ended, down. `othersUpdated` is rule (d) of evidence. */
export function judge(row: Row, look: Look, othersUpdated: boolean): Step {
  let next = row;
  const absence = absenceOf(row.phase);
  if (othersUpdated && absence?.late === true) {
    next = withAbsence(row, addEvidence(absence, 'others-updated'));
  }
  if (!look.verdicts || next.phase.kind !== 'away') return quietStep(next);
  return judgeAway(next, next.phase, look);
}

function judgeAway(row: Row, phase: Phase & { kind: 'away' }, look: Look): Step {
  const { windows } = look;
  const { absence, listed, alarmed } = phase;
  const spokenMs = absence.spentMs * windows.timeScale;
  if (listed !== null && listed.nullMs >= windows.notAttachableMs) {
    const text = texts.notAttachable(row.key, listed.nullMs * windows.timeScale);
    return goDown(row, 'not-attachable', text, alarmed ? null : 'late', look, listed.incarnation);
  }
  if (absence.spentMs >= windows.watchMs && alarmed) {
    const unanswered = listed?.incarnation ?? null;
    return goDown(row, 'late', texts.down(row.key, spokenMs), null, look, unanswered);
  }
  if (absence.spentMs < windows.returnMs || alarmed) return quietStep(row);
  if (absence.evidence !== null) {
    const isUp = listed !== null || isStarting(row, absence);
    const text =
      phase.origin === 'started'
        ? texts.lateStart(row.key, spokenMs)
        : texts.late(row.key, spokenMs, isUp);
    // Somebody was told of it already, and nothing has been mended since.
    const noticeKind = row.failure === null ? 'late' : null;
    const incident = incidentOf(row, 'late');
    return {
      row: enter(
        { ...row, failure: { kind: 'late', at: look.at, incident, text } },
        { ...phase, alarmed: true },
        look,
      ),
      events: [{ at: look.at, kind: 'late', key: row.key, incident, noticeKind, text }],
      vanishing: false,
    };
  }
  // Listed without an answer and without evidence: somebody's start, which may take its time.
  if (listed !== null) return quietStep(row);
  return {
    row: enter(row, { kind: 'off', why: 'ended', unanswered: null }, look),
    events: [eventOf(row, 'ended', texts.ended(row.key), look, 'ended')],
    vanishing: false,
  };
}

function observeReady(row: Row, session: SessionSight, clients: number, look: Look): Step {
  if (isAsBefore(row, session, clients)) return quietStep(row);
  const baseline = row.incarnation;
  const same = baseline !== null && isSameIncarnation(baseline, session.incarnation);
  const updated = isBackUpdated(row, session);
  const resumed = same && row.phase.kind !== 'up';
  const failedStep = same ? ageFailedStep(failedStepOf(row.phase), look) : null;
  const next = enter(
    {
      ...row,
      incarnation: same ? mergeIncarnation(baseline, session.incarnation) : session.incarnation,
      resumptions: same ? row.resumptions + (resumed ? 1 : 0) : 0,
      hadClient: same ? row.hadClient : hadClient(row),
      imageStale: session.imageStale ?? (same ? row.imageStale : null),
      restarting: same && row.restarting,
      updateSeenAwakeMs: updated ? look.awakeMs : row.updateSeenAwakeMs,
      failure: null,
    },
    { kind: 'up', clients, nullMs: 0, absence: null, failedStep },
    look,
  );
  return { row: next, events: describeReturn(row, next, same, updated, look), vanishing: false };
}

/** Ready under another life than the one we knew, and an update made it. */
export function isBackUpdated({ incarnation }: Row, session: SessionSight): boolean {
  if (session.attachedClients === null || incarnation === null) return false;
  if (isSameIncarnation(incarnation, session.incarnation)) return false;
  return isUpdateOf(incarnation, session.incarnation);
}

/** Ready as it was: what most looks show of most sessions. */
function isAsBefore(row: Row, session: SessionSight, clients: number): boolean {
  const { phase, incarnation, failure, imageStale } = row;
  if (phase.kind !== 'up' || phase.clients !== clients) return false;
  if (phase.nullMs !== 0 || phase.absence !== null || phase.failedStep !== null) return false;
  const { id, startedAt, updatedAt } = session.incarnation;
  return (
    failure === null &&
    incarnation?.id === id &&
    incarnation.startedAt === startedAt &&
    incarnation.updatedAt === updatedAt &&
    (session.imageStale ?? imageStale) === imageStale
  );
}

/** What to say of a session that is ready and was not, or is ready under another incarnation. */
function describeReturn(
  before: Row,
  after: Row,
  same: boolean,
  updated: boolean,
  look: Look,
): FleetEvent[] {
  const { phase } = before;
  const events: FleetEvent[] = [];
  const spentMs = (absenceOf(phase)?.spentMs ?? 0) * look.windows.timeScale;
  if (wasOff(phase)) {
    events.push(eventOf(after, 'started', texts.started(after.key), look));
  } else if (updated) {
    events.push(eventOf(after, 'restarted', texts.restarted(after.key), look));
  } else if (!same) {
    events.push(eventOf(after, 'returned', texts.restartedByHand(after.key), look));
  } else if (phase.kind === 'away') {
    events.push(eventOf(after, 'returned', texts.resumed(after.key, spentMs), look));
  }
  if (before.failure !== null) {
    // Once it was down, the time since then is not the time that it was away.
    const counted = phase.kind === 'away' && phase.alarmed;
    const text = counted ? texts.back(after.key, spentMs) : texts.backAfterFailure(after.key);
    const incident = before.failure.incident;
    events.push({ at: look.at, kind: 'back', key: after.key, incident, noticeKind: 'back', text });
  }
  return events;
}

/** Out of a plain end it is a start, in no summary; out of a failure it is a return. */
function wasOff(phase: Phase): boolean {
  switch (phase.kind) {
    case 'up':
      return false;
    case 'away':
      return phase.origin === 'started';
    case 'off':
      return phase.why === 'stopped' || phase.why === 'quit' || phase.why === 'ended';
  }
}

function observeUnanswered(row: Row, session: SessionSight, look: Look): Step {
  const { phase } = row;
  const imageStale = session.imageStale ?? row.imageStale;
  // Only an answer or another life takes back the verdict that nobody can attach to this one.
  if (phase.kind === 'off' && phase.unanswered !== null) {
    if (isSameIncarnation(phase.unanswered, session.incarnation)) return quietStep(row);
  }
  if (row.incarnation !== null && isSameIncarnation(row.incarnation, session.incarnation)) {
    const nullMs =
      phase.kind === 'up' && phase.clients === null ? phase.nullMs + look.elapsedMs : 0;
    // Only being ready for long enough takes a failed step back.
    const failedStep = failedStepOf(phase);
    const up: Phase = { kind: 'up', clients: null, nullMs, absence: null, failedStep };
    const incarnation = mergeIncarnation(row.incarnation, session.incarnation);
    return quietStep(enter({ ...row, incarnation, imageStale }, up, look));
  }
  const updated = row.incarnation !== null && isUpdateOf(row.incarnation, session.incarnation);
  const evidence = updated ? 'updated-incarnation' : null;
  if (phase.kind === 'away') {
    const stillThis =
      phase.listed !== null && isSameIncarnation(phase.listed.incarnation, session.incarnation);
    const nullMs = stillThis && phase.listed !== null ? phase.listed.nullMs + look.elapsedMs : 0;
    // Who holds the lock of the newer life may linger after it, too.
    const spent = { ...spend(phase.absence, look), ...locksOf(row) };
    const absence = addEvidence(spent, evidence);
    const listed = { incarnation: session.incarnation, nullMs };
    return quietStep(enter({ ...row, imageStale: null }, { ...phase, absence, listed }, look));
  }
  const open = phase.kind === 'up' ? phase.absence : null;
  const absence = addEvidence(
    open === null ? openAbsence(row, look, 'none') : spend(open, look),
    evidence,
  );
  const away: Phase = {
    kind: 'away',
    origin: wasOff(phase) ? 'started' : 'vanished',
    absence,
    listed: { incarnation: session.incarnation, nullMs: 0 },
    alarmed: false,
    failedStep: failedStartOf(phase),
  };
  const events =
    phase.kind === 'up' ? [eventOf(row, 'vanished', texts.vanished(row.key), look)] : [];
  return { row: enter({ ...row, imageStale: null }, away, look), events, vanishing: false };
}

function observeAbsent(row: Row, sample: Sample, look: Look): Step {
  const lock = sample.sandbox?.lock ?? { kind: 'unknown' as const };
  const held = { ...row, holder: holderOf(lock) };
  switch (held.phase.kind) {
    case 'off':
      return quietStep(held);
    case 'up':
      return held.phase.absence === null
        ? noticeAbsent(held, held.phase, readLock(openAbsence(row, look, 'asked'), lock), look)
        : confirmAbsent(held, held.phase, held.phase.absence, sample, lock, look);
    case 'away': {
      if (sample.stopIntended) return stop(held, look);
      // It had been absent for two looks before: one that lacks it now is enough.
      const { failedStep } = held.phase;
      if (failedStep !== null) return failUpdate(held, failedStep.step, look);
      const absence = readLock(spend(held.phase.absence, look), lock);
      return quietStep(enter(held, { ...held.phase, absence, listed: null }, look));
    }
  }
}

/** The first absent sample: already shown and polled as missing, but it may be a hiccup. */
function noticeAbsent(row: Row, phase: Phase & { kind: 'up' }, absence: Absence, look: Look): Step {
  if (!look.canUpdate) {
    return {
      row: enter(row, { kind: 'off', why: 'ended', unanswered: null }, look),
      events: [eventOf(row, 'ended', texts.endedNoUpdates(row.key), look, 'ended')],
      vanishing: false,
    };
  }
  return { row: enter(row, { ...phase, absence }, look), events: [], vanishing: true };
}

/** The second absent sample: it is gone, and what was seen before says in which way. */
function confirmAbsent(
  row: Row,
  phase: Phase & { kind: 'up' },
  open: Absence,
  sample: Sample,
  lock: Lock,
  look: Look,
): Step {
  if (sample.stopIntended) return stop(row, look);
  if (phase.failedStep !== null) return failUpdate(row, phase.failedStep.step, look);
  const others = open.late && sample.othersUpdated ? 'others-updated' : null;
  const absence = addEvidence(readLock(spend(open, look), lock), others);
  if (phase.nullMs >= look.windows.quitMs && absence.evidence === null) {
    return {
      row: enter(row, { kind: 'off', why: 'quit', unanswered: null }, look),
      events: [eventOf(row, 'quit', texts.quit(row.key), look, 'ended')],
      vanishing: false,
    };
  }
  const away: Phase = {
    kind: 'away',
    origin: 'vanished',
    absence,
    listed: null,
    alarmed: false,
    failedStep: null,
  };
  return {
    row: enter(row, away, look),
    events: [eventOf(row, 'vanished', texts.vanished(row.key), look)],
    vanishing: false,
  };
}

function stop(row: Row, look: Look): Step {
  return {
    row: enter({ ...row, failure: null }, { kind: 'off', why: 'stopped', unanswered: null }, look),
    events: [eventOf(row, 'stopped', texts.stopped(row.key), look)],
    vanishing: false,
  };
}

/** Our run reported a failed step and the session is gone: down at once, with the reason we know. */
export function failUpdate(row: Row, step: RememberedStep['step'], look: Pick<Look, 'at'>): Step {
  const text = texts.updateFailed(row.key, step);
  const alarmed = row.phase.kind === 'away' && row.phase.alarmed;
  return goDown(row, 'update-failed', text, alarmed ? null : 'failed', look);
}

function goDown(
  row: Row,
  why: 'late' | 'update-failed' | 'not-attachable',
  text: string,
  noticeKind: NoticeKind | null,
  look: Pick<Look, 'at'>,
  unanswered: Incarnation | null = null,
): Step {
  // The alarm and the verdict that follows it are one incident: told once.
  const incident = incidentOf(row, 'late');
  // An acknowledged alarm stays acknowledged: the verdict changes the phase, not the pin.
  const acknowledged = row.phase.kind === 'away' && row.phase.alarmed && row.failure === null;
  const failure: Failure | null = acknowledged ? null : { kind: why, at: look.at, incident, text };
  return {
    row: enter({ ...row, failure }, { kind: 'off', why, unanswered }, look),
    events: [{ at: look.at, kind: 'down', key: row.key, incident, noticeKind, text }],
    vanishing: false,
  };
}

/** The only writer of `phase`: it stamps `since` when what people see changes. */
function enter(row: Row, phase: Phase, look: Pick<Look, 'at'>): Row {
  const since = stateOf(phase) === stateOf(row.phase) ? row.since : look.at;
  const restarting = row.restarting && phase.kind !== 'off';
  const leaves = phase.kind !== 'up' || phase.clients === null;
  return { ...row, phase, since, restarting, hadClient: leaves ? hadClient(row) : row.hadClient };
}

/** Whether somebody is attached, or was when that could last be told. */
function hadClient({ phase, hadClient: before }: Row): boolean {
  return phase.kind === 'up' && phase.clients !== null ? phase.clients > 0 : before;
}

/** Puts an absence with more evidence in the place of the one that is there. */
export function withAbsence(row: Row, absence: Absence): Row {
  if (row.phase.kind === 'off') return row;
  return { ...row, phase: { ...row.phase, absence } };
}

function openAbsence(row: Row, look: Look, asked: 'asked' | 'none'): Absence {
  return {
    at: look.at,
    spentMs: 0,
    late: look.late,
    ...locksOf(row),
    look: asked,
    evidence: row.restarting ? 'own-run' : null,
  };
}

/** What an absence compares the lock with: how it was while the session was listed. */
function locksOf(row: Row): Pick<Absence, 'oldHolder' | 'freeSeen'> {
  return { oldHolder: row.holderPid, freeSeen: row.holder === 'free' };
}

function spend(absence: Absence, look: Look): Absence {
  return { ...absence, spentMs: absence.spentMs + look.elapsedMs };
}

/** The first evidence stays: it is what the alarm will speak of. */
export function addEvidence(absence: Absence, evidence: Evidence | null): Absence {
  return absence.evidence === null ? { ...absence, evidence } : absence;
}

/**
 * Rule (b): no container, and the lock is held by a live process other than the one before, or held
 * again after it was seen free. The old holder may keep it for half a minute after any stop.
 */
function readLock(absence: Absence, lock: Lock): Absence {
  switch (lock.kind) {
    case 'unknown':
      return absence;
    case 'free':
      return { ...absence, freeSeen: true };
    case 'held': {
      const another = absence.oldHolder !== null && lock.pid !== absence.oldHolder;
      const known = another ? { ...absence, freeSeen: true } : absence;
      return addEvidence(known, lock.alive && known.freeSeen ? 'start-in-progress' : null);
    }
  }
}

/** Like `takeLock`, the same row when nothing is new: copies of all rows would be most of a look's work. */
function takeSandbox(row: Row, sandbox: SandboxSight | null): Row {
  if (sandbox === null) return row;
  const workspace = sandbox.workspace ?? row.workspace;
  const { workspaceExists } = sandbox;
  const known = workspace === row.workspace && workspaceExists === row.workspaceExists;
  return known ? row : { ...row, workspace, workspaceExists };
}

function takeLock(row: Row, lock: Lock): Row {
  const holderPid = lock.kind === 'held' ? lock.pid : lock.kind === 'free' ? null : row.holderPid;
  const holder = holderOf(lock);
  const known = holder === row.holder && holderPid === row.holderPid;
  return known ? row : { ...row, holder, holderPid };
}

function holderOf(lock: Lock): Holder {
  if (lock.kind !== 'held') return lock.kind;
  return lock.alive ? 'alive' : 'dead';
}

function failedStepOf(phase: Phase): RememberedStep | null {
  return phase.kind === 'off' ? null : phase.failedStep;
}

/** What a new life without an answer inherits: the start that failed may be its own, the stop was not. */
function failedStartOf(phase: Phase): RememberedStep | null {
  const failedStep = failedStepOf(phase);
  return failedStep?.step === 'start' ? failedStep : null;
}

function ageFailedStep(failedStep: RememberedStep | null, look: Look): RememberedStep | null {
  if (failedStep === null) return null;
  const ageMs = failedStep.ageMs + look.elapsedMs;
  return ageMs >= look.windows.returnMs ? null : { ...failedStep, ageMs };
}

function incidentOf(row: Row, kind: string): string {
  const { incarnation, phase } = row;
  // One that was never ready has no life to be named by; when it was first seen is as unique.
  const unnamed = `unready@${absenceOf(phase)?.at ?? row.since}`;
  const life = incarnation === null ? unnamed : nameIncarnation(incarnation);
  const times = row.resumptions === 0 ? '' : `.${row.resumptions}`;
  return `${kind}:${row.key}:${life}${times}`;
}

function eventOf(
  row: Row,
  kind: FleetEvent['kind'],
  text: string,
  look: Pick<Look, 'at'>,
  noticeKind: NoticeKind | null = null,
): FleetEvent {
  return { at: look.at, kind, key: row.key, incident: incidentOf(row, kind), noticeKind, text };
}

function quietStep(row: Row): Step {
  return { row, events: [], vanishing: false };
}
