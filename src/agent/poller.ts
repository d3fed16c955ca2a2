import type { NextPoll } from '../fleet/cadence.ts';
import { jitter } from '../fleet/cadence.ts';
import type { PollMode } from '../fleet/observation.ts';

/** Keeps one poll in flight at most, at the times that the fleet asks for. */
export interface Poller {
  /** Takes the fleet's newest word on when to poll. */
  readonly plan: (next: NextPoll) => void;
  /** Ends the waiting and aborts a poll in flight; resolves when it is gone. */
  readonly stop: () => Promise<void>;
}

/**
 * Delays count from the end of the last poll, so that asking again neither shortens nor prolongs them.
 * `poll` never rejects; the poller goes on when it has settled and somebody has planned the next.
 */
export function createPoller(poll: (mode: PollMode, signal: AbortSignal) => Promise<void>): Poller {
  const abort = new AbortController();
  let endedAtMs = performance.now();
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let planned: NextPoll | null = null;
  // One draw a poll: a new one at each plan would pull towards the shortest.
  let random = Math.random();

  const start = () => {
    if (planned === null) return;
    const { mode } = planned;
    timer = null;
    running = poll(mode, abort.signal).then(() => {
      running = null;
      endedAtMs = performance.now();
      random = Math.random();
      arm();
    });
  };
  const arm = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (planned === null || running !== null || abort.signal.aborted) return;
    const dueInMs = endedAtMs + jitter(planned, random) - performance.now();
    timer = setTimeout(start, Math.max(0, dueInMs));
  };
  return {
    plan(next) {
      planned = next;
      arm();
    },
    async stop() {
      abort.abort();
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
