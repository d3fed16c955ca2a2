import type { FleetEvent } from '../../src/fleet/events.ts';
import { type Model, newModel } from '../../src/fleet/model.ts';
import type { Row } from '../../src/fleet/session.ts';
import { windowsFrom } from '../../src/fleet/windows.ts';

const notify = {
  overnight: true,
  late: true,
  failed: true,
  back: true,
  ended: false,
  progress: false,
};

/** A model as a new process has it, with short windows. */
export function makeModel(): Model {
  const settings = {
    pollFullSeconds: 900,
    returnWindowSeconds: 10,
    watchMinutes: 1,
    settleSeconds: 5,
  };
  return newModel(windowsFrom(settings, 1), notify);
}

/** A session that runs, the rest as asked. */
export function makeRow(key: string, parts: Partial<Row> = {}): Row {
  return {
    key,
    workspace: `/ws/${key}`,
    workspaceExists: true,
    phase: { kind: 'up', clients: 1, nullMs: 0, absence: null, failedStep: null },
    since: 1_000,
    incarnation: { id: `${key}-life-1`, startedAt: null, updatedAt: null },
    resumptions: 0,
    hadClient: false,
    imageStale: false,
    holder: 'alive',
    holderPid: 4_711,
    restarting: false,
    updateSeenAwakeMs: null,
    failure: null,
    conflict: false,
    sandboxGone: false,
    ...parts,
  };
}

/** A model with these rows. */
export function withRows(model: Model, rows: readonly Row[]): Model {
  return { ...model, baselined: true, rows: new Map(rows.map((row) => [row.key, row])) };
}

/** An event of which only the incident matters. */
export function makeEvent(incident: string | null, parts: Partial<FleetEvent> = {}): FleetEvent {
  return {
    at: 1_700_000_000_000,
    kind: 'late',
    key: 'zork-1',
    incident,
    noticeKind: 'late',
    text: 'zork-1 did not come back.',
    ...parts,
  };
}
