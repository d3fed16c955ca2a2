import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

/** A watch on sandy's folder. */
export interface ChangeHints {
  /** Watches this sandy home from now on; null stops. The same one again costs nothing. */
  readonly follow: (sandyHome: string | null) => void;
  readonly stop: () => void;
}

/**
 * Calls `onHint` when something changes in `sandboxes` of sandy's home: locks and markers come and go
 * with sessions. A hint is never a fact, the layout is sandy's own, and everything works without:
 * where the folder can't be watched there are none, and the next `follow` tries again.
 */
export function createChangeHints(onHint: () => void): ChangeHints {
  let followed: string | null = null;
  let watcher: FSWatcher | null = null;
  const stop = () => {
    watcher?.close();
    watcher = null;
  };
  return {
    stop,
    follow(sandyHome) {
      if (sandyHome === followed && watcher !== null) return;
      stop();
      followed = sandyHome;
      if (sandyHome === null) return;
      try {
        watcher = watch(join(sandyHome, 'sandboxes'), { persistent: false }, onHint);
        watcher.on('error', stop);
      } catch {
        watcher = null;
      }
    },
  };
}
