/** The one thing that ticks while nothing happens. */
const PERIOD_MS = 60_000;
const TOLERANCE_MS = 10_000;
/** Scheduling noise is not scaled with time. */
const LEAST_TOLERANCE_MS = 500;

export interface Tick {
  readonly at: number;
  readonly utcOffsetMinutes: number;
  /** Either clock jumped by more than a period: slept, stopped, or a clock that was set. */
  readonly woke: boolean;
}

export interface Ticking {
  /** Somebody else has noticed that the machine woke: a tick at once, and none more for this sleep. */
  readonly wake: () => void;
  readonly stop: () => void;
}

/** Ticks once at once and then every 60 s (divided by `timeScale`). */
export function startTicking(timeScale: number, onTick: (tick: Tick) => void): Ticking {
  const periodMs = PERIOD_MS / timeScale;
  const toleranceMs = Math.max(TOLERANCE_MS / timeScale, LEAST_TOLERANCE_MS);
  let last: { at: number; monoMs: number } | null = null;
  const tell = (at: number, woke: boolean) =>
    onTick({ at, utcOffsetMinutes: -new Date(at).getTimezoneOffset(), woke });
  const tick = () => {
    const now = { at: Date.now(), monoMs: performance.now() };
    const woke =
      last !== null &&
      [now.at - last.at, now.monoMs - last.monoMs].some(
        (gapMs) => Math.abs(gapMs - periodMs) > toleranceMs,
      );
    last = now;
    tell(now.at, woke);
  };
  tick();
  const timer = setInterval(tick, periodMs);
  return {
    wake() {
      // The gap that the next tick would see is this one.
      last = null;
      tell(Date.now(), true);
    },
    stop: () => clearInterval(timer),
  };
}
