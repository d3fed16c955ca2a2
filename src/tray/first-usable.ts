/** One tray of several: the next where one can't be run. */

import type { HelperReason } from './helper-process.ts';
import type { HelperTray } from './helper-tray.ts';
import { keepState } from './kept-state.ts';
import type { TrayBackend, TrayListener, TrayPicture } from './tray-picture.ts';

/** No other tray would be any better off. */
const hopeless: ReadonlySet<HelperReason['kind'] | undefined> = new Set(['no-desktop']);

/** Starts the first, and the next when one can't be run. The last one is left to try again by itself. */
export function createFirstUsable(
  starters: readonly ((listener: TrayListener) => HelperTray)[],
  listener: TrayListener,
): TrayBackend & { readonly reason: () => HelperReason | null } {
  const left = [...starters];
  let current: HelperTray | null = null;
  let picture: TrayPicture | null = null;
  const state = keepState(listener);
  let firstReason: HelperReason | null = null;
  let ending: Promise<void> = Promise.resolve();

  const startNext = () => {
    const starter = left.shift();
    if (starter === undefined) return;
    const started: HelperTray = starter({
      onClick: listener.onClick,
      onState(next) {
        if (current !== started) return;
        const reason = started.reason();
        if (next !== 'no-helper' || left.length === 0 || hopeless.has(reason?.kind)) {
          return state.set(next);
        }
        firstReason ??= reason;
        // What it says of its end is not ours.
        current = null;
        ending = Promise.all([ending, started.stop()]).then(() => {});
        startNext();
      },
    });
    current = started;
    if (picture !== null) started.show(picture);
  };
  startNext();

  return {
    state: state.now,
    reason: () => (state.now() === 'shown' ? null : (firstReason ?? current?.reason() ?? null)),
    show(next) {
      if (state.now() === 'off') return;
      picture = next;
      current?.show(next);
    },
    async stop() {
      state.set('off');
      const stopped = current;
      current = null;
      await Promise.all([stopped?.stop(), ending]);
    },
  };
}
