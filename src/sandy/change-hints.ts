import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';

/** A watch on sandy's folder. */
export interface ChangeHints {
  /** Watches this sandy home from now on; null stops. The same one again costs one look at it. */
  readonly follow: (sandyHome: string | null) => void;
  readonly stop: () => void;
}

/**
 * Calls `onHint` when something changes in `sandboxes` of sandy's home: locks and markers come and go
 * with sessions. A hint is never a fact, the layout is sandy's own, and everything works without:
 * where the folder can't be watched there are none, and the next `follow` tries again. Where another folder
 * has come in its place, it is watched from the next `follow` on, with a hint for what nobody saw meanwhile.
 */
export function createChangeHints(onHint: () => void): ChangeHints {
  let followed: string | null = null;
  let watcher: FSWatcher | null = null;
  /** Which folder was watched last under the path that is followed; null: none was. */
  let watched: string | null = null;
  const stop = () => {
    watcher?.close();
    watcher = null;
  };
  return {
    stop,
    follow(sandyHome) {
      if (sandyHome !== followed) watched = null;
      else if (watcher !== null && identify(sandyHome) === watched) return;
      stop();
      followed = sandyHome;
      if (sandyHome === null) return;
      // Asked first: one that is replaced right now is noticed at the next call then.
      const found = identify(sandyHome);
      try {
        watcher = watch(join(sandyHome, 'sandboxes'), { persistent: false }, onHint);
        watcher.on('error', stop);
      } catch {
        watcher = null;
        return;
      }
      const replaced = watched !== null && watched !== found;
      watched = found;
      if (replaced) onHint();
    },
  };
}

/** The system watches a folder, not its path: one that was deleted or moved away tells of nothing any more. */
function identify(sandyHome: string | null): string | null {
  if (sandyHome === null) return null;
  try {
    const { dev, ino, birthtimeMs } = statSync(join(sandyHome, 'sandboxes'));
    // A number may be given out again at once; the birth differs then, where the system keeps one.
    return `${dev}/${ino}/${birthtimeMs}`;
  } catch {
    return null;
  }
}
