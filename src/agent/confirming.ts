/** Waiting until polls show what a command came to, and giving that up where nobody can see. */

import type { Message } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';
import type { RunOutcome, RunStep } from '../store/run-record.ts';
import type { Looks } from './looks.ts';
import { nothing, sumUpdate } from './summing-up.ts';
import { texts } from './texts.ts';

/** How long polls may be blind before what a command came to is given up. Awake time. */
export const STUCK_MS = 12 * 60 * 1000;
/** What a blind step may count: a look that is not answered takes its time, and sleep is no waiting. */
export const LONGEST_BLIND_STEP_MS = 2 * 60 * 1000;
const CONFIRM_MS = 3_000;

export interface ConfirmingParts {
  readonly model: () => Model;
  readonly dispatch: (message: Message) => void;
  readonly looks: Looks;
  readonly timeScale: number;
}

/**
 * Waits until the fleet has summed the run up, which its own windows bring about as long as it is seen, or
 * nobody could see for too long. Null: the agent is stopping.
 */
export async function confirmUpdate(
  id: string,
  steps: readonly RunStep[],
  { model, dispatch, looks, timeScale }: ConfirmingParts,
): Promise<RunOutcome | null> {
  let blindMs = 0;
  for (;;) {
    const { run, lastRun } = model();
    if (lastRun?.id === id) return sumUpdate(lastRun, steps);
    if (run?.id !== id) return { ...nothing, kind: 'lost', text: texts.runLost };
    if (blindMs >= STUCK_MS / timeScale) {
      const keys = run.announced.filter((key) => !run.restarts.some((one) => one.key === key));
      dispatch({ kind: 'stuck', at: Date.now(), keys, attempt: id });
      const stuck = sumUpdate(model().lastRun, steps);
      return { ...stuck, kind: 'stuck', text: texts.nobodySaw };
    }
    const before = performance.now();
    const seen = await looks.fresh();
    if (seen === null || !(await looks.pause(CONFIRM_MS / timeScale))) return null;
    if (seen.sight.kind === 'sighted') continue;
    blindMs += Math.min(performance.now() - before, LONGEST_BLIND_STEP_MS / timeScale);
  }
}
