import type { HelperCondition, HelperReason } from './helper-process.ts';
import type { TrayBackend, TrayState } from './tray-picture.ts';

/** A tray that another program draws. */
export interface HelperTray extends TrayBackend {
  /** Why it is not shown; null: it is, or it is not known yet. */
  readonly reason: () => HelperReason | null;
  /** The program's number while it runs. */
  readonly pid: () => number | null;
}

/** How a tray fares whose helper fares so. */
export function nameState(
  condition: HelperCondition,
): Extract<TrayState, 'starting' | 'shown' | 'no-helper' | 'off'> {
  switch (condition) {
    case 'starting':
      return 'starting';
    case 'ready':
      return 'shown';
    case 'unusable':
      return 'no-helper';
    case 'stopped':
      return 'off';
  }
}
