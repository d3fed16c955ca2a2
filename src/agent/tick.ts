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

/** Ticks once at once and then every 60 s (divided by `timeScale`); returns how to stop. */
export function startTicking(timeScale: number, onTick: (tick: Tick) => void): () => void {
  const periodMs = PERIOD_MS / timeScale;
  const toleranceMs = Math.max(TOLERANCE_MS / timeScale, LEAST_TOLERANCE_MS);
  let last: { at: number; monoMs: number } | null = null;
  const tick = () => {
    const now = { at: Date.now(), monoMs: performance.now() };
    const woke =
      last !== null &&
      [now.at - last.at, now.monoMs - last.monoMs].some(
        (gapMs) => Math.abs(gapMs - periodMs) > toleranceMs,
      );
    last = now;
    onTick({ at: now.at, utcOffsetMinutes: -new Date(now.at).getTimezoneOffset(), woke });
  };
  tick();
  const timer = setInterval(tick, periodMs);
  return () => clearInterval(timer);
}
