/** The tray of Linux where there may be a panel of the old kind only: the two kinds, one of them at a time. */

import type { HelperReason } from './helper-process.ts';
import type { HelperTray } from './helper-tray.ts';
import type { TrayBackend, TrayListener, TrayPicture, TrayState } from './tray-picture.ts';
import type { XTraySight } from './x11-tray.ts';

export interface X11FallbackParts {
  /** Starts the usual tray; null: the old kind is wanted whatever else there is. */
  readonly startUsual: ((listener: TrayListener) => TrayBackend) | null;
  readonly startOld: (listener: TrayListener) => HelperTray;
  readonly watchOld: (onSight: (sight: XTraySight) => void) => {
    readonly sight: () => XTraySight;
    readonly stop: () => void;
  };
  readonly listener: TrayListener;
  /** By which every delay is divided. */
  readonly timeScale: number;
}

/** Panels of the usual kind may be slower to start than we are. */
const PATIENCE_MS = 10_000;

/**
 * Shows the usual icon, and where no panel takes it for ten seconds, the one of the old kind as long as the
 * X server has a tray for it and no panel of the usual kind comes.
 */
export function createX11Fallback(parts: X11FallbackParts): TrayBackend & {
  readonly reason: () => HelperReason | null;
} {
  const { listener, timeScale } = parts;
  let picture: TrayPicture | null = null;
  let old: HelperTray | null = null;
  let ending: Promise<void> = Promise.resolve();
  let isPatient = parts.startUsual !== null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let state: TrayState = 'starting';
  let reason: HelperReason | null = null;

  let usual: TrayBackend | null = null;
  let watch: ReturnType<X11FallbackParts['watchOld']> | null = null;

  const nameState = (): TrayState => {
    const known = usual?.state() ?? null;
    if (known === 'shown') return known;
    if (old !== null && old.state() !== 'no-helper') return old.state();
    if (known !== null) return known;
    const sight = watch?.sight() ?? 'unknown';
    if (old !== null || sight === 'no-display') return 'no-helper';
    return sight === 'none' ? 'no-host' : 'starting';
  };
  const settle = () => {
    if (isStopped || picture === null) return;
    const isMissed = usual === null || isLost(usual.state());
    if (!isMissed) {
      clearTimeout(timer);
      timer = undefined;
      reason = null;
      isPatient = true;
      watch?.stop();
      watch = null;
    } else if (isPatient) {
      timer ??= setTimeout(() => {
        isPatient = false;
        settle();
      }, PATIENCE_MS / timeScale);
    } else watch ??= parts.watchOld(settle);
    const isWanted = watch?.sight() === 'there';
    if (isWanted && old === null) {
      const started = parts.startOld({
        onClick: listener.onClick,
        onState() {
          if (old === started) settle();
        },
      });
      old = started;
      started.show(picture);
    } else if (!isWanted && old !== null) {
      reason = old.reason();
      const left = old;
      old = null;
      ending = Promise.all([ending, left.stop()]).then(() => {});
    }
    const next = nameState();
    if (next === state) return;
    state = next;
    listener.onState(next);
  };
  usual = parts.startUsual?.({ onClick: listener.onClick, onState: () => settle() }) ?? null;

  return {
    state: () => state,
    reason() {
      if (state === 'shown') return null;
      if (usual === null && watch?.sight() === 'no-display') {
        return { kind: 'no-display', detail: '' };
      }
      return old === null ? reason : old.reason();
    },
    show(next) {
      if (isStopped) return;
      picture = next;
      usual?.show(next);
      old?.show(next);
      settle();
    },
    async stop() {
      if (isStopped) return;
      isStopped = true;
      clearTimeout(timer);
      watch?.stop();
      state = 'off';
      listener.onState('off');
      await Promise.all([usual?.stop(), old?.stop(), ending]);
    },
  };
}

/** No panel of the usual kind shows an icon. A watcher without a panel is none. */
function isLost(state: TrayState): boolean {
  return state === 'no-watcher' || state === 'no-bus' || state === 'no-host';
}
