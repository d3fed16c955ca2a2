/** The rows of updates: the one that runs, what the last one came to, and those that begin one. */

import { countLeftAlone } from '../fleet/finished-run.ts';
import type { FleetView, RunView } from '../fleet/view.ts';
import { nameKey } from './labels.ts';
import { makeAction, makeNote, makeNotes, makeSeparator, makeSubmenu } from './rows.ts';
import { sortSessions } from './session-rows.ts';
import { explainSandy, isBlind, type Situation } from './situation.ts';
import { originWords, texts } from './texts.ts';
import type { TrayAction, TrayItem } from './tray-picture.ts';

/** Who left a session alone for so long is hardly in the middle of something. */
const IDLE_MINUTES = 30;
const MAX_REASONS = 10;
/** A reason may hold the last words of sandy. */
const WHY_ROWS = 3;

type RunningView = NonNullable<FleetView['run']>;

/** The update that runs now, with its progress; nothing when none runs. */
export function drawRun({ fleet, extras }: Situation): TrayItem[] {
  const { run } = fleet;
  if (run === null) return [];
  const began = texts.began(extras.formatTime(run.startedAt), originWords[run.origin]);
  return [
    makeSubmenu('run', labelRun(run), [
      ...(run.phase === 'hung' ? makeNotes('run/hangs', texts.hangsWhy) : []),
      makeNote('run/began', began),
      makeAction({
        id: 'run/output',
        label: texts.showOutput,
        why: run.log === null ? texts.noOutput : null,
        action: { kind: 'show-run-log', id: run.id },
      }),
      makeAction({
        id: 'run/cancel',
        label: texts.cancel,
        why: explainNoCancel(run),
        action: { kind: 'cancel' },
      }),
    ]),
  ];
}

function labelRun(run: RunningView): string {
  const [done, total] = run.progress;
  switch (run.phase) {
    case 'hung':
      return texts.hangs;
    case 'building':
      return texts.updating('', texts.building);
    case 'settling':
      return texts.updating(texts.progress(done, total), texts.settling);
    case 'restarting':
    case 'done': {
      const { current } = run;
      // The one that is being restarted counts as the next, until it is back.
      const next = current !== null && !run.restarted.includes(current) && total !== null;
      const at = next ? Math.min(done + 1, total) : done;
      const doing = current === null ? texts.restartingSome : texts.restarting(nameKey(current));
      return texts.updating(texts.progress(at, total), doing);
    }
  }
}

/** Cut between a stop and a start, a run would leave a session behind that is down. */
function explainNoCancel({ origin, phase }: RunningView): string | null {
  if (origin === 'outside') return texts.startedElsewhere;
  return phase === 'building' || phase === 'hung' ? null : texts.tooLate;
}

/** A check that restarts nothing, while it runs. */
export function drawCheck({ extras }: Situation): TrayItem[] {
  const { work } = extras;
  if (work?.op !== 'check') return [];
  return [
    makeSubmenu('checking', texts.checking(extras.formatTime(work.since)), [
      makeNote('checking/what', texts.checkingWhat),
      makeAction({
        id: 'checking/cancel',
        label: texts.cancelCheck,
        why: null,
        action: { kind: 'cancel' },
      }),
    ]),
  ];
}

/** What the last update came to, until a person has looked at it. */
export function drawLastRun({ fleet, extras }: Situation): TrayItem[] {
  const { lastRun } = fleet;
  if (lastRun === null || lastRun.id === extras.seenRunId) return [];
  const { startedAt, endedAt, restarted, failed, skipped, log, reason: why } = lastRun;
  const span = formatSpan(extras.formatTime(startedAt), extras.formatTime(endedAt ?? startedAt));
  const when = extras.isLastNight(startedAt) ? texts.lastNight(span) : texts.lastUpdate(span);
  const reasons = [
    ...failed.map(({ key, reason }) => texts.failedOne(nameKey(key), reason)),
    ...skipped.map(({ key, reason }) => texts.skippedOne(nameKey(key), reason)),
  ];
  const names = restarted.map(nameKey).join(', ');
  const seen: TrayAction = { kind: 'seen-last-run', id: lastRun.id };
  const items: TrayItem[] = [
    ...(why === null ? [] : makeNotes('last-run/why', texts.runFailedWhy(why), WHY_ROWS)),
    ...(restarted.length === 0 ? [] : makeNotes('last-run/restarted', texts.restartedOnes(names))),
    ...reasons
      .slice(0, MAX_REASONS)
      .flatMap((reason, index) => makeNotes(`last-run/reason/${index}`, reason, 2)),
    ...(reasons.length > MAX_REASONS
      ? [makeNote('last-run/more', texts.andMore(reasons.length - MAX_REASONS))]
      : []),
    makeAction({
      id: 'last-run/output',
      label: texts.showOutput,
      why: log === null ? texts.noOutput : null,
      action: { kind: 'show-run-log', id: lastRun.id },
    }),
    makeAction({ id: 'last-run/down', label: texts.dismissSummary, why: null, action: seen }),
  ];
  const label = texts.lastRun(when, sumUp(lastRun));
  return [makeSubmenu('last-run', label, items, seen)];
}

function sumUp({ outcome, restarted, failed, skipped }: RunView): string {
  switch (outcome) {
    case 'cancelled':
      return texts.runCancelled(restarted.length);
    case 'failed':
      return texts.runFailed(restarted.length, failed.length);
    case 'done':
    case null:
      return restarted.length + failed.length > 0
        ? texts.runSum(restarted.length, failed.length)
        : texts.runIdle(countLeftAlone(skipped));
  }
}

/** `03:02-03:11`, `Mon 03:02-03:11`, `2026-11-20`: what both have in common is said once. */
function formatSpan(from: string, to: string): string {
  if (from === to) return from;
  const day = from.slice(0, from.lastIndexOf(' ') + 1);
  return `${from}-${to.startsWith(day) ? to.slice(day.length) : to}`;
}

/** What asks sandy about all sessions. The row itself never acts: its submenu says whom it would hit. */
export function drawUpdates(situation: Situation): TrayItem[] {
  const why = explainSandy('update', situation);
  const stale = situation.fleet.sessions.filter(({ imageStale }) => imageStale === true);
  return [
    makeAction({
      id: 'check',
      label: why === null ? texts.check : texts.checkNot,
      why,
      action: { kind: 'check' },
    }),
    makeSubmenu('update-all', texts.updateAll(stale.length), [
      ...drawConcerned(situation),
      makeSeparator('update-all/line'),
      makeAction({
        id: 'update-all/idle',
        label: texts.onlyIdle(IDLE_MINUTES),
        why,
        action: { kind: 'update', keys: null, idleForMinutes: IDLE_MINUTES },
      }),
      makeAction({
        id: 'update-all/now',
        label: texts.restartAll(stale.length),
        why,
        action: { kind: 'update', keys: null, idleForMinutes: null },
      }),
    ]),
  ];
}

/** Who would be restarted, and who is in the middle of something. */
function drawConcerned({ fleet }: Situation): TrayItem[] {
  if (isBlind(fleet) || fleet.checkedAt === null) {
    return [makeNote('update-all/unknown', texts.nothingKnown)];
  }
  const sessions = sortSessions(fleet.sessions);
  const stale = sessions.filter(({ imageStale }) => imageStale === true).map(({ key }) => key);
  const attached = sessions.filter((one) => (one.attachedClients ?? 0) > 0).map(({ key }) => key);
  const name = (keys: readonly string[]) => keys.map(nameKey).join(', ');
  return [
    ...makeNotes(
      'update-all/stale',
      stale.length === 0 ? texts.noneStale : texts.staleOnes(stale.length, name(stale)),
    ),
    ...makeNotes(
      'update-all/attached',
      attached.length === 0
        ? texts.noneAttached
        : texts.attachedOnes(attached.length, name(attached)),
    ),
  ];
}
