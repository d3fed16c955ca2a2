/** What somebody else is doing with sandy on this host: two commands that change sessions must not meet. */

import type { Model } from '../fleet/model.ts';
import type { Row } from '../fleet/session.ts';
import { findSandyProcesses, type SandyProcess } from '../sandy/update-processes.ts';
import type { Looks } from './looks.ts';
import { texts } from './texts.ts';

export interface Others {
  /** In a sentence; null: nobody does anything. */
  readonly find: () => Promise<string | null>;
  /** Waits until nobody does, or until it is not wanted any more. */
  readonly awaitGone: (wait: {
    readonly isOff: () => boolean;
    /** Called where there is somebody to wait for. */
    readonly onWait: () => void;
  }) => Promise<OthersAwaited>;
}

export type OthersAwaited =
  | { readonly kind: 'gone' }
  /** It took too long; in a sentence. */
  | { readonly kind: 'still-there'; readonly text: string }
  /** Nobody waits any more. */
  | { readonly kind: 'left' };

export interface OthersParts {
  readonly model: () => Model;
  readonly looks: Looks;
  readonly ourPids: () => ReadonlySet<number>;
  readonly timeScale: number;
}

/** sandy gives a start up after eleven minutes; who is older watches over a session that it started. */
const LONGEST_START_MS = 12 * 60 * 1000;
const LOOK_EVERY_MS = 2_000;
const AWAITED_MS = 30 * 60 * 1000;

/**
 * Looks once for somebody else's sandy command that changes sessions; says in a sentence what it is, and
 * also where this machine could not tell. Null: there is none. `rows` tell whose process only watches over
 * a session by now.
 */
export async function findOther(
  rows: Model['rows'],
  ourPids: ReadonlySet<number>,
): Promise<string | null> {
  const found = await findSandyProcesses();
  if (found === null) return texts.othersUnknown;
  const watching = new Set([...rows.values()].flatMap((row) => watcherOf(row) ?? []));
  const other = found.find(
    (process) =>
      !ourPids.has(process.pid) && !watching.has(process.pid) && changesSessions(process),
  );
  return other === undefined ? null : texts.busyElsewhere(other.verb, other.pid);
}

/**
 * Who watches over a session, or did. A life that is listed and has not answered yet is still being
 * started by whoever holds its lock: a second start would take it for dead and put it away.
 */
function watcherOf({ phase, holderPid }: Row): number | null {
  return phase.kind === 'away' && phase.listed !== null ? null : holderPid;
}

export function createOthers({ model, looks, ourPids, timeScale }: OthersParts): Others {
  const find = () => findOther(model().rows, ourPids());
  return {
    find,
    async awaitGone({ isOff, onWait }) {
      const endAt = performance.now() + AWAITED_MS / timeScale;
      for (;;) {
        const text = await find();
        if (isOff()) return { kind: 'left' };
        if (text === null) return { kind: 'gone' };
        onWait();
        if (performance.now() > endAt) return { kind: 'still-there', text };
        if (!(await looks.pause(LOOK_EVERY_MS / timeScale))) return { kind: 'left' };
      }
    },
  };
}

function changesSessions({ verb, dryRun, ageMs }: SandyProcess): boolean {
  return !dryRun && !(verb === 'start' && ageMs !== null && ageMs > LONGEST_START_MS);
}
