import type { TrayState } from './tray-picture.ts';

/** Why no icon is shown, and the one thing that mends it; null: one is, or none is wanted. */
export function describeCure(state: TrayState | (string & {})): string | null {
  return Object.hasOwn(cures, state) ? cures[state as keyof typeof cures] : null;
}

const cures = {
  'no-bus':
    'No icon is shown: there is no D-Bus session. It appears by itself once there is one; until then: sandy-tray status',
  'no-watcher':
    'No icon is shown: no panel shows such icons. On GNOME install and enable its AppIndicator extension (gnome-shell-extension-appindicator); elsewhere add a status tray to the panel. It then appears by itself.',
  'no-host':
    'No icon is shown: the desktop knows such icons, but no panel shows them. Add a status tray to the panel; it then appears by itself.',
  'no-helper':
    'No icon is shown: the program that would draw it does not run here. See: sandy-tray doctor',
} satisfies Partial<Record<TrayState, string>>;
