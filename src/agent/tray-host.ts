import type { FleetView } from '../fleet/view.ts';
import { describeCure } from '../tray/cures.ts';
import type { TrayBackend, TrayListener, TrayPicture, TrayState } from '../tray/tray-picture.ts';

/** The agent's hand on its tray. */
export interface TrayHost {
  /** Shows the fleet, at most twice a second; a panel need not see each step. */
  readonly show: (fleet: FleetView) => void;
  readonly state: () => TrayState;
  /** Why no icon is shown, in a sentence; null: one is, or nobody knows. */
  readonly explain: () => string | null;
  readonly stop: () => Promise<void>;
}

export interface TrayHostParts {
  readonly start: (listener: TrayListener) => TrayBackend | null;
  readonly listener: TrayListener;
  readonly draw: (fleet: FleetView) => TrayPicture;
  readonly timeScale: number;
}

const SHOW_EVERY_MS = 500;

export function createTrayHost({ start, listener, draw, timeScale }: TrayHostParts): TrayHost {
  const everyMs = SHOW_EVERY_MS / timeScale;
  const backend = start(listener);
  let newest: FleetView | null = null;
  let timer: NodeJS.Timeout | null = null;
  let shownMs = Number.NEGATIVE_INFINITY;
  let stopped = false;
  const showNow = () => {
    timer = null;
    if (newest === null || stopped) return;
    shownMs = performance.now();
    backend?.show(draw(newest));
    newest = null;
  };
  return {
    state: () => backend?.state() ?? 'off',
    explain: () =>
      backend === null ? null : (backend.explain?.() ?? describeCure(backend.state())),
    show(fleet) {
      newest = fleet;
      timer ??= setTimeout(showNow, Math.max(0, shownMs + everyMs - performance.now()));
    },
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await backend?.stop();
    },
  };
}
