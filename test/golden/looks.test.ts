import { expect, test } from 'vitest';
import type { PollMode } from '../../src/fleet/observation.ts';
import type { Health } from '../../src/fleet/view.ts';
import { WatchedFleet } from '../fleet/watched-fleet.ts';
import { observationOf, readCapture, readExpected, readState } from './captures.ts';

interface ExpectedLook {
  readonly readable: boolean;
  readonly sight: 'sighted' | 'blind';
  readonly mode: PollMode;
  readonly schemaVersion?: number;
  readonly sandyHome?: string | null;
  readonly now?: number;
  readonly sandboxes:
    | readonly {
        readonly key: string;
        readonly workspace: string | null;
        readonly workspaceExists: boolean | null;
        readonly lock: { kind: string; pid: number | null; alive: boolean | null };
      }[]
    | null;
  readonly sessions: readonly {
    readonly key: string;
    readonly id: string;
    readonly startedAt: string;
    readonly startedAtUtc: string;
    readonly updatedAt: string | null;
    readonly attachedClients: number | null;
    readonly imageStale: boolean | null;
    readonly first: { readonly state: string; readonly health: readonly Health[] };
  }[];
  readonly counts: { readonly sessions: number; readonly stale: number } | null;
}

const looks = readExpected('looks-').flatMap(([, files]) =>
  Object.entries(files as Readonly<Record<string, ExpectedLook>>),
);

const byKey = (a: { readonly key: string }, b: { readonly key: string }) =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0;

test('every version has its looks', () => {
  expect(looks.length).toBeGreaterThanOrEqual(100);
});

test.each(looks)('%s is read as it was printed', (file, look) => {
  const reading = readState(readCapture(file));
  expect(reading.kind !== 'unreadable').toBe(look.readable);
  if (reading.kind === 'unreadable') return;
  expect(reading.kind).toBe(look.sight === 'sighted' ? 'seen' : 'docker-unreachable');
  expect(reading.losses).toEqual([]);
  expect(reading.schemaVersion).toBe(look.schemaVersion);
  const sandboxes = reading.sandboxes.map((sandbox) => ({
    ...sandbox,
    lock: { pid: null, alive: null, ...sandbox.lock },
  }));
  expect(sandboxes).toEqual(look.sandboxes);
  if (reading.kind !== 'seen') return;
  expect(reading.sandyHome).toBe(look.sandyHome);
  expect(reading.sessions.map(({ incarnation, ...rest }) => ({ ...incarnation, ...rest }))).toEqual(
    look.sessions.map(({ startedAtUtc: _, first: __, ...session }) => session),
  );
});

test.each(looks)('%s is shown as it is at a first look', (file, look) => {
  const fleet = new WatchedFleet();
  fleet.at = look.now ?? fleet.at;
  const observation = observationOf(readState(readCapture(file)), look.mode);
  fleet.poll(observation, { afterMs: 0, mode: look.mode });
  const { view } = fleet;
  if (look.sight === 'blind') {
    expect(view).toMatchObject({ checkedAt: null, sessions: [], badge: { state: 'unknown' } });
    expect(view.blindSince).toBe(new Date(fleet.at).toISOString());
    expect(view.docker).toBe(look.readable ? 'unreachable' : 'unknown');
    return;
  }
  expect(view).toMatchObject({ blindSince: null, docker: 'ok' });
  expect(view.imagesCheckedAt).toBe(look.mode === 'full' ? view.checkedAt : null);
  const shown = view.sessions.map((session) => ({
    key: session.key,
    startedAt: session.startedAt,
    updatedAt: session.updatedAt,
    state: session.state,
    health: session.health,
    attachedClients: session.attachedClients,
    imageStale: session.imageStale,
  }));
  const wanted = look.sessions.map(({ key, startedAtUtc, first, ...session }) => ({
    key,
    startedAt: startedAtUtc,
    updatedAt: session.updatedAt && new Date(session.updatedAt).toISOString(),
    state: first.state,
    health: first.health,
    attachedClients: session.attachedClients,
    // A start is still in progress: its image is whatever it just started from, not yet worth a word.
    imageStale: first.state === 'starting' ? null : session.imageStale,
  }));
  expect(shown).toEqual(wanted.sort(byKey));
  expect(view.sessions).toHaveLength(look.counts?.sessions ?? 0);
  const stale = look.counts?.stale ?? 0;
  expect(view.badge).toEqual({ state: stale > 0 ? 'stale' : 'ok', count: stale });
  expect(fleet.story).toEqual(['baseline']);
});
