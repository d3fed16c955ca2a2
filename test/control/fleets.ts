import type { FleetView, SessionView } from '../../src/fleet/view.ts';

/** A fleet of so many sessions, each with a workspace of so many characters. */
export function makeFleet(count: number, workspaceLength = 20): FleetView {
  return {
    schema: 1,
    checkedAt: '2026-11-29T12:00:00.000Z',
    imagesCheckedAt: null,
    blindSince: null,
    sandy: {
      path: '/usr/local/bin/sandy',
      version: '1.7.0',
      schemaVersion: 1,
      capabilities: ['attach', 'start', 'stop', 'update-sessions'],
    },
    docker: 'ok',
    badge: { state: 'ok', count: 0 },
    sessions: Array.from({ length: count }, (_, index) => makeSession(index, workspaceLength)),
    run: null,
    lastRun: null,
    failures: [],
    quiet: null,
    poll: { mode: 'full', nextInMs: 900_000, reason: 'idle', lastMs: 380, id: 7, awakeMs: 0 },
  };
}

function makeSession(index: number, workspaceLength: number): SessionView {
  return {
    key: `session-${String(index).padStart(8, '0')}`,
    workspace: `/${'w'.repeat(workspaceLength)}`,
    state: 'running',
    since: '2026-11-29T12:00:00.000Z',
    imageStale: false,
    attachedClients: 1,
    waitingShims: 0,
    startedAt: '2026-11-29T12:00:00.000Z',
    updatedAt: null,
    incarnation: 'cafe00000001',
    evidence: null,
    end: null,
    health: [],
    reason: null,
    actions: ['open', 'update', 'stop'],
  };
}
