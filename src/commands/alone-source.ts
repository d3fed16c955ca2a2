import { randomUUID } from 'node:crypto';
import { createLooking, lookForUpdates } from '../agent/looking.ts';
import { type Loop, startLoop } from '../agent/loop.ts';
import type { StampedView, Target } from '../attach/look-reading.ts';
import type { LookSource } from '../attach/look-source.ts';
import type { UpdateProcess } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';
import type { Observation, PollMode } from '../fleet/observation.ts';
import { view } from '../fleet/view.ts';
import { createChangeHints } from '../sandy/change-hints.ts';
import type { Sandy } from '../sandy/client.ts';
import { findUpdateProcesses } from '../sandy/update-processes.ts';
import { openFleetState } from '../store/fleet-state.ts';
import { readStopIntent } from '../store/stop-intents.ts';
import { modelFromDisk } from './saved-model.ts';
import type { Setup } from './setup.ts';

/** What the last agent knew, for a terminal that loses it. */
export function lastKnown(setup: Setup): Model {
  return modelFromDisk(setup, openFleetState(setup.folders.state).saved);
}

/** How old an answer may be that was another process's. */
const SHARED_ANSWER_MS = 1_000;

export interface AloneParts {
  readonly stateFolder: string;
  /** When this terminal was last attached (wall clock, milliseconds). */
  readonly attachedAt: () => number;
  readonly onModel: (model: Model) => void;
}

/**
 * Looks by itself, with the agent's own loop: the same evidence and the same rhythm. It tells and saves
 * nothing. Polls are shared with other processes that are alone too.
 */
export function createAloneSource(
  sandy: Sandy,
  lastKnown: Model,
  { key, workspace }: Target,
  { stateFolder, attachedAt, onModel }: AloneParts,
): LookSource {
  const known = forgetEarlierLife(lastKnown, key, attachedAt());
  const epoch = randomUUID();
  let listener: (view: StampedView) => void = () => {};
  let begunMs = Number.NEGATIVE_INFINITY;
  let hintedMs = Number.NEGATIVE_INFINITY;
  let again: NodeJS.Timeout | undefined;
  let following = false;
  let updating: boolean | null = null;
  const show = (model: Model) => {
    onModel(model);
    const monoMs = performance.now();
    listener({ epoch, fleet: view(model), monoMs, begunMs, updating: updating === true });
  };
  const looking = createLooking({
    sandy: () => sandy,
    warn: () => {},
    onSandyHome(home) {
      hints.follow(home);
      // What changed before the folder was watched gave no hint.
      if (!following) askForLook();
      following = true;
    },
  });
  const poll = async (mode: PollMode, signal: AbortSignal) => {
    const messages = await looking(mode, signal);
    const polled = messages.find((message) => message.kind === 'polled');
    if (polled === undefined) return messages;
    begunMs = performance.now() - (polled.tookMs || SHARED_ANSWER_MS);
    // One from before the hint can't confirm it, and there may be no other hint.
    if (begunMs < hintedMs) again = setTimeout(askForLook, SHARED_ANSWER_MS);
    updating ??= await isUpdating(polled.observation);
    return messages;
  };
  /** A session that was never seen here leaves no evidence in its row when it is gone; one look must do. */
  const isUpdating = async (observation: Observation): Promise<boolean | null> => {
    if (observation.kind === 'blind') return null;
    const isIt = (row: { readonly key: string; readonly workspace: string | null }) =>
      row.key === key || row.workspace === workspace;
    const itsKey = observation.sandboxes.find(isIt)?.key ?? key;
    const isKnown =
      observation.sessions.some((session) => session.key === itsKey) ||
      [...known.rows.values()].some(isIt);
    return !isKnown && covers(await findUpdateProcesses(), workspace);
  };
  // A terminal needs no images: a light first look answers sooner, and no full one is due for long.
  const polls = { ...known.polls, lastId: 0, fullSeenAwakeMs: known.clock.awakeMs };
  const first: Model = { ...known, polls, waiters: new Map(), wish: null, hintedAt: Date.now() };
  const loop: Loop = startLoop(first, {
    poll,
    show,
    tell: () => {},
    save: () => {},
    lookForUpdates,
  });
  const askForLook = () => loop.dispatch({ kind: 'hinted', at: Date.now() });
  const hint = () => {
    hintedMs = performance.now();
    askForLook();
  };
  const hints = createChangeHints(hint);
  /** Whoever stopped it has said so before; between processes ages count, not instants. */
  const takeStopIntent = () => {
    const at = key === null ? null : readStopIntent(stateFolder, key);
    const { stopIntentMs } = known.windows;
    if (key === null || at === null) return;
    // What came before the session was attached to has ended an earlier life of it; a clock may be set back.
    if (at < attachedAt() || Math.abs(Date.now() - at) > stopIntentMs) return;
    loop.dispatch({ kind: 'stop-intended', at: Date.now(), key });
  };
  const countWaiters = (count: number) =>
    loop.dispatch({ kind: 'waiters-changed', at: Date.now(), key: key ?? '', count });
  return {
    onView(callback) {
      listener = callback;
    },
    onLost() {},
    begin() {
      takeStopIntent();
      countWaiters(1);
      hint();
    },
    rest() {
      countWaiters(0);
    },
    close() {
      hints.stop();
      clearTimeout(again);
      void loop.stop();
    },
  };
}

/** How a session ended before it was attached to says nothing of how it ends now. */
function forgetEarlierLife(model: Model, key: string | null, attachedAt: number): Model {
  if (key === null) return model;
  const rows = new Map(model.rows);
  const row = rows.get(key);
  if (row?.phase.kind === 'off' && row.since < attachedAt) rows.delete(key);
  // The file of an intent says when it was asked for; this does not.
  const stopIntents = new Map(model.stopIntents);
  stopIntents.delete(key);
  return { ...model, rows, stopIntents };
}

/** Whether one of them may be restarting what runs in this workspace. */
function covers(processes: readonly UpdateProcess[] | null, workspace: string): boolean {
  return (processes ?? []).some(
    (process) => !process.dryRun && (process.workspace ?? workspace) === workspace,
  );
}
