import type { FleetEvent } from '../fleet/events.ts';
import type { Effect } from '../fleet/message.ts';
import { composeDigest, composeNotice } from '../notify/composing.ts';
import type { Notice, Notifier } from '../notify/notifier.ts';
import type { EventLog } from '../store/event-log.ts';
import { nameHappening } from '../store/event-record.ts';
import type { Ledger } from '../store/ledger.ts';
import type { WriteOutcome } from '../system/files.ts';

/** What telling stands on. */
export interface TellerParts {
  readonly log: EventLog;
  readonly ledger: Ledger;
  readonly notifier: Pick<Notifier, 'show'>;
  /** Writes a wall time as people here do. */
  readonly formatTime: (at: number) => string;
  /** A file that can't be written; it goes on in memory. */
  readonly onWrite: (file: 'log' | 'ledger', outcome: WriteOutcome) => void;
}

/**
 * Tells each happening exactly once, whenever the process is killed: into the log unless it is there,
 * then the ledger's intent, the banner, and the ledger's mark. The caller saves the fleet's state only
 * after this, so that what was not told to its end is observed again by the next process.
 */
export async function tellEffects(parts: TellerParts, effects: readonly Effect[]): Promise<void> {
  for (const effect of effects) {
    switch (effect.kind) {
      case 'tell':
        await tell(parts, effect.event, effect.notice, effect.notice && !effect.held);
        break;
      case 'digest':
        await tellDigest(parts, effect.incident, effect.events);
        break;
      case 'look-for-updates':
        break;
    }
  }
}

async function tell(
  parts: TellerParts,
  event: FleetEvent,
  notice: boolean,
  isDue: boolean,
): Promise<void> {
  const { log, ledger, onWrite, formatTime } = parts;
  const appended = log.append(event, notice);
  onWrite('log', appended.kind === 'failed' ? notWritten(appended.errorCode) : written);
  if (event.kind === 'back' && event.incident !== null) {
    const alarm = `late:${event.incident}`;
    if (ledger.stepOf(alarm) !== null) onWrite('ledger', ledger.markDone(alarm, event.at));
  }
  const id = nameHappening(event);
  if (!isDue || event.noticeKind === null || id === null) return;
  const banner = composeNotice(id, event, event.noticeKind, formatTime);
  if (!ledger.mayShow(id, appended.kind !== 'already-there')) return;
  await showNotice(parts, banner);
}

async function tellDigest(
  parts: TellerParts,
  incident: string,
  events: readonly FleetEvent[],
): Promise<void> {
  const { ledger, formatTime, onWrite } = parts;
  const named = events.map((event) => ({ event, id: nameHappening(event) }));
  // What was shown by itself before a process was killed is no news in a digest.
  const untold = named.filter(({ id }) => id === null || ledger.stepOf(id) === null);
  if (untold.length === 0) return;
  const notice = composeDigest(
    incident,
    untold.map(({ event }) => event),
    formatTime,
  );
  // It has no line in the log: where the ledger is doubted, nobody knows whether it was shown.
  if (!ledger.mayShow(notice.key, false)) return;
  // Before it: a process killed in between must not find them untold.
  for (const { id } of untold) if (id !== null) onWrite('ledger', ledger.markDone(id, notice.at));
  await showNotice(parts, notice);
}

async function showNotice(
  { ledger, notifier, onWrite }: TellerParts,
  notice: Notice,
): Promise<void> {
  onWrite('ledger', ledger.intend(notice.key, notice.at));
  await notifier.show(notice);
  onWrite('ledger', ledger.markShown(notice.key, notice.at));
}

const written: WriteOutcome = { kind: 'written' };

function notWritten(errorCode: string): WriteOutcome {
  return { kind: 'not-written', errorCode };
}
