import type { FailureView, FleetView, RunView, SessionView } from '../../src/fleet/view.ts';
import type { TrayExtras } from '../../src/tray/situation.ts';
import type { TrayItem, TrayPicture } from '../../src/tray/tray-picture.ts';

export const today = (clock: string) => `2026-11-29T${clock}:00.000Z`;
export const saturday = (clock: string) => `2026-11-28T${clock}:00.000Z`;

/** A ready session with one client, unless told otherwise. */
export function session(key: string, details: Partial<SessionView> = {}): SessionView {
  return {
    key,
    workspace: `/home/dev/${key.slice(0, 12)}`,
    state: 'running',
    since: today('09:10'),
    imageStale: false,
    attachedClients: 1,
    waitingShims: 0,
    startedAt: saturday('09:10'),
    updatedAt: null,
    incarnation: 'cafe00000001',
    evidence: null,
    end: null,
    health: [],
    reason: null,
    actions: ['open', 'update', 'stop'],
    ...details,
  };
}

export const detached = { state: 'detached', attachedClients: 0 } as const;
export const stale = { imageStale: true } as const;
const absent = { imageStale: null, attachedClients: null, incarnation: null } as const;
export const missing = { ...absent, state: 'missing', actions: ['open'] } as const;
export const overdue = { ...absent, state: 'overdue', actions: ['open', 'ack'] } as const;
export const down = { ...absent, state: 'down', actions: ['start', 'ack'] } as const;
export const stopped = { ...absent, state: 'stopped', actions: ['start'] } as const;

export function failure(key: string, details: Partial<FailureView> = {}): FailureView {
  return {
    key,
    kind: 'late',
    at: today('03:12'),
    text: `${key} did not come back: it went away for an update and is not back after 1 min 30 s.`,
    ...details,
  };
}

export function finishedRun(details: Partial<RunView> = {}): RunView {
  return {
    id: 'run-1',
    origin: 'outside',
    scope: 'fleet',
    phase: 'done',
    startedAt: today('03:02'),
    endedAt: today('03:11'),
    restarted: ['atlas', 'hermes'],
    skipped: [],
    failed: [],
    log: null,
    outcome: 'done',
    reason: null,
    seen: false,
    ...details,
  };
}

export function run(
  details: Partial<NonNullable<FleetView['run']>> = {},
): NonNullable<FleetView['run']> {
  return {
    ...finishedRun(),
    origin: 'menu',
    phase: 'restarting',
    endedAt: null,
    outcome: null,
    startedAt: today('12:40'),
    restarted: ['atlas', 'beta'],
    log: '/state/runs/1/output',
    current: 'hermes',
    progress: [2, 7],
    ...details,
  };
}

export function fleet(
  sessions: readonly SessionView[],
  details: Partial<FleetView> = {},
): FleetView {
  return {
    schema: 1,
    checkedAt: today('12:52'),
    imagesCheckedAt: today('12:52'),
    blindSince: null,
    sandy: {
      path: '/usr/local/bin/sandy',
      version: '1.7.0',
      schemaVersion: 1,
      capabilities: ['attach', 'start', 'stop', 'update-sessions'],
    },
    docker: 'ok',
    badge: { state: 'ok', count: 0 },
    sessions,
    run: null,
    lastRun: null,
    failures: [],
    quiet: null,
    poll: { mode: 'full', nextInMs: 900_000, reason: 'idle', lastMs: 380, id: 7, awakeMs: 0 },
    ...details,
  };
}

export const extras: TrayExtras = {
  notices: new Map([
    ['notify.overnight', true],
    ['notify.late', true],
    ['notify.ended', false],
    ['notify.failedInQuietHours', true],
  ]),
  seenRunId: null,
  formatTime: (iso) => `${iso.startsWith('2026-11-29') ? '' : 'Sat '}${iso.slice(11, 16)}`,
  isLastNight: (iso) => iso.startsWith('2026-11-29T0'),
  agentTroubles: [],
  answer: null,
  work: null,
};

/** A picture as a person can read it: one row a line, and what a click on it asks for. */
export function printPicture({ icon, title, tooltip, items }: TrayPicture): string {
  const head = `icon ${icon.shape} ${icon.count ?? '-'} · title "${title}" · ${tooltip.title} | ${tooltip.text}`;
  return `${[head, ...items.flatMap((item) => printItem(item, ''))].join('\n')}\n`;
}

function printItem(item: TrayItem, indent: string): string[] {
  switch (item.kind) {
    case 'separator':
      return [`${indent}---`];
    case 'note':
      return [`${indent}${item.label}`];
    case 'submenu': {
      const opened = item.opened === undefined ? '' : `  opened: ${JSON.stringify(item.opened)}`;
      const label = `${indent}${item.label} >${opened}`;
      return [label, ...item.items.flatMap((inner) => printItem(inner, `${indent}    `))];
    }
    case 'action': {
      const mark = item.checked === null ? '' : item.checked ? '[x] ' : '[ ] ';
      const asks = item.enabled ? `  ${JSON.stringify(item.action)}` : '  (off)';
      return [`${indent}${mark}${item.label}${asks}`];
    }
  }
}

/** Every row with how deep it stands. */
export function listItems(
  items: readonly TrayItem[],
  depth = 0,
): { readonly item: TrayItem; readonly depth: number }[] {
  return items.flatMap((item) => [
    { item, depth },
    ...(item.kind === 'submenu' ? listItems(item.items, depth + 1) : []),
  ]);
}
