import type { FleetView, SessionView } from '../fleet/view.ts';
import type { Look, SessionLook } from './machine.ts';

/** A snapshot, by whoever polls. */
export interface StampedView {
  /** One life of whoever polls; ids and clocks of another one can't be compared. */
  readonly epoch: string;
  readonly fleet: FleetView;
  /** When it came, by our own clock that no one sets. */
  readonly monoMs: number;
}

/**
 * What a snapshot says of one session, after an earlier one. Null: no poll came in between, so that
 * there is nothing new. Time between two lives of the poller is not counted: nobody watched.
 */
export function readLook(view: StampedView, key: string, before: StampedView | null): Look | null {
  const { fleet } = view;
  const sameLife = before !== null && before.epoch === view.epoch;
  if (sameLife && fleet.poll.id <= before.fleet.poll.id) return null;
  if (fleet.poll.id === 0) return null;
  if (fleet.blindSince !== null) {
    return { kind: 'blind', elapsedMs: before === null ? 0 : blindTime(view, before) };
  }
  const elapsedMs = sameLife ? Math.max(0, fleet.poll.awakeMs - before.fleet.poll.awakeMs) : 0;
  const { run } = fleet;
  const inRun =
    run !== null && (run.current === key || (run.scope !== 'fleet' && run.scope.includes(key)));
  return {
    kind: 'sighted',
    elapsedMs,
    session: readSession(fleet.sessions.find((session) => session.key === key)),
    inRun,
    canUpdate: fleet.sandy?.capabilities.includes('update-sessions') ?? true,
  };
}

/** While blind no awake time is counted, so it is ours, capped as the poller's is. */
function blindTime(view: StampedView, before: StampedView): number {
  const capMs = 3 * (before.fleet.poll.nextInMs + (before.fleet.poll.lastMs ?? 0));
  return Math.min(Math.max(0, view.monoMs - before.monoMs), capMs);
}

function readSession(session: SessionView | undefined): SessionLook {
  if (session === undefined) return { kind: 'absent', evidence: false };
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
