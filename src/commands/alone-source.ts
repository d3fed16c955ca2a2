import { randomUUID } from 'node:crypto';
import { type Loop, startLoop } from '../agent/loop.ts';
import type { StampedView } from '../attach/look-reading.ts';
import type { LookSource } from '../attach/look-source.ts';
import type { Model } from '../fleet/model.ts';
import type { PollMode } from '../fleet/observation.ts';
import { view } from '../fleet/view.ts';
import { createChangeHints } from '../sandy/change-hints.ts';
import { knownSandy, type Sandy } from '../sandy/client.ts';
import { lookAtSandy } from '../sandy/looking.ts';
import { findUpdateProcesses } from '../sandy/update-processes.ts';

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
  let pollId = 0;
  const show = (model: Model) => {
    onModel(model);
    listener({ epoch, fleet: view(model), monoMs: performance.now() });
  };
  const poll = async (mode: PollMode, signal: AbortSignal) => {
    const { observation, durationMs } = await lookAtSandy(sandy, mode, signal);
    if (observation.kind === 'sighted') hints.follow(observation.sandyHome);
    const at = Date.now();
    pollId += 1;
    return [
      { kind: 'sandy-found', at, sandy: knownSandy(sandy) },
      {
        kind: 'polled',
        at,
        id: pollId,
        monoMs: performance.now(),
        tookMs: durationMs,
        mode: observation.kind === 'sighted' ? observation.mode : mode,
        observation,
      },
    ] as const;
  };
  // A terminal needs no images: a light first look answers sooner.
  const polls = { ...known.polls, lastId: 0 };
  const first: Model = { ...known, polls, waiters: new Map(), wish: null, hintedAt: Date.now() };
  const loop: Loop = startLoop(first, {
    poll,
    show,
    tell: async () => {},
    save: () => {},
    lookForUpdates: async () => ({
      kind: 'looked',
      processes: await findUpdateProcesses(),
      at: Date.now(),
    }),
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
