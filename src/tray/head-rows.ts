/** The head of the menu: how the fleet is, when that was seen, and what sandy or we can't do. */

import { texts as fleetTexts } from '../fleet/texts.ts';
import { type FleetView, isMute } from '../fleet/view.ts';
import { makeNote, makeNotes, makeSubmenu } from './rows.ts';
import { isBlind, type Situation, type TrayExtras } from './situation.ts';
import { texts } from './texts.ts';
import type { TrayItem } from './tray-picture.ts';

/** The counts, or what can't be seen and since when; and when anything was seen. */
export interface Headline {
  readonly head: string;
  readonly checked: string | null;
}

export function writeHeadline(fleet: FleetView, { formatTime }: TrayExtras): Headline {
  const { checkedAt, blindSince } = fleet;
  const counts = texts.counts(countRunning(fleet), countStale(fleet));
  if (blindSince !== null) {
    const since = formatTime(blindSince);
    return {
      head:
        fleet.docker === 'unreachable'
          ? fleetTexts.dockerGone(since)
          : fleet.sandy === null
            ? texts.sandyMissing(since)
            : texts.sandySilent(since),
      checked: checkedAt === null ? texts.neverSeen : texts.lastSeen(formatTime(checkedAt), counts),
    };
  }
  if (checkedAt === null) return { head: texts.notLookedYet, checked: null };
  return { head: counts, checked: texts.checked(formatTime(checkedAt)) };
}

function countRunning({ sessions }: FleetView): number {
  return sessions.filter(({ attachedClients }) => attachedClients !== null).length;
}

/** As the badge counts where it shows stale ones: it knows those too that are away for a moment. */
function countStale({ badge, sessions }: FleetView): number {
  if (badge.state === 'stale' && badge.count !== null) return badge.count;
  return sessions.filter(({ imageStale }) => imageStale === true).length;
}

export function drawHead({ fleet, extras }: Situation): TrayItem[] {
  const { head, checked } = writeHeadline(fleet, extras);
  const { quiet } = fleet;
  return [
    makeNote('head', head),
    ...(checked === null ? [] : [makeNote('checked', checked)]),
    ...drawLimit(fleet),
    ...(quiet === null
      ? []
      : [makeNote('quiet', texts.quiet(extras.formatTime(quiet.until), quiet.held))]),
    ...drawTroubles(extras.agentTroubles),
    ...(extras.answer === null ? [] : makeNotes('answer', extras.answer)),
  ];
}

function drawLimit(fleet: FleetView): TrayItem[] {
  const limit = explainLimit(fleet);
  return limit === null ? [] : [makeNote('limit', limit)];
}

/** What an old sandy cannot do, and the version that can; null: this one can. */
export function explainLimit(fleet: FleetView): string | null {
  const { sandy } = fleet;
  if (sandy === null || isBlind(fleet)) return null;
  // It could not say what it can do; that is no sign of age.
  if (isMute(sandy)) return null;
  const { version, capabilities } = sandy;
  if (!capabilities.includes('attach')) return texts.noDaemon(version);
  return capabilities.includes('update-sessions') ? null : texts.noUpdates(version);
}

function drawTroubles(troubles: readonly string[]): TrayItem[] {
  if (troubles.length === 0) return [];
  const notes = troubles.flatMap((trouble, index) => makeNotes(`troubles/${index}`, trouble));
  return [makeSubmenu('troubles', texts.troubles(troubles.length), notes)];
}
