import { describeCure } from '../tray/cures.ts';
import type { TrayState } from '../tray/tray-picture.ts';

/** A desktop starts its panel when it likes, often after what it starts at log-in. */
const PATIENCE_MS = 20_000;

/** Says what shows the icon where it has not been shown for a while, each thing once: no tray is a normal state. */
export interface CureTeller {
  note(state: TrayState): void;
  stop(): void;
}

export interface CureTellerParts {
  readonly warn: (sentence: string) => void;
  readonly timeScale: number;
  /** Why no icon is shown, where the tray knows more than its state says. */
  readonly explain: () => string | null;
}

export function createCureTeller({ warn, timeScale, explain }: CureTellerParts): CureTeller {
  const told = new Set<TrayState>();
  let timer: NodeJS.Timeout | undefined;
  return {
    note(state) {
      clearTimeout(timer);
      const isFine = state === 'shown' || state === 'starting' || state === 'off';
      const cure = isFine ? null : (explain() ?? describeCure(state));
      if (cure === null || told.has(state)) return;
      timer = setTimeout(() => {
        told.add(state);
        warn(cure);
      }, PATIENCE_MS / timeScale);
    },
    stop: () => clearTimeout(timer),
  };
}
