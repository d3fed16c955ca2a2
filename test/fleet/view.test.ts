import { describe, expect, test } from 'vitest';
import type { Capabilities } from '../../src/fleet/observation.ts';
import type { Action } from '../../src/fleet/view.ts';
import {
  absent,
  anUpdate,
  free,
  held,
  heldByDead,
  type ListedDetails,
  listed,
  modernSandy,
  startedAtOf,
  updatedAtOf,
  WatchedFleet,
} from './watched-fleet.ts';

const b = listed('b');

function watched(details: ListedDetails = {}): WatchedFleet {
  const fleet = new WatchedFleet();
  fleet.look([listed('a', details), b]);
  fleet.look([listed('a', details), b]);
  return fleet;
}

const isoOf = (stamp: string) =>
  new Date(stamp.replace(' ', 'T').replace(' +0000 UTC', 'Z')).toISOString();

describe('the JSON', () => {
  test('of an empty fleet that has not looked yet', () => {
    expect(new WatchedFleet().view).toEqual({
      schema: 1,
      checkedAt: null,
      imagesCheckedAt: null,
      blindSince: null,
      sandy: {
        path: '/home/dev/.local/bin/sandy',
        version: '1.7.0',
        schemaVersion: 1,
        capabilities: ['attach', 'start', 'stop', 'update-sessions'],
      },
      docker: 'unknown',
      badge: { state: 'unknown', count: 0 },
      sessions: [],
      run: null,
      lastRun: null,
      failures: [],
      quiet: null,
      poll: { mode: 'full', nextInMs: 0, reason: 'start', lastMs: null, id: 0, awakeMs: 0 },
    });
  });

  test('of a session, every key of it', () => {
    const fleet = watched({ life: 2, updated: true, clients: 1, stale: true });
    expect(fleet.session('a')).toEqual({
      key: 'a',
      workspace: '/ws/a',
      state: 'running',
      since: new Date(fleet.at - 1000).toISOString(),
      imageStale: true,
      attachedClients: 1,
      waitingShims: 0,
      startedAt: isoOf(startedAtOf(2)),
      updatedAt: isoOf(updatedAtOf(2)),
      incarnation: 'a-2',
      evidence: null,
      end: null,
      health: [],
      reason: null,
      actions: ['open', 'update', 'stop'],
    });
  });

  test('of a run, of a finished one, of a failure and of the poll', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.look([absent('a'), listed('b', { life: 2, updated: true })]);
    const run = fleet.view.run;
    expect(run).toEqual({
      id: `outside-${fleet.at}`,
      origin: 'outside',
      scope: 'fleet',
      phase: 'restarting',
      startedAt: new Date(fleet.at).toISOString(),
      endedAt: null,
      restarted: ['b'],
      skipped: [],
      failed: [],
      log: null,
      outcome: null,
      reason: null,
      seen: false,
      current: 'a',
      progress: [1, null],
    });
    fleet.processes = [];
    fleet.keepLooking(100_000, [absent('a'), listed('b', { life: 2, updated: true })]);
    const { lastRun, failures, poll } = fleet.view;
    expect(Object.keys(lastRun ?? {}).sort()).toEqual(
      'endedAt failed id log origin outcome phase reason restarted scope seen skipped startedAt'.split(
        ' ',
      ),
    );
    expect(Object.keys(failures[0] ?? {}).sort()).toEqual(['at', 'key', 'kind', 'text']);
    expect(poll).toMatchObject({ mode: 'light', nextInMs: 10_000, reason: 'overdue', lastMs: 100 });
  });

  test('is plain: it survives being written and read, whatever is going on', () => {
    const fleet = watched({ clients: null });
    fleet.processes = [anUpdate];
    const views = [fleet.view];
    fleet.send({ kind: 'run-began', id: 'r', origin: 'menu', scope: ['a'], log: '/log' });
    fleet.look([absent('a'), listed('b', { life: 2, updated: true }), absent('a')]);
    views.push(fleet.view);
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    fleet.keepLooking(200_000, [absent('a'), b]);
    fleet.lookBlindly();
    views.push(fleet.view);
    for (const view of views) expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });

  test('sessions and failures are in the order of their keys, whoever was seen first', () => {
    const fleet = new WatchedFleet();
    fleet.processes = [anUpdate];
    fleet.look([listed('c'), listed('B'), listed('a'), listed('__proto__')]);
    fleet.look([listed('a'), listed('__proto__'), listed('c'), listed('B')]);
    const keys = ['B', '__proto__', 'a', 'c'];
    expect(fleet.view.sessions.map(({ key }) => key)).toEqual(keys);
    fleet.keepLooking(100_000, [absent('c'), absent('B'), absent('a'), absent('__proto__')]);
    expect(fleet.view.failures.map(({ key }) => key)).toEqual(keys);
  });

  test('what could not be read of a life is null, not a guess', () => {
    const fleet = new WatchedFleet();
    const sketch = listed('a');
    const incarnation = { id: 'x', startedAt: 'some time ago', updatedAt: null };
    fleet.look([{ ...sketch, session: { incarnation, attachedClients: 0, imageStale: null } }]);
    expect(fleet.session('a')).toMatchObject({ startedAt: null, updatedAt: null });
  });

  test('of a life that is starting, not of the one before', () => {
    const fleet = watched();
    fleet.look([listed('a', { life: 3, clients: null }), b]);
    expect(fleet.session('a')).toMatchObject({
      state: 'starting',
      startedAt: isoOf(startedAtOf(3)),
      attachedClients: null,
      imageStale: null,
    });
  });
});

describe('what is stale', () => {
  test('stays known through light looks at the same life, and is asked anew of another', () => {
    const fleet = watched({ stale: true });
    fleet.look([listed('a'), b], { mode: 'light' });
    expect(fleet.session('a').imageStale).toBe(true);
    fleet.look([listed('a', { life: 2 }), b], { mode: 'light' });
    expect(fleet.session('a').imageStale).toBe(null);
  });

  test('becomes known while everything else stays as it was', () => {
    const fleet = watched();
    fleet.look([listed('a', { stale: true }), b]);
    expect(fleet.session('a').imageStale).toBe(true);
    fleet.look([listed('a', { stale: false }), b]);
    expect(fleet.session('a').imageStale).toBe(false);
  });

  test('is told with when it was asked', () => {
    const fleet = watched();
    const { imagesCheckedAt } = fleet.view;
    fleet.look([listed('a'), b], { mode: 'light' });
    expect(fleet.view.imagesCheckedAt).toBe(imagesCheckedAt);
    expect(fleet.view.checkedAt).toBe(new Date(fleet.at).toISOString());
  });

  test('is not counted of a session that is not there', () => {
    const fleet = watched({ stale: true });
    expect(fleet.view.badge).toEqual({ state: 'stale', count: 1 });
    fleet.keepLooking(100_000, [absent('a'), b]);
    expect(fleet.view.badge).toEqual({ state: 'ok', count: 0 });
  });
});

test('the badge shows the first state that applies', () => {
  const fleet = watched({ stale: true });
  const badge = () => fleet.view.badge;
  fleet.look([listed('a', { stale: true }), listed('b', { stale: false })]);
  expect(badge()).toEqual({ state: 'stale', count: 1 });
  fleet.lookBlindly();
  expect(badge()).toEqual({ state: 'unknown', count: 0 });
  fleet.send({ kind: 'run-began', id: 'r', origin: 'cli', scope: 'fleet', log: null });
  expect(badge()).toEqual({ state: 'updating', count: null });
  fleet.send({ kind: 'run-planned', total: 2, skipped: [] });
  expect(badge()).toEqual({ state: 'updating', count: 2 });
  fleet.send({ kind: 'run-restarting', key: 'a' });
  fleet.keepLooking(100_000, [absent('a'), b]);
  expect(badge()).toEqual({ state: 'attention', count: 1 });
  fleet.lookBlindly();
  expect(badge()).toEqual({ state: 'attention', count: 1 });
});

describe('health', () => {
  test.each<[string, ListedDetails, readonly string[]]>([
    ['well', {}, []],
    ['its supervisor died', { lock: heldByDead(101) }, ['supervisor-lost']],
    ['its lock is free', { lock: free }, ['supervisor-lost']],
    ['nobody could read the lock', { lock: { kind: 'unknown' } }, []],
    ['its folder is gone', { workspaceExists: false }, ['workspace-missing']],
    ['its folder is there', { workspaceExists: true }, []],
    ['both', { lock: free, workspaceExists: false }, ['supervisor-lost', 'workspace-missing']],
  ])('%s', (_, details, health) => {
    expect(watched(details).session('a').health).toEqual(health);
  });

  test('a supervisor is not lost while its session goes', () => {
    const fleet = watched();
    fleet.look([listed('a', { clients: null, lock: free }), b]);
    expect(fleet.session('a').health).toEqual([]);
    fleet.look([absent('a', free), b]);
    expect(fleet.session('a').health).toEqual([]);
  });
});

describe('actions', () => {
  type Act = (fleet: WatchedFleet) => void;
  const nothing: Act = () => {};
  const vanish =
    (forMs: number, processes = [anUpdate]): Act =>
    (fleet) => {
      fleet.processes = processes;
      fleet.keepLooking(forMs, [absent('a'), b]);
    };
  test.each<[string, ListedDetails, Act, readonly Action[]]>([
    ['ready', {}, nothing, ['open', 'update', 'stop']],
    ['ending', { clients: null }, nothing, ['open', 'update', 'stop']],
    ['without a known folder', { workspace: null }, nothing, []],
    ['without its folder', { workspaceExists: false }, nothing, []],
    ['missing', {}, vanish(3000), ['open']],
    ['overdue', {}, vanish(100_000), ['open', 'ack']],
    ['down', {}, vanish(950_000), ['start', 'ack']],
    ['ended', {}, vanish(100_000, []), ['start']],
    [
      'starting',
      {},
      (fleet) => fleet.look([listed('a', { life: 2, clients: null }), b]),
      ['open', 'stop'],
    ],
  ])('%s', (_, details, act, actions) => {
    const fleet = new WatchedFleet();
    // Old enough for silence to be no start.
    fleet.at += 3_600_000;
    fleet.look([listed('a', details), b]);
    act(fleet);
    expect(fleet.session('a').actions).toEqual(actions);
  });

  test.each<[keyof Capabilities, readonly Action[], readonly Action[]]>([
    ['attach', ['update', 'stop'], ['start']],
    ['updateSessions', ['open', 'stop'], ['start']],
    ['stop', ['open', 'update'], ['start']],
    ['start', ['open', 'update', 'stop'], []],
  ])('only what this sandy can do: without %s', (name, ready, ended) => {
    const fleet = watched();
    const capabilities = { ...modernSandy.capabilities, [name]: false };
    fleet.send({ kind: 'sandy-found', sandy: { ...modernSandy, capabilities } });
    expect(fleet.session('a').actions).toEqual(ready);
    fleet.keepLooking(100_000, [absent('a'), b]);
    expect(fleet.session('a').actions).toEqual(ended);
    expect(fleet.view.sandy?.capabilities).toHaveLength(3);
  });
});

describe('reasons', () => {
  test('an old holder that lives on after 60 s is worth a word', () => {
    const fleet = watched();
    fleet.keepLooking(60_000, [absent('a', held(101)), b]);
    expect(fleet.session('a').reason).toContain('nothing yet says why');
    fleet.look([absent('a', held(101)), b]);
    expect(fleet.session('a').reason).toContain('changed docker context');
  });

  test.each<[string, (fleet: WatchedFleet) => void, string]>([
    [
      'ending',
      (fleet) => fleet.look([listed('a', { clients: null }), b]),
      'Nothing inside answers',
    ],
    ['zombie', (f) => f.keepLooking(95_000, [listed('a', { clients: null }), b]), 'Stop it, then'],
    [
      'supervisor lost',
      (fleet) => fleet.look([listed('a', { lock: free }), b]),
      'supervisor is gone',
    ],
    [
      'no folder',
      (fleet) => fleet.look([listed('a', { workspaceExists: false }), b]),
      'folder is missing',
    ],
    [
      'conflict',
      (fleet) => fleet.look([listed('a'), b, { ...absent('a'), workspace: '/other' }]),
      'Two workspaces',
    ],
    [
      'starting',
      (fleet) => fleet.look([listed('a', { life: 2, clients: null }), b]),
      'A start is in progress',
    ],
    ['ended', (fleet) => fleet.keepLooking(100_000, [absent('a'), b]), 'nothing says'],
  ])('%s', (_, act, words) => {
    const fleet = watched();
    act(fleet);
    expect(fleet.session('a').reason).toContain(words);
  });

  test('an update that is known is named, a failure says what it is', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(3000, [absent('a'), b]);
    expect(fleet.session('a').reason).toBe('It went away for an update.');
    fleet.keepLooking(100_000, [absent('a'), b]);
    expect(fleet.session('a').reason).toBe(fleet.view.failures[0]?.text);
  });
});

test('docker is named when it is docker, and nothing is claimed of it otherwise', () => {
  const fleet = watched();
  expect(fleet.view.docker).toBe('ok');
  fleet.lookBlindly({}, 'docker-unreachable');
  expect(fleet.view.docker).toBe('unreachable');
  fleet.lookBlindly({}, 'unreadable');
  expect(fleet.view.docker).toBe('unknown');
});
