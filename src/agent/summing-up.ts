/** What an operation comes to: from what its steps printed, and from what the fleet made of it. */

import type { KeyedReason, RunEnd } from '../fleet/finished-run.ts';
import type { Model } from '../fleet/model.ts';
import type { UpdateProgress } from '../sandy/update-output.ts';
import type { RunOutcome, RunStep } from '../store/run-record.ts';
import { type Operation, readLastLine, type StepEnd } from './operation.ts';
import type { StepLog } from './step-log.ts';
import { texts } from './texts.ts';

/** What was asked for and could not be asked of sandy. */
export function leftOutOf(
  steps: readonly RunStep[],
  logs: readonly (StepLog | null)[],
): KeyedReason[] {
  return steps.flatMap(({ key, startedAt, endedAt, outcome }, index): KeyedReason[] => {
    if (key === null) return [];
    if (startedAt === null && endedAt === null) return [{ key, reason: texts.notTried }];
    const gone = logs[index]?.readOn().finished === 'none' ? 'no-session' : outcome;
    switch (gone) {
      case 'conflict':
      case 'no-session':
      case 'workspace-missing':
        return [{ key, reason: texts.leftOut[gone] }];
      default:
        return [];
    }
  });
}

/** Of a session that nobody has seen here, sandy's own word that it could not be restarted is all there is. */
export function failedUnseen(
  logs: readonly (StepLog | null)[],
  rows: Model['rows'],
): KeyedReason[] {
  const failed = logs.flatMap((log) => log?.readOn().failed ?? []);
  return failed.flatMap(({ key }) => (rows.has(key) ? [] : [{ key, reason: texts.failedUnseen }]));
}

/** Why a step's command counts as failed by itself; null: what became of its sessions decides. */
export function readStepFailure(
  operation: Operation,
  index: number,
  end: Exclude<StepEnd, { kind: 'left' }>,
  progress: UpdateProgress | null,
): string | null {
  if (end.kind === 'not-started') return end.text;
  const { steps, wish } = operation.record();
  if (steps[index]?.outcome !== null) return null;
  // Whoever cut it did not live to say so.
  if (wish === 'cut' && end.code === null && progress?.restarting.length === 0) return null;
  if (end.signal !== null) return texts.sandySignalled(end.signal);
  const touched = progress !== null && progress.restarting.length > 0;
  if (end.code === null) return progress?.finished == null ? texts.sandyEndedEarly : null;
  if (end.code === 0 || touched) return null;
  return texts.sandyFailed(end.code, readLastLine(operation, index));
}

/** What a dry run came to. */
export function sumCheck(end: RunEnd, logs: readonly (StepLog | null)[]): RunOutcome {
  const plans = logs.flatMap((log) => [...(log?.readOn().planned ?? [])]);
  return {
    kind: end.kind === 'done' ? 'ok' : end.kind,
    text: end.kind === 'failed' ? end.reason : null,
    restarted: [],
    candidates: plans.filter(([, { action }]) => action === 'restart').map(([key]) => key),
    skipped: plans.flatMap(([key, { action, reason }]) =>
      action === 'skip' ? [{ key, reason }] : [],
    ),
    failed: [],
  };
}

/** An outcome in which nothing happened. */
export const nothing = { text: null, restarted: [], candidates: [], skipped: [], failed: [] };

/** What an update came to, once the fleet has summed it up. */
export function sumUpdate(finished: Model['lastRun'], steps: readonly RunStep[]): RunOutcome {
  if (finished === null) return { ...nothing, kind: 'lost' };
  const { restarted, skipped, failed, outcome, reason: text } = finished;
  const sum = { text, restarted: [...restarted], candidates: [] };
  const lists = { skipped: [...skipped], failed: [...failed] };
  // Of one session alone what kept it from being asked is the whole answer.
  const only = steps.length === 1 ? (steps[0]?.outcome ?? null) : null;
  if (only === 'conflict' || only === 'no-session' || only === 'workspace-missing') {
    return { kind: only, ...sum, ...lists };
  }
  if (outcome === 'cancelled') return { kind: 'cancelled', ...sum, ...lists };
  return { kind: outcome === 'failed' || failed.length > 0 ? 'failed' : 'ok', ...sum, ...lists };
}
