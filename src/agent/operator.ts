/**
 * The host's one slot as the agent keeps it: one start, stop or update at a time. Who asks for what is being
 * done joins it; who asks for anything else is told what is busy. What an agent left unfinished, by its
 * death or its upgrade, the next one goes on with.
 */

import { isReady } from '../fleet/session.ts';
import { prepareToAct } from '../sandy/preparing.ts';
import type { RunFolders } from '../store/run-folders.ts';
import type { RunOutcome, RunRecord, RunStep } from '../store/run-record.ts';
import { acquireSlot, readSlot, type SlotUse } from '../store/slot.ts';
import { removeStopIntent, writeStopIntent } from '../store/stop-intents.ts';
import type { WriteOutcome } from '../system/files.ts';
import { formatClock } from '../system/local-time.ts';
import type { LockHolder } from '../system/lock-file.ts';
import { type Ask, covers, isStopOfStart } from './asks.ts';
import { type Operation, openOperation } from './operation.ts';
import { createOthers, type Other } from './others.ts';
import { findRefusal, type Refusal } from './problems.ts';
import { type AskedBy, isForgotten, makeRun } from './run-making.ts';
import { carryOutStart, carryOutStop } from './starting.ts';
import { nothing } from './summing-up.ts';
import { texts } from './texts.ts';
import { type OperationParts, prepareUpdate, type Update } from './updating.ts';

export type AskAnswer =
  | {
      readonly kind: 'running';
      /** It was running before. */
      readonly joined: boolean;
      readonly id: string;
      readonly logPath: string;
    }
  | { readonly kind: 'busy'; readonly text: string }
  | Refusal;

export interface OperatorParts extends Omit<OperationParts, 'awaitOthers' | 'onKnown'> {
  readonly stateFolder: string;
  readonly folders: RunFolders;
  readonly onWrite: (outcome: WriteOutcome) => void;
  /** Called when `work` may be another thing. */
  readonly onWork: () => void;
}

export interface Operator {
  /** Goes on with what was left unfinished; before anybody looks at sessions. */
  readonly adopt: (left: readonly RunRecord[]) => void;
  readonly ask: (ask: Ask, by: AskedBy) => Promise<AskAnswer>;
  /** Resolves to what a run came to; null: there is no such run. */
  readonly await: (id: string) => Promise<RunOutcome | null>;
  readonly cancel: () => Promise<{
    readonly kind: 'cancelled' | 'too-late' | 'nothing';
    readonly text: string;
  }>;
  /** What is being done, or comes last of it; null: nothing. A person's own start in a terminal is not known here. */
  readonly work: () => SlotUse | null;
  /** What somebody else is doing with sandy now; null: nothing. */
  readonly findOthers: () => Promise<Other | null>;
  /** The processes that were started here. */
  readonly ourPids: () => ReadonlySet<number>;
  /** Lets go of what is being done, which goes on without us. */
  readonly stop: () => Promise<void>;
}

interface Job {
  readonly operation: Operation;
  readonly update: Update | null;
  /** Left unfinished by an agent before this one. */
  readonly adopted: boolean;
  /** Resolves once it is known which process is at work, or that none is. */
  readonly known: Promise<void>;
  readonly finished: Promise<RunOutcome | null>;
}

const SLOT_LOOK_MS = 250;
const CUT_LIMIT_MS = 10_000;
/** Well within what a command waits for an answer. */
const SUM_LIMIT_MS = 20_000;

export function createOperator(parts: OperatorParts): Operator {
  const { stateFolder, folders, looks, model } = parts;
  /** What is being done, and what comes after it; the last job's promise ends when all are over. */
  let jobs: readonly Job[] = [];
  let asking: Promise<unknown> = Promise.resolve();
  let slot: { release: () => Promise<unknown> } | null = null;

  const ourPids = () =>
    new Set(
      jobs.flatMap(({ operation }) =>
        operation.record().steps.flatMap((step) => step.process?.pid ?? []),
      ),
    );
  const others = createOthers({ model, looks, ourPids, timeScale: parts.timeScale });

  const enqueue = (record: RunRecord, adopted = false): Job => {
    const operation = openOperation(record, folders, parts.onWrite);
    let note = () => {};
    const known = new Promise<void>((resolve) => {
      note = resolve;
    });
    const isOff = () => operation.record().wish === 'cut';
    const awaitOthers = () => others.awaitGone({ isOff, onWait: note });
    const own = { ...parts, awaitOthers, onKnown: note };
    const isUpdate = record.op === 'update' || record.op === 'check';
    const update = isUpdate ? prepareUpdate(operation, own) : null;
    const before = jobs.at(-1)?.finished ?? Promise.resolve(null);
    const job: Job = {
      operation,
      update,
      adopted,
      known,
      finished: before
        .then(() => carryOut(operation, update, own))
        .finally(async () => {
          note();
          jobs = jobs.filter((other) => other !== job);
          parts.onWork();
          if (jobs.length > 0) return;
          const held = slot;
          slot = null;
          await held?.release();
          if (!looks.signal.aborted) folders.prune();
        }),
    };
    jobs = [...jobs, job];
    parts.onWork();
    return job;
  };

  const carryOut = async (
    operation: Operation,
    update: Update | null,
    own: OperationParts,
  ): Promise<RunOutcome | null> => {
    if (!(await holdSlot(operation.record()))) return null;
    const { op, steps, wish } = operation.record();
    const [step] = steps;
    if (update === null && step?.startedAt === null) {
      const isDue = wish === null && !isForgotten(operation.record(), Date.now());
      if (!isDue) return conclude(operation, givenUp);
      // What was started in a terminal meanwhile needs no second start.
      if (op === 'start' && isReady((await looks.fresh())?.rows.get(step.key ?? ''))) {
        return conclude(operation, { ...nothing, kind: 'ok' });
      }
    }
    if (op === 'stop' && step?.startedAt === null) await intendStop(step);
    const outcome = await (update?.carryOut() ??
      (op === 'start' ? carryOutStart(operation, own) : carryOutStop(operation, own)));
    if (op === 'stop' && outcome?.kind === 'failed') {
      removeStopIntent(stateFolder, step?.key ?? '');
    }
    return outcome === null ? null : conclude(operation, outcome);
  };

  const conclude = async (operation: Operation, outcome: RunOutcome): Promise<RunOutcome> => {
    // What came of it is saved before anybody is told.
    await parts.settle();
    operation.change({ outcome, endedAt: Date.now() });
    return outcome;
  };

  /** Waits for the slot: what was left unfinished, or is to follow a start elsewhere, has to be done. */
  const holdSlot = async (record: RunRecord): Promise<boolean> => {
    while (slot === null) {
      const taken = await acquireSlot(stateFolder, useOf(record));
      if (taken.kind === 'held') slot = taken;
      // Where no lock can be kept there is none to respect either; asking has refused it already.
      else if (taken.kind === 'failed') slot = { release: async () => {} };
      else if (!(await looks.pause(SLOT_LOOK_MS))) return false;
    }
    return !looks.signal.aborted;
  };

  /** On disk before sandy is asked, for whoever sees the session end. */
  const intendStop = async ({ key }: RunStep): Promise<void> => {
    if (key === null) return;
    const at = Date.now();
    parts.dispatch({ kind: 'stop-intended', at, key });
    await parts.settle();
    writeStopIntent(stateFolder, key, at);
  };

  const ask = async (asked: Ask, by: AskedBy): Promise<AskAnswer> => {
    const joined = jobs.find(({ operation }) => isJoinable(operation.record(), asked));
    if (joined !== undefined) return answerWith(true, joined);
    const [current] = jobs;
    if (current !== undefined) {
      // Of one that was adopted just now nobody knows yet whether anything is still at work.
      await current.known;
      const record = current.operation.record();
      if (jobs.length <= 1 && current.adopted && isOver(record)) {
        // Only its sum is still to be made, if that; whoever asks can't wait until the last session is back.
        await Promise.race([current.finished, looks.pause(SUM_LIMIT_MS)]);
        if (current.operation.record().endedAt !== null) return ask(asked, by);
      }
      if (jobs.length > 1 || !isStopOfStart(record, asked)) return busyWith(useOf(record));
      current.operation.change({ wish: 'stop' });
      return begin(asked, by);
    }
    // What was seen a quarter of an hour ago decides nothing.
    if ((await looks.freshNow()) === null) return { kind: 'busy', text: texts.noAgentYet };
    const holder = await readSlot(stateFolder);
    const use = holder.kind === 'busy' ? holder.holder.info : null;
    // Somebody starts it in a terminal: a stop comes when it lands, though it doesn't run yet, and
    // another start sees whether there is anything left to do.
    const started = use !== null && use.op === 'start' ? { ...asked, ...use } : null;
    const follows = started !== null && (isStopOfStart(started, asked) || covers(started, asked));
    if (follows) return begin(asked, by, true);
    const refusal = await findRefusal(asked, model(), await prepareToAct(parts.sandy()));
    if (refusal !== null) return refusal;
    if (holder.kind === 'busy') return busyFor(holder.holder);
    if (holder.kind === 'failed') {
      return { kind: 'refused', why: 'failed', text: texts.slotUnreadable(holder.errorCode) };
    }
    return begin(asked, by);
  };

  const begin = async (asked: Ask, by: AskedBy, follows = false): Promise<AskAnswer> => {
    if (slot === null) {
      const taken = await acquireSlot(stateFolder, useOf({ ...asked, askedAt: Date.now() }));
      if (taken.kind === 'failed') {
        return { kind: 'refused', why: 'failed', text: texts.slotUnreadable(taken.errorCode) };
      }
      if (taken.kind === 'busy' && !follows) return busyFor(taken.holder);
      if (taken.kind === 'held') {
        slot = taken;
        // Only who has the slot may look: two who looked before would both see nobody.
        const other = await others.find();
        if (other !== null) {
          slot = null;
          await taken.release();
          return { kind: 'busy', text: other.text };
        }
      }
    }
    const record = makeRun(asked, by, model());
    const created = folders.create(record);
    if (created.kind === 'not-written') {
      if (jobs.length === 0) {
        await slot?.release();
        slot = null;
      }
      return { kind: 'refused', why: 'failed', text: texts.notWrittenRun(created.errorCode) };
    }
    return answerWith(false, enqueue(record));
  };

  return {
    adopt(left) {
      for (const record of left) enqueue(record, true).update?.catchUp();
    },
    ask(asked, by) {
      // One after the other, so that two asks at once can't both find nobody.
      const answer = asking.then(() => ask(asked, by));
      asking = answer.catch(() => {});
      return answer;
    },
    async await(id) {
      const job = jobs.find(({ operation }) => operation.record().id === id);
      return job === undefined ? (folders.read(id)?.outcome ?? null) : job.finished;
    },
    async cancel() {
      const [current] = jobs;
      if (current === undefined) return { kind: 'nothing', text: texts.nothingToCancel };
      if (current.update === null) {
        const { text } = busyWith(useOf(current.operation.record()));
        return { kind: 'too-late', text: texts.notCancellable(text) };
      }
      const kind = await current.update.cancel();
      // So that the slot is free when this is answered; sessions that are still awaited take longer.
      if (kind === 'cancelled') await Promise.race([current.finished, looks.pause(CUT_LIMIT_MS)]);
      const touched = current.update.hasTouched();
      if (kind === 'cancelled') return { kind, text: texts.cancelled(touched) };
      return kind === 'over' && !touched
        ? { kind: 'nothing', text: texts.nothingToCancel }
        : { kind: 'too-late', text: texts.tooLate };
    },
    work() {
      const last = jobs.at(-1);
      return last === undefined ? null : useOf(last.operation.record());
    },
    findOthers: others.find,
    ourPids,
    async stop() {
      looks.stop();
      await asking;
      await jobs.at(-1)?.finished;
    },
  };
}

/** Every command of it has ended; what came of them is being seen to, or is known. */
function isOver({ steps, endedAt }: RunRecord): boolean {
  return endedAt !== null || steps.every((step) => step.endedAt !== null);
}

/** Whether an ask is covered by what goes on: a dead attempt, or one being given up, answers nobody. */
function isJoinable(record: RunRecord, asked: Ask): boolean {
  if (record.wish !== null || !covers(record, asked)) return false;
  const { keys } = asked;
  const concerns = (key: string | null) => keys === null || key === null || keys.includes(key);
  return !record.steps.some(({ key, exitCode, outcome }) => {
    const hasFailed = outcome !== null || (exitCode !== null && exitCode !== 0);
    return concerns(key) && hasFailed;
  });
}

const givenUp: RunOutcome = { ...nothing, kind: 'cancelled', text: texts.givenUp };

function useOf({
  op,
  keys,
  askedAt,
}: Pick<RunRecord, 'op' | 'askedAt'> & Pick<Ask, 'keys'>): SlotUse {
  return { op, keys, since: new Date(askedAt).toISOString() };
}

function busyWith(use: SlotUse): { readonly kind: 'busy'; readonly text: string } {
  return { kind: 'busy', text: texts.busy(use, formatClock(new Date(use.since))) };
}

function busyFor({ pid, info }: LockHolder<SlotUse>): AskAnswer {
  return info === null ? { kind: 'busy', text: texts.busyUnknown(pid) } : busyWith(info);
}

function answerWith(joined: boolean, { operation }: Job): AskAnswer {
  return { kind: 'running', joined, id: operation.record().id, logPath: operation.logPath };
}
