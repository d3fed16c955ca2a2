/** What somebody else is doing with sandy on this host: two commands that change sessions must not meet. */

import type { Model } from '../fleet/model.ts';
import type { Row } from '../fleet/session.ts';
import { findSandyProcesses, findWorkspace, type SandyProcess } from '../sandy/update-processes.ts';
import type { Looks } from './looks.ts';
import { texts } from './texts.ts';

/** Somebody else is at work, or this machine could not tell. */
export interface Other {
  /** Who, in a sentence. */
  readonly text: string;
  /** All the starts among what goes on of which it is known where. */
  readonly starts: readonly { readonly pid: number; readonly workspace: string }[];
}

export interface Others {
  /** Null: nobody does anything. */
  readonly find: () => Promise<Other | null>;
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
 * Looks once for somebody else's sandy command that changes sessions; null: there is none. `rows` tell
 * whose process only watches over a session by now.
 */
export async function findOther(
  rows: Model['rows'],
  ourPids: ReadonlySet<number>,
): Promise<Other | null> {
  const found = await findSandyProcesses();
  if (found === null) return { text: texts.othersUnknown, starts: [] };
  const watching = new Set([...rows.values()].flatMap((row) => watcherOf(row) ?? []));
  const others = found.filter(
    (process) =>
      !ourPids.has(process.pid) && !watching.has(process.pid) && changesSessions(process),
  );
  const [first] = others;
  if (first === undefined) return null;
  return { text: texts.busyElsewhere(first.verb, first.pid), starts: await listStarts(others) };
}

/** Whether anybody, as far as can be told, is starting the session of a workspace. */
export async function isStartedIn(workspace: string): Promise<boolean> {
  const found = (await findSandyProcesses()) ?? [];
  const starts = await listStarts(found.filter(changesSessions));
  return starts.some((start) => start.workspace === workspace);
}

/** The starts among them of which it is known what they start. */
async function listStarts(processes: readonly SandyProcess[]): Promise<Other['starts']> {
  const starts = processes
    .filter(({ verb }) => verb === 'start')
    .map(async ({ pid, named }) => {
      const workspace = named === null ? null : await findWorkspace(pid, named);
      return workspace === null ? [] : [{ pid, workspace }];
    });
  return (await Promise.all(starts)).flat();
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
        const other = await find();
        if (isOff()) return { kind: 'left' };
        if (other === null) return { kind: 'gone' };
        onWait();
        if (performance.now() > endAt) return { kind: 'still-there', text: other.text };
        if (!(await looks.pause(LOOK_EVERY_MS / timeScale))) return { kind: 'left' };
      }
    },
  };
}

function changesSessions({ verb, dryRun, ageMs }: SandyProcess): boolean {
  return !dryRun && !(verb === 'start' && ageMs !== null && ageMs > LONGEST_START_MS);
}
