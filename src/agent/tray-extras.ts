import type { FleetView } from '../fleet/view.ts';
import type { Preferences } from '../store/preferences.ts';
import { formatMoment } from '../system/local-time.ts';
import { isLastNight } from '../tray/night.ts';
import type { TrayExtras } from '../tray/situation.ts';

/** What the tray shows besides the fleet. */
export function extrasFrom(
  fleet: FleetView,
  { notify }: Preferences,
  own: Pick<TrayExtras, 'agentTroubles' | 'answer' | 'work'>,
): TrayExtras {
  const now = new Date();
  return {
    notices: new Map(Object.entries(notify).map(([kind, on]) => [`notify.${kind}`, on])),
    seenRunId: fleet.lastRun?.seen === true ? fleet.lastRun.id : null,
    formatTime: (iso) => formatMoment(iso, now),
    isLastNight: (iso) => isLastNight(iso, now),
    ...own,
  };
}
