import type { FleetEvent } from '../fleet/events.ts';
import type { Effect } from '../fleet/message.ts';
import { composeDigest, composeNotice, type Setting } from '../notify/composing.ts';
import type { Notice } from '../notify/notifier.ts';
import type { EventLog } from '../store/event-log.ts';
import { nameHappening } from '../store/event-record.ts';
import type { Ledger } from '../store/ledger.ts';
import type { WriteOutcome } from '../system/files.ts';
import { settleWithin } from '../system/settling.ts';

/** What telling stands on. */
export interface TellerParts {
  readonly log: EventLog;
  readonly ledger: Ledger;
  /** Resolves when all that shows notices has been tried. */
  readonly show: (notice: Notice) => Promise<void>;
  readonly setting: Setting;
  /** A file that can't be written; it goes on in memory. */
  readonly onWrite: (file: 'log' | 'ledger', outcome: WriteOutcome) => void;
}

export interface Teller {
  /**
   * Tells each happening exactly once, whenever the process is killed: into the log unless it is there,
   * then the ledger's intent, the banner, and the ledger's mark. The caller saves the fleet's state only
   * after this, so that what was not told is observed again by the next process. Only the mark may come
   * later: a desktop that hangs must keep nothing from being saved, and an intent is not shown again.
   */
  readonly tell: (effects: readonly Effect[]) => void;
  /** Gives what is on its way to a desktop a moment; what takes longer is never marked. */
  readonly close: () => Promise<void>;
}

const CLOSING_LIMIT_MS = 2000;

export function createTeller(parts: TellerParts): Teller {
  const { log, ledger, show, onWrite, setting } = parts;
  const onTheirWay = new Set<Promise<void>>();
  let isClosed = false;

  const showNotice = (notice: Notice, ids: readonly string[]) => {
    onWrite('ledger', ledger.intend(ids, notice.at));
    const shown = show(notice).then(() => {
      onTheirWay.delete(shown);
      if (!isClosed) onWrite('ledger', ledger.markShown(ids, notice.at));
    });
    onTheirWay.add(shown);
  };
  const tellEvent = ({ event, notice, held }: Effect & { readonly kind: 'tell' }) => {
    const appended = log.append(event, notice);
    onWrite('log', appended.kind === 'failed' ? notWritten(appended.errorCode) : written);
    if (event.kind === 'back' && event.incident !== null) {
      const alarm = `late:${event.incident}`;
      if (ledger.stepOf(alarm) !== null) onWrite('ledger', ledger.markDone([alarm], event.at));
    }
    const id = nameHappening(event);
    if (!notice || event.noticeKind === null || id === null) return;
    if (ledger.mayShow(id, appended.kind !== 'already-there')) {
      if (!held) showNotice(composeNotice(id, event, event.noticeKind, setting), [id]);
    } else if (ledger.stepOf(id) === null) {
      // It may have been shown, as a lost ledger said or not: nor may a digest tell it.
      onWrite('ledger', ledger.intend([id], event.at));
    }
  };
  const tellDigest = (incident: string, events: readonly FleetEvent[]) => {
    // What was told before a process was killed, by itself or in a digest, is no news.
    const untold = events.filter((event) => {
      const id = nameHappening(event);
      return id !== null && ledger.stepOf(id) === null;
    });
    if (untold.length === 0) return;
    const ids = untold.flatMap((event) => nameHappening(event) ?? []);
    showNotice(composeDigest(incident, untold, setting), ids);
  };

  return {
    tell(effects) {
      for (const effect of effects) {
        switch (effect.kind) {
          case 'tell':
            tellEvent(effect);
            break;
          case 'digest':
            tellDigest(effect.incident, effect.events);
            break;
          case 'look-for-updates':
            break;
        }
      }
    },
    async close() {
      await settleWithin(Promise.all(onTheirWay), CLOSING_LIMIT_MS, () => {});
      isClosed = true;
    },
  };
}

const written: WriteOutcome = { kind: 'written' };

function notWritten(errorCode: string): WriteOutcome {
  return { kind: 'not-written', errorCode };
}
