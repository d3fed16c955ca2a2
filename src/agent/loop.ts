import { nextPoll } from '../fleet/cadence.ts';
import type { Effect, Message } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';
import type { PollMode } from '../fleet/observation.ts';
import { absenceOf } from '../fleet/session.ts';
import { update } from '../fleet/update.ts';
import { createPoller } from './poller.ts';

/** What the loop acts on the world with. */
export interface LoopParts {
  readonly poll: (mode: PollMode, signal: AbortSignal) => Promise<readonly Message[]>;
  /** Tells what happened, in order. */
  readonly tell: (effects: readonly Effect[]) => void;
  /** Saves a model whose effects are told. */
  readonly save: (model: Model, forgottenKeys: readonly string[]) => void;
  readonly lookForUpdates: () => Promise<Message>;
  readonly show: (model: Model) => void;
}

/** The agent's loop: take a message, update, run the effects, hand the model to whoever shows it. */
export interface Loop {
  readonly model: () => Model;
  readonly dispatch: (message: Message) => void;
  /** Resolves when everything dispatched so far is told and saved. */
  readonly settle: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the loop with a model; its first poll is due at once. */
export function startLoop(first: Model, parts: LoopParts): Loop {
  let model = first;
  let settled: Promise<void> = Promise.resolve();
  let looks: Promise<void> = Promise.resolve();

  const poller = createPoller(async (mode, signal) => {
    const messages = await parts.poll(mode, signal);
    if (signal.aborted) return;
    for (const message of messages) take(message);
  });
  const take = (message: Message) => {
    const before = model;
    const [next, effects] = update(before, message);
    if (next === before && effects.length === 0) return;
    model = next;
    const forgotten = [...before.rows.keys()].filter((key) => !next.rows.has(key));
    settled = settled.then(() => {
      parts.tell(effects);
      parts.save(next, forgotten);
    });
    parts.show(next);
    if (effects.some((effect) => effect.kind === 'look-for-updates')) {
      lookForUpdates();
    }
    poller.plan(nextPoll(next));
  };
  const lookForUpdates = () => {
    looks = Promise.all([looks, parts.lookForUpdates().then(take)]).then(() => {});
  };
  // The agent before this one noticed a vanishing and died before it had looked for its reason.
  if ([...first.rows.values()].some((row) => absenceOf(row.phase)?.look === 'asked')) {
    lookForUpdates();
  }
  poller.plan(nextPoll(model));
  return {
    model: () => model,
    dispatch: take,
    settle: () => settled,
    async stop() {
      await poller.stop();
      await looks;
      await settled;
    },
  };
}
