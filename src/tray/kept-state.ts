import type { TrayListener, TrayState } from './tray-picture.ts';

/** How a tray fares, told whenever it changes; once it is `off` it stays so. */
export interface KeptState {
  readonly now: () => TrayState;
  readonly set: (next: TrayState) => void;
}

export function keepState({ onState }: Pick<TrayListener, 'onState'>): KeptState {
  let state: TrayState = 'starting';
  return {
    now: () => state,
    set(next) {
      if (state === next || state === 'off') return;
      state = next;
      onState(next);
    },
  };
}
