/**
 * The ledger of notices: what keeps a banner from being shown twice, whenever the agent is killed. An
 * intent is on disk before a banner is shown, and `shown` after it: an intent that a new process finds
 * alone may or may not have been seen, and is not shown again.
 */

import { join } from 'node:path';
import {
  removeAbandonedDrafts,
  type WriteOutcome,
  writeFileAtomicallyNow,
} from '../system/files.ts';
import { readJsonFile, type Unusable } from './json-file.ts';
import {
  decideShowing,
  formatLedger,
  type LedgerContent,
  type LedgerStep,
  ledgerFormat,
  parseLedger,
  pruneLedger,
} from './ledger-entries.ts';
import { setAside, wasSetAside } from './set-aside.ts';
import { texts } from './texts.ts';

/**
 * Ids are happenings, `kind:incident`. Every change is on disk when its function returns; one that
 * could not be written goes on in memory and is written with the next. Until then a kill could have
 * that notice shown again.
 */
export interface Ledger {
  /** Sentences for the person: what could not be read at opening. */
  readonly problems: readonly string[];
  /** Notices that an earlier process meant to show and may have shown. */
  readonly unsure: readonly string[];
  /** Whether this notice may be shown; `loggedNow`: its event was not in the log before. */
  mayShow(id: string, loggedNow: boolean): boolean;
  stepOf(id: string): LedgerStep | null;
  /** What one banner tells is written in one step: all of it is meant to be shown, or none. */
  intend(ids: readonly string[], at: number): WriteOutcome;
  markShown(ids: readonly string[], at: number): WriteOutcome;
  markDone(ids: readonly string[], at: number): WriteOutcome;
  /** Tries once more to write what could not be written. */
  flush(): WriteOutcome;
  /**
   * Drops what is old. To be called after the fleet's state was saved, and only then: before that,
   * what happened long ago can be seen again by a process that comes after a long pause.
   */
  prune(at: number): WriteOutcome;
}

/** Opens the ledger of the state folder; `at` is now. A file that can't be used is kept as `.bad`. */
export function openLedger(folder: string, at: number): Ledger {
  const path = join(folder, 'ledger.json');
  removeAbandonedDrafts(path);
  const opened = readLedger(path, at);
  let { content, inTheWay } = opened;
  let unwritten = false;

  const write = (next: LedgerContent): WriteOutcome => {
    content = next;
    const outcome = replaceFile();
    unwritten = outcome.kind === 'not-written';
    return outcome;
  };
  const replaceFile = (): WriteOutcome => {
    if (inTheWay) {
      const kept = setAside(path);
      if (kept.kind === 'not-kept' && kept.errorCode !== 'ENOENT') {
        return { kind: 'not-written', errorCode: kept.errorCode };
      }
      inTheWay = false;
    }
    return writeFileAtomicallyNow(path, formatLedger(content));
  };
  const mark = (step: LedgerStep) => (ids: readonly string[], stepAt: number) => {
    const entries = new Map(content.entries);
    for (const id of ids) entries.set(id, { id, step, at: stepAt });
    return write({ ...content, entries });
  };

  return {
    problems: opened.problems,
    unsure: [...content.entries.values()].filter((e) => e.step === 'intent').map((e) => e.id),
    mayShow: (id, loggedNow) => decideShowing(content, id, loggedNow),
    stepOf: (id) => content.entries.get(id)?.step ?? null,
    intend: mark('intent'),
    markShown: mark('shown'),
    markDone: mark('done'),
    flush: () => (unwritten ? write(content) : { kind: 'written' }),
    prune(now) {
      const next = pruneLedger(content, now);
      return next === content && !unwritten ? { kind: 'written' } : write(next);
    },
  };
}

interface OpenedLedger {
  readonly content: LedgerContent;
  readonly problems: readonly string[];
  /** A file that can't be used is still there: it must be moved before anything is written. */
  readonly inTheWay: boolean;
}

function readLedger(path: string, at: number): OpenedLedger {
  const read = readJsonFile(path, ledgerFormat);
  switch (read.kind) {
    case 'missing':
      // A process that lost its ledger may have died before it could write a new one.
      return {
        content: { entries: new Map(), doubtedAt: wasSetAside(path) ? at : null },
        problems: [],
        inTheWay: false,
      };
    case 'read': {
      const content = parseLedger(read.object);
      if (content === null) return loseLedger(path, { why: 'broken' }, at);
      return { content, problems: [], inTheWay: false };
    }
    case 'unusable':
      return loseLedger(path, read, at);
  }
}

function loseLedger(path: string, unusable: Unusable, at: number): OpenedLedger {
  const kept = setAside(path);
  return {
    content: { entries: new Map(), doubtedAt: at },
    problems: [texts.lostFile(path, unusable, kept, texts.lostLedgerMeans)],
    inTheWay: kept.kind === 'not-kept',
  };
}
