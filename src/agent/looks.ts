import type { Message } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';

/** Waiting for what polls show, for whoever has to confirm what a command came to. */
export interface Looks {
  /** Takes each new model. */
  readonly note: (model: Model) => void;
  /** Resolves to the model after a look that began after the call; null: the agent is stopping. */
  readonly fresh: () => Promise<Model | null>;
  /** The same without waiting for as long as blindness has looks wait: for what a person waits for. */
  readonly freshNow: () => Promise<Model | null>;
  /** Resolves after that time, or with false when the agent is stopping. */
  readonly pause: (ms: number) => Promise<boolean>;
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

export function createLooks(dispatch: (message: Message) => void): Looks {
  const abort = new AbortController();
  const { signal } = abort;
  let waiting: ((model: Model) => void)[] = [];
  let isBlind = false;
  const fresh = () =>
    new Promise<Model | null>((resolve) => {
      if (signal.aborted) return resolve(null);
      const stop = () => resolve(null);
      signal.addEventListener('abort', stop, { once: true });
      waiting.push((model) => {
        signal.removeEventListener('abort', stop);
        resolve(model);
      });
      dispatch({ kind: 'hinted', at: Date.now() });
    });
  return {
    signal,
    fresh,
    freshNow() {
      const looked = fresh();
      if (isBlind) dispatch({ kind: 'refresh-asked', at: Date.now() });
      return looked;
    },
    note(model) {
      isBlind = model.sight.kind === 'blind';
      if (waiting.length === 0 || model.hintedAt !== null) return;
      const served = waiting;
      waiting = [];
      for (const take of served) take(model);
    },
    pause: (ms) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        const finish = (passed: boolean) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          resolve(passed);
        };
        const stop = () => finish(false);
        const timer = setTimeout(() => finish(true), ms);
        signal.addEventListener('abort', stop);
      }),
    stop: () => abort.abort(),
  };
}
