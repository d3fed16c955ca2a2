/**
 * The clock by which windows are counted: awake, sighted time. It advances only per completed sighted
 * poll, by the time since the one before, capped; so neither sleep, nor blindness, nor a clock that was
 * set, nor a process that was stopped can spend a window.
 */
export interface AwakeClock {
  /** Awake, sighted time so far. Only differences mean anything. */
  readonly awakeMs: number;
  /** The last completed poll, in both clocks; null before the first and after a restart of the agent. */
  readonly last: { readonly monoMs: number; readonly at: number; readonly sighted: boolean } | null;
  /** The last sighted poll by the wall clock, which outlives the process. */
  readonly sightedAt: number | null;
  /** The delay that was planned after the last poll. */
  readonly plannedDelayMs: number;
}

export const newAwakeClock: AwakeClock = {
  awakeMs: 0,
  last: null,
  sightedAt: null,
  plannedDelayMs: 0,
};

export interface PollTime {
  /** Completion by the wall clock (ms since the epoch). */
  readonly at: number;
  /** Completion by a clock that no one sets (performance.now). */
  readonly monoMs: number;
  readonly tookMs: number;
}

export interface Tick {
  readonly clock: AwakeClock;
  /** What this poll adds to the windows. */
  readonly elapsedMs: number;
  /** Time since the last sighting by whichever clock says more; infinite when there was none. */
  readonly sinceSightingMs: number;
  /**
   * A gap larger than any planned wait: slept, stopped, a clock that was set, or the first poll of a
   * process. This poll may show what is, but no verdict may rest on it.
   */
  readonly gap: boolean;
}

/** Advances the clock by one sighted poll. */
export function tickSighted(clock: AwakeClock, poll: PollTime): Tick {
  const { last } = clock;
  const monoGapMs = last === null ? 0 : Math.max(0, poll.monoMs - last.monoMs);
  const capMs = 3 * (clock.plannedDelayMs + poll.tookMs);
  const elapsedMs = last?.sighted === true ? Math.min(monoGapMs, capMs) : 0;
  const wallGapMs = clock.sightedAt === null ? Number.POSITIVE_INFINITY : poll.at - clock.sightedAt;
  return {
    clock: {
      ...clock,
      awakeMs: clock.awakeMs + elapsedMs,
      last: { monoMs: poll.monoMs, at: poll.at, sighted: true },
      sightedAt: poll.at,
    },
    elapsedMs,
    sinceSightingMs: Math.max(wallGapMs, monoGapMs),
    gap: last === null || monoGapMs > capMs || poll.at - last.at > capMs,
  };
}

/**
 * What the awake clock has come to at `at`, between two polls, as far as the wall clock can tell. The
 * cap is the poll's own, so that a clock that was set can't carry it far.
 */
export function awakeAt(clock: AwakeClock, at: number): number {
  if (clock.last?.sighted !== true) return clock.awakeMs;
  const passedMs = Math.max(0, at - clock.last.at);
  return clock.awakeMs + Math.min(passedMs, 3 * clock.plannedDelayMs);
}

/** Notes a poll that saw nothing: no time passes, and the wait after it is not counted either. */
export function tickBlind(clock: AwakeClock, poll: PollTime): AwakeClock {
  return { ...clock, last: { monoMs: poll.monoMs, at: poll.at, sighted: false } };
}
