/** When to look at sandy next, how, and why. The floors keep a slow machine from being polled harder. */

import type { Model, PollWish } from './model.ts';
import type { PollMode } from './observation.ts';
import { absenceOf } from './session.ts';

export type PollReason =
  | PollWish['reason']
  | 'hint'
  | 'blind'
  | 'missing'
  | 'overdue'
  | 'waiting'
  | 'run'
  | 'ending'
  | 'idle';

export interface NextPoll {
  /** Counted from the end of the last poll. */
  readonly delayMs: number;
  /** What the delay may not fall below, from the last poll's own duration. */
  readonly floorMs: number;
  readonly mode: PollMode;
  readonly reason: PollReason;
}

/** The whole cadence: rules in order, the first that applies; the floor always wins. */
export function nextPoll(model: Model): NextPoll {
  const { wish, hintedAt, sight } = model;
  const { poll } = model.windows;
  if (wish !== null) return pollNoSooner(0, 0, 'full', wish.reason);
  if (sight.kind === 'blind') return nextBlind(model);
  if (hintedAt !== null) return nextHinted(model);
  const urgent = nextUrgent(model);
  if (urgent !== null) {
    return pollNoSooner(urgent.delayMs, floorOf(model, 'light', 2), 'light', urgent.reason);
  }
  const slow = model.run !== null ? 'run' : anyEnding(model) ? 'ending' : null;
  if (slow !== null) return pollNoSooner(poll.runMs, floorOf(model, 'light', 10), 'light', slow);
  return nextFull(model);
}

/**
 * Blind looks come less and less often. A hint, or a terminal that waits, brings the next one forward, but no
 * further than to where the second one was: whoever waits to have something confirmed hints again after each.
 */
function nextBlind(model: Model): NextPoll {
  const { polls, hintedAt, waiters, windows } = model;
  const { blindMinMs, blindMaxMs } = windows.poll;
  const wanted = hintedAt !== null ? 'hint' : waiters.size > 0 ? 'waiting' : null;
  if (wanted !== null) {
    return pollNoSooner(blindMinMs, floorOf(model, 'light', 2), 'light', wanted);
  }
  const grownMs = blindMinMs * 2 ** Math.min(16, Math.max(0, polls.blindStreak - 1));
  const floorMs = grownMs >= blindMaxMs ? floorOf(model, 'light', 200) : 0;
  return pollNoSooner(Math.min(grownMs, blindMaxMs), floorMs, 'light', 'blind');
}

/** Hints without end must not keep full looks away for ever: one that is due confirms as well. */
function nextHinted(model: Model): NextPoll {
  const floorMs = floorOf(model, 'light', 2);
  return pollNoSooner(0, floorMs, fullDueMs(model) <= floorMs ? 'full' : 'light', 'hint');
}

/** One that is overdue comes as soon as a light one where a session is missing. */
function nextFull(model: Model): NextPoll {
  const { polls, windows } = model;
  const dueMs = Math.max(windows.poll.missingFastMs, fullDueMs(model));
  const floorMs = Math.max(fullFloorMs(model), floorOf(model, polls.lastMode, 2));
  return pollNoSooner(dueMs, floorMs, 'full', 'idle');
}

/** A full look is due so long after the last one that saw the fleet, whatever light looks came between. */
function fullDueMs(model: Model): number {
  const { polls, clock, windows } = model;
  const { fullMs } = windows.poll;
  const { fullSeenAwakeMs: seenAt } = polls;
  const restMs = seenAt === null ? 0 : fullMs - (clock.awakeMs - seenAt);
  return Math.max(restMs, fullFloorMs(model));
}

/** What is left to pay of the last full poll, which light ones neither pay for nor add to. */
function fullFloorMs({ polls, clock, windows }: Model): number {
  if (polls.fullCost === null || clock.last === null) return 0;
  const { endedMonoMs, tookMs } = polls.fullCost;
  const paidMs = Math.max(0, clock.last.monoMs - endedMonoMs);
  return Math.max(0, 200 * tookMs * windows.poll.floorScale - paidMs);
}

function pollNoSooner(
  delayMs: number,
  floorMs: number,
  mode: PollMode,
  reason: PollReason,
): NextPoll {
  return { delayMs: Math.max(delayMs, floorMs), floorMs, mode, reason };
}

/** Spreads polls by ±10 %, never below the floor. `random` is in [0, 1). */
export function jitter(next: NextPoll, random: number): number {
  return Math.max(next.floorMs, next.delayMs * (0.9 + 0.2 * random));
}

/** A session is missing or a shim waits: fast at first, slower later, slowest once overdue. */
function nextUrgent(model: Model): { delayMs: number; reason: PollReason } | null {
  const { poll, returnMs } = model.windows;
  let missingMs = Number.POSITIVE_INFINITY;
  let anyOverdue = false;
  for (const row of model.rows.values()) {
    const absence = absenceOf(row.phase);
    if (absence === null) continue;
    const alarmed = row.phase.kind === 'away' && row.phase.alarmed;
    if (alarmed || absence.spentMs >= returnMs) anyOverdue = true;
    else missingMs = Math.min(missingMs, absence.spentMs);
  }
  let waitedMs = Number.POSITIVE_INFINITY;
  for (const { sinceAwakeMs } of model.waiters.values()) {
    waitedMs = Math.min(waitedMs, model.clock.awakeMs - sinceAwakeMs);
  }
  const youngestMs = Math.min(missingMs, waitedMs);
  if (Number.isFinite(youngestMs)) {
    const delayMs = youngestMs < poll.missingFastForMs ? poll.missingFastMs : poll.missingMs;
    return { delayMs, reason: Number.isFinite(missingMs) ? 'missing' : 'waiting' };
  }
  return anyOverdue ? { delayMs: poll.overdueMs, reason: 'overdue' } : null;
}

/** A session that just stopped answering is about to go or to be found dead: worth a few looks. */
function anyEnding(model: Model): boolean {
  for (const { phase } of model.rows.values()) {
    if (phase.kind === 'up' && phase.clients === null && phase.nullMs < model.windows.zombieMs) {
      return true;
    }
  }
  return false;
}

function floorOf(model: Model, mode: PollMode, factor: number): number {
  const { tookMs } = model.polls;
  const lastMs = tookMs[mode] ?? tookMs[mode === 'full' ? 'light' : 'full'] ?? 0;
  return factor * lastMs * model.windows.poll.floorScale;
}
