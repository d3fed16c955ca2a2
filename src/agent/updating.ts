/** Carries out an update: its steps one after the other, what they print told to the fleet, and its sum. */

import type { RunEnd } from '../fleet/finished-run.ts';
import type { Message } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';
import { mayHaveBegun, type UpdateProgress } from '../sandy/update-output.ts';
import type { RunOutcome, RunStep } from '../store/run-record.ts';
import { cancelRun } from './cancelling.ts';
import { confirmUpdate } from './confirming.ts';
import type { Looks } from './looks.ts';
import { carryOutStep, type Operation, type StepParts } from './operation.ts';
import { findProblem } from './problems.ts';
import { isForgotten } from './run-making.ts';
import { openStepLog, type StepLog } from './step-log.ts';
import { failedUnseen, leftOutOf, readStepFailure, sumCheck } from './summing-up.ts';
import { nothingTold, secondsUnchanged, tellProgress } from './telling-progress.ts';
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
  /** `over`: its commands had ended by themselves. */
  readonly cancel: () => Promise<Cut>;
  /** Whether it began to restart a session. */
  readonly hasTouched: () => boolean;
}

type Cut = 'cancelled' | 'too-late' | 'over';

/** By sandy's own count. */
const GIVEN_UP_SECONDS = 30 * 60;
/** How long the terminal that shows a run may take to find a new agent, however fast a fleet's time runs. */
const FINDING_MS = 30_000;

const BUILD_FAILED = 'build-failed';

const tooLong = Buffer.alloc(0);

export function prepareUpdate(operation: Operation, parts: OperationParts): Update {
  const { id, op, origin, onTerminal, keys, steps } = operation.record();
  const { dispatch } = parts;
  const isDryRun = op === 'check';
  const preparedAt = performance.now();
  const logs: (StepLog | null)[] = steps.map(() => null);
  let told = nothingTold;
  let cancelling: Promise<Cut> | null = null;
  /** Open until the present step's command is known, which may be started or adopted just now. */
  let known = openGate();

  const tell = (message: Message) => {
    // One that is summed up is told nothing more: what is open then is somebody else's.
    if (parts.model().run?.id === id) dispatch(message);
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
    const { steps } = operation.record();
    const progresses = steps.map((_, index) => readStep(index));
    const news = tellProgress(told, steps, progresses);
    told = news.told;
    for (const message of news.messages) tell({ ...message, at: Date.now() });
    const last = progresses.findLast((progress) => progress !== null) ?? null;
    const unchanged = last === null ? 0 : secondsUnchanged(last);
    // A slot that nobody frees would keep everything else out for ever.
    if (unchanged >= GIVEN_UP_SECONDS && !isAttended() && !isCut()) void cancel(BUILD_FAILED);
  };
  /** What is cut may take a moment to be seen to have ended. */
  const isCut = () => operation.record().wish === 'cut';
  const isAttended = () =>
    parts.isAttended() || (onTerminal && performance.now() - preparedAt < FINDING_MS);

  const cancel = (outcome: 'cancelled' | typeof BUILD_FAILED) => {
    cancelling ??= cutStep(outcome).finally(() => {
      cancelling = null;
    });
    return cancelling;
  };
  const cutStep = async (outcome: string): Promise<Cut> => {
    // Whoever adopts it lets it go on, since it may have been stopped: not while it is stopped here.
    await known.closed;
    const index = runningStep(operation.record().steps);
    if (index === -1) {
      // Between two steps: what was to come does not come.
      if (!operation.record().steps.some(({ endedAt }) => endedAt === null)) return 'over';
      operation.change({ wish: 'cut' });
      return 'cancelled';
    }
    if (operation.record().steps[index]?.outcome !== null) return 'cancelled';
    const process = operation.record().steps[index]?.process ?? null;
    readStep(index);
    const log = logs[index] ?? null;
    if (process === null || log === null) return 'too-late';
    // Noted before: whoever comes after our death must not go on with the next step.
    operation.change({ wish: 'cut' });
    const cut = await cancelRun({
      process,
      readOutput: async () => log.readAll() ?? tooLong,
      // What can't be read to its end may hold anything.
      mayHaveBegun: (output) => output === tooLong || mayHaveBegun(output),
    });
    if (cut === 'cancelled') {
      operation.changeStep(index, { outcome });
      return 'cancelled';
    }
    const isMore = operation
      .record()
      .steps.some(({ endedAt }, at) => at > index && endedAt === null);
    // It had just ended by itself; what was to come after it does not come.
    if (cut === 'gone' && isMore) return 'cancelled';
    operation.change({ wish: null });
    return cut === 'gone' ? 'over' : 'too-late';
  };

  const begin = () => {
    const { run, lastRun } = parts.model();
    if (isDryRun || run?.id === id || lastRun?.id === id) return;
    const scope = keys ?? 'fleet';
    dispatch({ kind: 'run-began', at: Date.now(), id, origin, scope, log: operation.logPath });
  };

  /** Lets a cancel decide, which it can only while it is known what is at work. */
  const letCancel = async () => {
    known.close();
    while (cancelling !== null) await cancelling;
    known = openGate();
  };
  const own: OperationParts = {
    ...parts,
    async awaitOthers() {
      // Nothing of ours is at work meanwhile.
      known.close();
      const others = await parts.awaitOthers();
      await letCancel();
      return isCut() ? { kind: 'left' } : others;
    },
  };

  const carryOutSteps = async (): Promise<RunEnd | null> => {
    let failure: string | null = null;
    for (const [index, { key, startedAt, endedAt }] of operation.record().steps.entries()) {
      // What runs has to be looked after, whatever was wished for; what had ended is only judged, since
      // the agent before may not have come to that.
      const isOpen = startedAt === null && endedAt === null;
      if (isOpen && isForgotten(operation.record(), Date.now())) operation.change({ wish: 'cut' });
      if (isOpen && isCut()) break;
      // An agent that has just begun may know nothing of the sessions yet.
      if (isOpen && parts.model().sight.kind === 'unlooked') await parts.looks.fresh();
      const problem = isOpen && key !== null ? await findProblem(parts.model(), key) : null;
      if (problem !== null && key !== null) {
        operation.changeStep(index, { endedAt: Date.now(), outcome: problem });
        continue;
      }
      const end = await carryOutStep(operation, index, own, report, () => known.close());
      await letCancel();
      if (end.kind === 'left') {
        if (isOpen && isCut() && !parts.signal.aborted) break;
        return null;
      }
      const reason = readStepFailure(operation, index, end, readStep(index));
      failure ??= reason;
      // Where sandy itself is gone or was ended by somebody's hand, the others are not tried.
      if (reason !== null && (end.kind === 'not-started' || end.signal !== null)) break;
    }
    const cuts = operation.record().steps.map((step) => step.outcome);
    if (cuts.includes(BUILD_FAILED)) return { kind: 'failed', reason: texts.imageBuildFailed };
    if (failure !== null) return { kind: 'failed', reason: failure };
    return isCut() ? { kind: 'cancelled' } : { kind: 'done' };
  };

  return {
    catchUp() {
      begin();
      report();
    },
    async carryOut() {
      begin();
      await parts.settle();
      const end = await carryOutSteps().finally(() => known.close());
      if (end === null) return null;
      report();
      const { rows } = parts.model();
      const left = leftOutOf(operation.record().steps, logs);
      for (const one of [...left, ...failedUnseen(logs, rows)]) {
        tell({ kind: 'run-left-out', at: Date.now(), ...one });
      }
      if (isDryRun) return sumCheck(end, logs);
      tell({ kind: 'run-ended', at: Date.now(), end });
      return await confirmUpdate(id, operation.record().steps, parts);
    },
    cancel: () => cancel('cancelled'),
    hasTouched: () => steps.some((_, index) => (readStep(index)?.restarting.length ?? 0) > 0),
  };
}

function openGate(): { readonly closed: Promise<void>; readonly close: () => void } {
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  return { closed, close: () => close() };
}

function runningStep(steps: readonly RunStep[]): number {
  return steps.findIndex((step) => step.startedAt !== null && step.endedAt === null);
}
