import { randomUUID } from 'node:crypto';
import { createLooking, lookForUpdates } from '../agent/looking.ts';
import { type Loop, startLoop } from '../agent/loop.ts';
import type { StampedView } from '../attach/look-reading.ts';
import type { LookSource } from '../attach/look-source.ts';
import type { Model } from '../fleet/model.ts';
import { view } from '../fleet/view.ts';
import { createChangeHints } from '../sandy/change-hints.ts';
import type { Sandy } from '../sandy/client.ts';
import { openFleetState } from '../store/fleet-state.ts';
import { modelFromDisk } from './saved-model.ts';
import type { Setup } from './setup.ts';

/** What the last agent knew, for a terminal that loses it. */
export function lastKnown(setup: Setup): Model {
  return modelFromDisk(setup, openFleetState(setup.folders.state).saved);
}

/**
 * Looks by itself, with the agent's own loop: the same evidence and the same rhythm. It tells and saves
 * nothing. Polls are shared with other processes that are alone too.
 */
export function createAloneSource(
  sandy: Sandy,
  known: Model,
  key: string | null,
  onModel: (model: Model) => void,
): LookSource {
  const epoch = randomUUID();
  let listener: (view: StampedView) => void = () => {};
  const show = (model: Model) => {
    onModel(model);
    listener({ epoch, fleet: view(model), monoMs: performance.now() });
  };
  const poll = createLooking({
    sandy: () => sandy,
    warn: () => {},
    onSandyHome: (home) => hints.follow(home),
  });
  // A terminal needs no images: a light first look answers sooner.
  const polls = { ...known.polls, lastId: 0 };
  const first: Model = { ...known, polls, waiters: new Map(), wish: null, hintedAt: Date.now() };
  const loop: Loop = startLoop(first, {
    poll,
    show,
    tell: async () => {},
    save: () => {},
    lookForUpdates,
  });
  const hints = createChangeHints(() => loop.dispatch({ kind: 'hinted', at: Date.now() }));
  return {
    onView(callback) {
      listener = callback;
    },
    onLost() {},
    begin() {
      const at = Date.now();
      loop.dispatch({ kind: 'waiters-changed', at, key: key ?? '', count: 1 });
      loop.dispatch({ kind: 'hinted', at });
    },
    close() {
      hints.stop();
      void loop.stop();
    },
  };
}
