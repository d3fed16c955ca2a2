/** What the output of an update's steps tells the fleet. */

import type { KeyedReason } from '../fleet/finished-run.ts';
import type { Message } from '../fleet/message.ts';
import type { UpdateProgress } from '../sandy/update-output.ts';
import type { RunStep } from '../store/run-record.ts';

type Untimed<M> = M extends unknown ? Omit<M, 'at'> : never;
export type ProgressMessage = Untimed<
  Extract<Message, { kind: 'run-planned' | 'run-restarting' | 'run-step-failed' | 'run-built' }>
>;

/** What was told of a run so far. Who adopts it begins anew: the fleet takes nothing twice. */
export interface Told {
  readonly plan: string;
  readonly restarting: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
}

export const nothingTold: Told = { plan: '', restarting: new Set(), failed: new Set() };

/** By sandy's own count; a failing image build makes it wait for ever, heartbeat after heartbeat. */
const HUNG_SECONDS = 15 * 60;

/** What is new in the progress of all steps; null stands for one that was not started. */
export function tellProgress(
  told: Told,
  steps: readonly RunStep[],
  progresses: readonly (UpdateProgress | null)[],
): { readonly told: Told; readonly messages: readonly ProgressMessage[] } {
  const plan = planOf(steps, progresses);
  const known = progresses.flatMap((progress) => progress ?? []);
  const restarting = known.flatMap((progress) => progress.restarting);
  const failed = known.flatMap((progress) => progress.failed);
  const planText = JSON.stringify(plan);
  const messages: ProgressMessage[] = [];
  if (planText !== told.plan) messages.push({ kind: 'run-planned', ...plan });
  for (const key of new Set(restarting)) {
    if (!told.restarting.has(key)) messages.push({ kind: 'run-restarting', key });
  }
  for (const { key, step } of failed) {
    if (!told.failed.has(key)) messages.push({ kind: 'run-step-failed', key, step });
  }
  const last = known.at(-1);
  if (last !== undefined && last.restarting.length === 0 && isRunning(steps)) {
    const phase = secondsUnchanged(last) >= HUNG_SECONDS ? 'hung' : 'building';
    messages.push({ kind: 'run-built', phase });
  }
  return {
    told: {
      plan: planText,
      restarting: new Set(restarting),
      failed: new Set(failed.map(({ key }) => key)),
    },
    messages,
  };
}

/** For how long a build has not moved, as sandy counts; 0 where none is known to be at work. */
export function secondsUnchanged({ building, restarting }: UpdateProgress): number {
  return restarting.length > 0 ? 0 : (building?.unchangedSeconds ?? 0);
}

function isRunning(steps: readonly RunStep[]): boolean {
  return steps.some((step) => step.startedAt !== null && step.endedAt === null);
}

/** What sandy said it will do with all steps; the total is null while one has not said. */
function planOf(
  steps: readonly RunStep[],
  progresses: readonly (UpdateProgress | null)[],
): { readonly total: number | null; readonly skipped: readonly KeyedReason[] } {
  let total: number | null = 0;
  const skipped: KeyedReason[] = [];
  for (const [index, step] of steps.entries()) {
    const progress = progresses[index] ?? null;
    const plans = [...(progress?.planned ?? [])];
    for (const [key, { action, reason }] of plans) {
      if (action === 'skip') skipped.push({ key, reason });
    }
    const restarts = plans.filter(([, { action }]) => action === 'restart').length;
    const isSaid = plans.length > 0 || progress?.finished != null || step.endedAt !== null;
    const count: number | null = isSaid ? restarts : step.key === null ? null : 1;
    total = total === null || count === null ? null : total + count;
  }
  return { total, skipped };
}
