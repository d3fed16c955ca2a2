import { mayUpdate } from '../fleet/observation.ts';
import { type FleetView, readSandyInfo, type SessionView } from '../fleet/view.ts';
import type { Look, SessionLook } from './machine.ts';

/** A snapshot, by whoever polls. */
export interface StampedView {
  /** One life of whoever polls; ids and clocks of another one can't be compared. */
  readonly epoch: string;
  readonly fleet: FleetView;
  /** When it came, by our own clock that no one sets. */
  readonly monoMs: number;
  /** By the same clock: its look did not begin earlier. Nobody knows of one that came before us. */
  readonly begunMs: number;
  /** Somebody else's update was alive when the session was first looked for, in vain. */
  readonly updating: boolean;
}

/** The session that a terminal is for. */
export interface Target {
  /** Null: it was never seen running, so that only its workspace is known. */
  readonly key: string | null;
  readonly workspace: string;
}

/**
 * What a snapshot says of one session, after an earlier one. Null: no poll came in between, so that
 * there is nothing new. Time between two lives of the poller is not counted: nobody watched.
 */
export function readLook(
  view: StampedView,
  target: Target,
  before: StampedView | null,
): Look | null {
  const { fleet } = view;
  const sameLife = before !== null && before.epoch === view.epoch;
  if (sameLife && fleet.poll.id <= before.fleet.poll.id) return null;
  if (fleet.poll.id === 0) return null;
  if (fleet.blindSince !== null) {
    return { kind: 'blind', elapsedMs: before === null ? 0 : blindTime(view, before) };
  }
  const elapsedMs = sameLife ? Math.max(0, fleet.poll.awakeMs - before.fleet.poll.awakeMs) : 0;
  const found = fleet.sessions.find((session) => isTarget(session, target));
  return {
    kind: 'sighted',
    elapsedMs,
    session: found === undefined ? { kind: 'absent', evidence: view.updating } : readSession(found),
    inRun: found !== undefined && isInRun(fleet, found.key),
    canUpdate: mayUpdate(fleet.sandy === null ? null : readSandyInfo(fleet.sandy)),
  };
}

function isTarget(session: SessionView, { key, workspace }: Target): boolean {
  return key === null ? session.workspace === workspace : session.key === key;
}

function isInRun({ run }: FleetView, key: string): boolean {
  return (
    run !== null && (run.current === key || (run.scope !== 'fleet' && run.scope.includes(key)))
  );
}

/** While blind no awake time is counted, so it is ours, capped as the poller's is. */
function blindTime(view: StampedView, before: StampedView): number {
  const capMs = 3 * (before.fleet.poll.nextInMs + (before.fleet.poll.lastMs ?? 0));
  return Math.min(Math.max(0, view.monoMs - before.monoMs), capMs);
}

function readSession(session: SessionView): SessionLook {
  if (session.end !== null) return { kind: 'off', why: endWords[session.end] };
  const evidence = session.evidence !== null;
  if (session.incarnation === null) return { kind: 'absent', evidence };
  if (session.attachedClients === null) {
    return { kind: 'unanswered', token: session.incarnation, evidence };
  }
  return {
    kind: 'ready',
    token: session.incarnation,
    clients: session.attachedClients,
    updatedAt: session.updatedAt === null ? null : Date.parse(session.updatedAt),
  };
}

const endWords = {
  stopped: 'stopped',
  quit: 'quit',
  ended: 'ended',
  'update-failed': 'down',
  late: 'down',
  'not-attachable': 'down',
} as const satisfies Record<NonNullable<SessionView['end']>, 'stopped' | 'quit' | 'ended' | 'down'>;
