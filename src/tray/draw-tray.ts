/** The whole of the tray as data: a pure function of what is known, the same for every desktop. */

import type { FleetView } from '../fleet/view.ts';
import { drawFailures } from './failure-rows.ts';
import { drawHead, explainLimit, writeHeadline } from './head-rows.ts';
import { cleanLabel, nameId } from './labels.ts';
import { joinSections, makeAction, makeSubmenu, makeSwitch } from './rows.ts';
import { drawCheck, drawLastRun, drawRun, drawUpdates } from './run-rows.ts';
import { drawSessions } from './session-rows.ts';
import type { Situation, TrayExtras } from './situation.ts';
import { noticeWords, texts } from './texts.ts';
import type { TrayItem, TrayPicture } from './tray-picture.ts';

const MAX_TITLE_COUNT = 99;

/**
 * Draws what a tray shows of a fleet. It holds absolute times only, so that nothing in it changes while
 * nothing happens; what starts, stops or restarts is never at the first level; and nothing is deeper than
 * the second level below the top, since some desktops open submenus in place. Session keys in `fleet` are
 * unique, as the fleet makes them; ids are then unique too, whatever the keys are.
 */
export function drawTray(fleet: FleetView, extras: TrayExtras): TrayPicture {
  const situation: Situation = { fleet, extras };
  const { badge } = fleet;
  const { head, checked } = writeHeadline(fleet, extras);
  const count = badge.count !== null && badge.count > 0 ? badge.count : null;
  return {
    icon: { shape: badge.state, count },
    title: writeTitle(count),
    tooltip: {
      title: cleanLabel(writeTip(fleet)),
      text:
        checked === null ? cleanLabel(head) : texts.tipText(cleanLabel(head), cleanLabel(checked)),
    },
    items: joinSections([
      ['head', drawHead(situation)],
      ['failures', drawFailures(situation)],
      ['runs', [...drawLastRun(situation), ...drawRun(situation), ...drawCheck(situation)]],
      ['sessions', drawSessions(situation)],
      ['updates', [...drawUpdates(situation), drawRefresh()]],
      ['tail', drawTail(extras)],
    ]),
  };
}

function writeTitle(count: number | null): string {
  if (count === null) return '';
  return count > MAX_TITLE_COUNT ? `${MAX_TITLE_COUNT}+` : String(count);
}

function writeTip(fleet: FleetView): string {
  const { state, count } = fleet.badge;
  switch (state) {
    case 'attention':
      return texts.tipFailures(count ?? 0);
    case 'updating':
      return texts.tipUpdating;
    case 'unknown':
      return texts.tipUnknown;
    case 'stale':
      return texts.tipStale(count ?? 0);
    case 'ok':
      return explainLimit(fleet) ?? writeNothingPinned(fleet);
  }
}

/** That nothing is pinned is not all that there is to know. */
function writeNothingPinned({ sessions }: FleetView): string {
  const running = sessions.filter(({ attachedClients }) => attachedClients !== null);
  const staleKnown = running.every(({ imageStale }) => imageStale !== null);
  const odd = sessions.filter(
    ({ health, state }) => health.length > 0 || state === 'overdue' || state === 'down',
  );
  return texts.tipOk(running.length, staleKnown, odd.length);
}

function drawRefresh(): TrayItem {
  return makeAction({
    id: 'refresh',
    label: texts.refresh,
    why: null,
    action: { kind: 'refresh' },
  });
}

function drawTail({ notices }: TrayExtras): TrayItem[] {
  const switches = [...notices].map(([preference, on]) =>
    makeSwitch(
      `notices/${nameId(preference)}`,
      Object.hasOwn(noticeWords, preference) ? (noticeWords[preference] ?? '') : preference,
      on,
      { kind: 'set-notice', preference, on: !on },
    ),
  );
  return [
    ...(switches.length === 0 ? [] : [makeSubmenu('notices', texts.notifications, switches)]),
    makeAction({ id: 'log', label: texts.showLog, why: null, action: { kind: 'show-log' } }),
    makeAction({ id: 'doctor', label: texts.doctor, why: null, action: { kind: 'doctor' } }),
    makeAction({ id: 'quit', label: texts.quit, why: null, action: { kind: 'quit' } }),
  ];
}
