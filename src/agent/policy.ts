import type { QuietPolicy } from '../fleet/events.ts';
import { parseQuietHours } from '../fleet/quiet-hours.ts';
import type { Preferences } from '../store/preferences.ts';

/** When banners are held back, as the preferences say. */
export function quietFrom(preferences: Preferences): QuietPolicy {
  return {
    hours: parseQuietHours(preferences.quietHours),
    failuresPass: preferences.notify.failedInQuietHours,
  };
}
