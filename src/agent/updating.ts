/** Carries out an update: its steps one after the other, what they print told to the fleet, and its sum. */

import { stat } from 'node:fs/promises';
import type { Message } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';
import type { KeyedReason, RunEnd } from '../fleet/runs.ts';
import { mayHaveBegun, type UpdateProgress } from '../sandy/update-output.ts';
import type { RunOutcome, RunStep } from '../store/run-record.ts';
import { cancelRun } from './cancelling.ts';
import type { Looks } from './looks.ts';
import {
  carryOutStep,
  type Operation,
  readLastLine,
  type StepEnd,
  type StepParts,
} from './operation.ts';
import { openStepLog, type StepLog } from './step-log.ts';
import { texts } from './texts.ts';

export interface OperationParts extends StepParts {
  readonly model: () => Model;
  readonly dispatch: (message: Message) => void;
  readonly settle: () => Promise<void>;
  readonly looks: Looks;
  readonly timeScale: number;
  /** Whether a person's terminal still shows what is going on. */
  readonly isAttended: () => boolean;
}

export interface Update {
  /** Tells the fleet what the log says already; without yielding, before anybody looks at sessions. */
  readonly catchUp: () => void;
  /** Resolves to what it came to; null: the agent is stopping and the next one goes on with it. */
  readonly carryOut: () => Promise<RunOutcome | null>;
  readonly cancel: () => Promise<'cancelled' | 'too-late'>;
}

/** By sandy's own count; a failing image build makes it wait for ever, heartbeat after heartbeat. */
const HUNG_SECONDS = 15 * 60;
const GIVEN_UP_SECONDS = 30 * 60;

/** How long polls may be blind before what a command came to is given up. Awake time. */
export const STUCK_MS = 12 * 60 * 1000;
const CONFIRM_MS = 3_000;

const BUILD_FAILED = 'build-failed';

export function prepareUpdate(operation: Operation, parts: OperationParts): Update {
  const { id, op, origin, keys, steps } = operation.record();
  const { dispatch } = parts;
  const isDryRun = op === 'check';
  const logs: (StepLog | null)[] = steps.map(() => null);
  const told = new Set<string>();
  let lastPlan = '';
  let cancelling: Promise<'cancelled' | 'too-late'> | null = null;

  const tell = (message: Message) => {
    if (!isDryRun) dispatch(message);
  };
  const readStep = (index: number): UpdateProgress | null => {
    const step = operation.record().steps[index];
    if (step === undefined || step.startedAt === null) return null;
    logs[index] ??= openStepLog(operation.logPath, step.logFrom, () => endOfStep(index));
    return logs[index]?.readOn() ?? null;
  };
  /** Where the next step that was started begins. */
  const endOfStep = (index: number): number | null => {
    const later = operation.record().steps.slice(index + 1);
    return later.find((step) => step.startedAt !== null)?.logFrom ?? null;
  };
  const report = () => {
    const at = Date.now();
    const progresses = operation.record().steps.map((_, index) => readStep(index));
    const plan = planOf(operation.record().steps, progresses);
    const planText = JSON.stringify(plan);
    if (planText !== lastPlan) tell({ kind: 'run-planned', at, ...plan });
    lastPlan = planText;
    for (const progress of progresses) {
      for (const key of progress?.restarting ?? []) {
        if (isNew(`restarting ${key}`)) tell({ kind: 'run-restarting', at, key });
      }
      for (const { key, step } of progress?.failed ?? []) {
        if (isNew(`failed ${key}`)) tell({ kind: 'run-step-failed', at, key, step });
      }
    }
    watchBuilding(progresses.findLast((progress) => progress !== null) ?? null, at);
  };
  const isNew = (what: string) => !told.has(what) && told.add(what).size > 0;
  const watchBuilding = (progress: UpdateProgress | null, at: number) => {
    if (progress === null || progress.restarting.length > 0) return;
    const unchanged = progress.building?.unchangedSeconds ?? 0;
    const phase = unchanged >= HUNG_SECONDS ? 'hung' : 'building';
    if (isRunningStep()) tell({ kind: 'run-built', at, phase });
    // A slot that nobody frees would keep everything else out for ever.
    if (unchanged >= GIVEN_UP_SECONDS && !parts.isAttended()) void cancel(BUILD_FAILED);
  };
  const isRunningStep = () => runningStep(operation.record().steps) !== -1;

  const cancel = (outcome: 'cancelled' | typeof BUILD_FAILED) => {
    cancelling ??= cutStep(outcome).finally(() => {
      cancelling = null;
    });
    return cancelling;
  };
  const cutStep = async (outcome: string): Promise<'cancelled' | 'too-late'> => {
    const index = runningStep(operation.record().steps);
    const process = operation.record().steps[index]?.process ?? null;
    const log = logs[index] ?? null;
    if (process === null || log === null) return 'too-late';
    // Noted before: whoever comes after our death must not go on with the next step.
    operation.change({ stopAfter: true });
    const cut = await cancelRun({
      process,
      readOutput: async () => log.readAll(),
      mayHaveBegun,
    });
    if (cut === 'cancelled') {
      operation.changeStep(index, { outcome });
      return 'cancelled';
    }
    operation.change({ stopAfter: false });
    return 'too-late';
  };

  const begin = () => {
    const { run, lastRun } = parts.model();
    if (run?.id === id || lastRun?.id === id) return;
    const scope = keys ?? 'fleet';
    tell({ kind: 'run-began', at: Date.now(), id, origin, scope, log: operation.logPath });
  };

  const carryOutSteps = async (): Promise<RunEnd | null> => {
    for (const [index, { key, startedAt, endedAt }] of operation.record().steps.entries()) {
      if (endedAt !== null) continue;
      // What runs has to be looked after, whatever was wished for.
      if (operation.record().stopAfter && startedAt === null) break;
      const problem = key === null ? null : await findProblem(parts.model(), key);
      if (problem !== null && key !== null) {
        operation.changeStep(index, { endedAt: Date.now(), outcome: problem });
        continue;
      }
      const end = await carryOutStep(operation, index, parts, report);
      await cancelling;
      if (end.kind === 'left') return null;
      const failure = readStepFailure(operation, index, end, readStep(index));
      if (failure !== null) return { kind: 'failed', reason: failure };
    }
    const cuts = operation.record().steps.map((step) => step.outcome);
    if (cuts.includes(BUILD_FAILED)) return { kind: 'failed', reason: texts.imageBuildFailed };
    return operation.record().stopAfter ? { kind: 'cancelled' } : { kind: 'done' };
  };

  return {
    catchUp() {
      begin();
      report();
    },
    async carryOut() {
      begin();
      await parts.settle();
      const end = await carryOutSteps();
      if (end === null) return null;
      report();
      const { rows } = parts.model();
      const left = leftOutOf(operation.record().steps, logs);
      for (const one of [...left, ...failedUnseen(logs, rows)]) {
        tell({ kind: 'run-left-out', at: Date.now(), ...one });
      }
      if (isDryRun) return sumCheck(end, logs);
      dispatch({ kind: 'run-ended', at: Date.now(), end });
      return await confirmUpdate(id, operation.record().steps, parts);
    },
    cancel: () => cancel('cancelled'),
  };
}

function runningStep(steps: readonly RunStep[]): number {
  return steps.findIndex((step) => step.startedAt !== null && step.endedAt === null);
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

type Problem = 'conflict' | 'no-session' | 'workspace-missing';

/** Why sandy can't be asked to update this session; null: it can. */
export async function findProblem(model: Model, key: string): Promise<Problem | null> {
  const row = model.rows.get(key);
  if (row === undefined) return 'no-session';
  if (row.conflict) return 'conflict';
  if (row.workspace === null || !(await isFolder(row.workspace))) return 'workspace-missing';
  return row.phase.kind === 'off' ? 'no-session' : null;
}

const FOLDER_LIMIT_MS = 5_000;

/** Whether sandy could work there; a mount that does not answer is as good as missing. */
export async function isFolder(path: string): Promise<boolean> {
  const limit = new Promise<null>((resolve) => {
    setTimeout(() => resolve(null), FOLDER_LIMIT_MS).unref();
  });
  const found = await Promise.race([stat(path).catch(() => null), limit]);
  return found?.isDirectory() === true;
}

function leftOutOf(steps: readonly RunStep[], logs: readonly (StepLog | null)[]): KeyedReason[] {
  return steps.flatMap(({ key, outcome }, index) => {
    if (key === null) return [];
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
function failedUnseen(logs: readonly (StepLog | null)[], rows: Model['rows']): KeyedReason[] {
  const failed = logs.flatMap((log) => log?.readOn().failed ?? []);
  return failed.flatMap(({ key }) => (rows.has(key) ? [] : [{ key, reason: texts.failedUnseen }]));
}

/** Why a step's command counts as failed by itself; null: what became of its sessions decides. */
function readStepFailure(
  operation: Operation,
  index: number,
  end: Exclude<StepEnd, { kind: 'left' }>,
  progress: UpdateProgress | null,
): string | null {
  if (end.kind === 'not-started') return end.text;
  const { steps, stopAfter } = operation.record();
  if (steps[index]?.outcome !== null) return null;
  // Whoever cut it did not live to say so.
  if (stopAfter && end.code === null && progress?.restarting.length === 0) return null;
  if (end.signal !== null) return texts.sandySignalled(end.signal);
  const touched = progress !== null && progress.restarting.length > 0;
  if (end.code === null) return progress?.finished == null ? texts.sandyEndedEarly : null;
  if (end.code === 0 || touched) return null;
  return texts.sandyFailed(end.code, readLastLine(operation, index));
}

function sumCheck(end: RunEnd, logs: readonly (StepLog | null)[]): RunOutcome {
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

/** Waits until the fleet has summed the run up, or nobody could see for too long. */
async function confirmUpdate(
  id: string,
  steps: readonly RunStep[],
  parts: OperationParts,
): Promise<RunOutcome | null> {
  const { model, dispatch, looks, timeScale } = parts;
  let spentMs = 0;
  for (;;) {
    const { run, lastRun } = model();
    if (lastRun?.id === id) return sumUpdate(lastRun, steps);
    if (run?.id !== id) return { ...nothing, kind: 'lost', text: texts.runLost };
    if (spentMs >= STUCK_MS / timeScale) {
      const keys = run.announced.filter((key) => !run.restarts.some((one) => one.key === key));
      dispatch({ kind: 'stuck', at: Date.now(), keys, attempt: id });
      const stuck = sumUpdate(model().lastRun, steps);
      return { ...stuck, kind: 'stuck', text: texts.nobodySaw };
    }
    const before = performance.now();
    if ((await looks.fresh()) === null || !(await looks.pause(CONFIRM_MS / timeScale))) return null;
    // Sleep counts as one step.
    spentMs += Math.min(performance.now() - before, (10 * CONFIRM_MS) / timeScale);
  }
}

const nothing = { text: null, restarted: [], candidates: [], skipped: [], failed: [] };

function sumUpdate(finished: Model['lastRun'], steps: readonly RunStep[]): RunOutcome {
  if (finished === null) return { ...nothing, kind: 'lost' };
  const { restarted, skipped, failed, outcome } = finished;
  const anyFailed = failed.length > 0 || skipped.some(({ reason }) => reason === 'build failed');
  const sum = { text: null, restarted: [...restarted], candidates: [] };
  const lists = { skipped: [...skipped], failed: [...failed] };
  // Of one session alone what kept it from being asked is the whole answer.
  const only = steps.length === 1 ? (steps[0]?.outcome ?? null) : null;
  if (only === 'conflict' || only === 'no-session' || only === 'workspace-missing') {
    return { kind: only, ...sum, ...lists };
  }
  if (outcome === 'cancelled') return { kind: 'cancelled', ...sum, ...lists };
  return { kind: outcome === 'failed' || anyFailed ? 'failed' : 'ok', ...sum, ...lists };
}
