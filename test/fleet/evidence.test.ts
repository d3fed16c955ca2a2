import { describe, expect, test } from 'vitest';
import type { UpdateProcess } from '../../src/fleet/message.ts';
import type { Lock } from '../../src/fleet/observation.ts';
import { absenceOf } from '../../src/fleet/session.ts';
import {
  absent,
  anUpdate,
  free,
  held,
  heldByDead,
  listed,
  unreadableLock,
  WatchedFleet,
} from './watched-fleet.ts';

/** `a` is there, then it is not; whatever evidence there is shows 100 s later as alarm or as end. */
function watched(processes: readonly UpdateProcess[] | null = []): WatchedFleet {
  const fleet = new WatchedFleet();
  fleet.processes = processes;
  fleet.look([listed('a'), listed('b')]);
  fleet.look([listed('a'), listed('b')]);
  return fleet;
}

const evidenceOf = (fleet: WatchedFleet, key = 'a') =>
  absenceOf(fleet.row(key).phase)?.evidence ?? null;

function expectAlarm(fleet: WatchedFleet, lock?: Lock): void {
  fleet.keepLooking(100_000, [absent('a', lock), listed('b')]);
  expect(fleet.session('a').state).toBe('overdue');
  expect(fleet.story.filter((line) => line === 'late a!')).toHaveLength(1);
}

function expectEnded(fleet: WatchedFleet): void {
  fleet.keepLooking(100_000, [absent('a'), listed('b')]);
  expect(fleet.session('a').state).toBe('ended');
  expect(fleet.story).not.toContain('late a!');
}

describe('(a) our own run', () => {
  const runs = { kind: 'run-began', id: 'r', origin: 'menu', scope: 'fleet', log: null } as const;

  test('it said so before the session vanished', () => {
    const fleet = watched();
    fleet.send(runs);
    fleet.send({ kind: 'run-restarting', key: 'a' });
    fleet.look([absent('a'), listed('b')]);
    expect(evidenceOf(fleet)).toBe('own-run');
    expectAlarm(fleet);
  });

  test('its word came a look late', () => {
    const fleet = watched();
    fleet.send(runs);
    fleet.look([absent('a'), listed('b')]);
    fleet.send({ kind: 'run-restarting', key: 'a' });
    expect(evidenceOf(fleet)).toBe('own-run');
    expectAlarm(fleet);
  });

  test('a start that is seen in progress afterwards only changes the words', () => {
    const fleet = watched();
    fleet.send(runs);
    fleet.send({ kind: 'run-restarting', key: 'a' });
    fleet.look([absent('a'), listed('b')]);
    expectAlarm(fleet, held(999));
    expect(evidenceOf(fleet)).toBe('own-run');
    expect(fleet.view.failures[0]?.text).toContain('still starting');
  });

  test('it said so of another session', () => {
    const fleet = watched();
    fleet.send(runs);
    fleet.send({ kind: 'run-restarting', key: 'b' });
    expectEnded(fleet);
  });

  test('it said so of a life that has returned since', () => {
    const fleet = watched();
    fleet.send(runs);
    fleet.send({ kind: 'run-restarting', key: 'a' });
    fleet.look([absent('a'), listed('b')]);
    fleet.look([listed('a', { life: 2, updated: true }), listed('b')]);
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    fleet.keepLooking(70_000, [listed('a', { life: 2, updated: true }), listed('b')]);
    expectEnded(fleet);
  });

  test('it said so long ago, and never did it', () => {
    const fleet = watched();
    fleet.send(runs);
    fleet.send({ kind: 'run-restarting', key: 'a' });
    fleet.look([listed('a'), listed('b')]);
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'stop' });
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    fleet.keepLooking(300_000, [listed('a'), listed('b')]);
    expect(fleet.view.run).toBe(null);
    // Days later somebody stops it.
    expectEnded(fleet);
  });

  test('it was killed while the stop was on its way', () => {
    const fleet = watched();
    fleet.send(runs);
    fleet.keepLooking(200_000, [listed('a'), listed('b')], 20_000);
    fleet.send({ kind: 'run-restarting', key: 'a' });
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    fleet.keepLooking(10_000, [listed('a'), listed('b')]);
    expectAlarm(fleet);
  });
});

describe('(b) a start in progress', () => {
  test.each<[string, Lock, readonly Lock[]]>([
    ['another live pid', held(101), [held(101), held(999)]],
    ['another live pid at the first absent look', held(101), [held(999)]],
    ['held again after it was free', held(101), [held(101), free, held(101)]],
    ['held after it was free while listed', free, [held(999)]],
    ['held by somebody after nobody could be read', held(101), [unreadableLock, held(999)]],
  ])('%s', (_, before, locks) => {
    const fleet = watched();
    fleet.look([listed('a', { lock: before }), listed('b')]);
    for (const lock of locks) fleet.look([absent('a', lock), listed('b')]);
    expect(evidenceOf(fleet)).toBe('start-in-progress');
    expectAlarm(fleet, locks.at(-1));
    expect(fleet.view.failures[0]?.text).toContain('still starting');
  });

  test('that has failed by the time of the alarm is not still starting', () => {
    const fleet = watched();
    for (const lock of [held(101), held(999)]) fleet.look([absent('a', lock), listed('b')]);
    expect(evidenceOf(fleet)).toBe('start-in-progress');
    expect(fleet.session('a').reason).toBe('A start is in progress.');
    fleet.look([absent('a', free), listed('b')]);
    expect(fleet.session('a').reason).toBe('It went away for an update.');
    expectAlarm(fleet, free);
    expect(fleet.view.failures[0]?.text).toContain('went away for an update');
  });

  test.each<[string, Lock, readonly Lock[]]>([
    ['the old holder lingers 25 s', held(101), [...Array(25).fill(held(101)), free]],
    ['free and stays free', held(101), [free, free]],
    ['held by another pid that is dead', held(101), [heldByDead(999)]],
    ['taken by nobody that can be read', held(101), [free, unreadableLock]],
    ['the holder was never readable while listed', unreadableLock, [held(101), free]],
  ])('not: %s', (_, before, locks) => {
    const fleet = new WatchedFleet();
    fleet.look([listed('a', { lock: before }), listed('b')]);
    fleet.look([listed('a', { lock: before }), listed('b')]);
    for (const lock of locks) fleet.look([absent('a', lock), listed('b')]);
    expect(evidenceOf(fleet)).toBe(null);
    expectEnded(fleet);
  });

  test('not: the holder of a newer life lingers after that one was stopped as well', () => {
    const fleet = watched();
    fleet.look([absent('a', held(101)), listed('b')]);
    fleet.look([absent('a', free), listed('b')]);
    const byHand = listed('a', { life: 2, clients: null, lock: held(102) });
    fleet.keepLooking(5000, [byHand, listed('b')]);
    fleet.keepLooking(20_000, [absent('a', held(102)), listed('b')]);
    expect(evidenceOf(fleet)).toBe(null);
    expectEnded(fleet);
  });

  test('blind looks show the locks but prove nothing', () => {
    const fleet = watched();
    fleet.look([absent('a', held(101)), listed('b')]);
    const sandboxes = [{ key: 'a', workspace: '/ws/a', workspaceExists: null, lock: held(999) }];
    fleet.poll({ kind: 'blind', reason: 'docker-unreachable', text: '', sandboxes });
    expect(evidenceOf(fleet)).toBe(null);
  });
});

describe('(c) an update process', () => {
  test.each<[string, readonly UpdateProcess[]]>([
    ['of the whole fleet', [anUpdate]],
    ['scoped to this workspace', [{ ...anUpdate, workspace: '/ws/a' }]],
    ['one of several', [{ ...anUpdate, dryRun: true }, anUpdate]],
  ])('%s', (_, processes) => {
    const fleet = watched(processes);
    fleet.look([absent('a'), listed('b')]);
    expect(evidenceOf(fleet)).toBe('update-process');
    expectAlarm(fleet);
  });

  test.each<[string, readonly UpdateProcess[] | null]>([
    ['none: promptly noticed, so that it was a stop', []],
    ['a dry run', [{ ...anUpdate, dryRun: true }]],
    ['scoped to another workspace', [{ ...anUpdate, workspace: '/ws/b' }]],
    ['ours, which counts by what it prints', [{ ...anUpdate, ours: true }]],
    ['nobody could tell', null],
  ])('not: %s', (_, processes) => {
    const fleet = watched(processes);
    fleet.look([absent('a'), listed('b')]);
    expect(evidenceOf(fleet)).toBe(null);
    expectEnded(fleet);
  });

  test('one look, only then: an update that begins later is none of its business', () => {
    const fleet = watched([]);
    const asked = fleet.look([absent('a'), listed('b')]);
    expect(asked.map(({ kind }) => kind)).toEqual(['look-for-updates']);
    fleet.processes = [anUpdate];
    fleet.send({ kind: 'looked', processes: [anUpdate] });
    expect(evidenceOf(fleet)).toBe(null);
    const later = fleet.keepLooking(50_000, [absent('a'), listed('b')]);
    expect(later.filter(({ kind }) => kind === 'look-for-updates')).toEqual([]);
    expectEnded(fleet);
  });

  test('a sample that was a hiccup asks anew when it really vanishes', () => {
    const fleet = watched([]);
    fleet.look([absent('a'), listed('b')]);
    fleet.look([listed('a'), listed('b')]);
    fleet.processes = [anUpdate];
    fleet.look([absent('a'), listed('b')]);
    expect(evidenceOf(fleet)).toBe('update-process');
  });
});

describe('(d) noticed late, and others came back updated', () => {
  const bUpdated = listed('b', { life: 2, updated: true });

  test('meanwhile', () => {
    const fleet = watched([]);
    fleet.look([absent('a'), bUpdated], { afterMs: 900_000 });
    expect(evidenceOf(fleet)).toBe('others-updated');
    fleet.keepLooking(100_000, [absent('a'), bUpdated]);
    expect(fleet.session('a').state).toBe('overdue');
  });

  test('in the last 30 min', () => {
    const fleet = watched([]);
    fleet.look([listed('a'), bUpdated], { afterMs: 900_000 });
    fleet.keepLooking(29 * 60_000, [listed('a'), bUpdated], 60_000);
    fleet.look([absent('a'), bUpdated], { afterMs: 31_000 });
    expect(evidenceOf(fleet)).toBe('others-updated');
  });

  test('not: longer ago', () => {
    const fleet = watched([]);
    fleet.look([listed('a'), bUpdated], { afterMs: 900_000 });
    fleet.keepLooking(31 * 60_000, [listed('a'), bUpdated], 60_000);
    fleet.look([absent('a'), bUpdated], { afterMs: 31_000 });
    expect(evidenceOf(fleet)).toBe(null);
    fleet.keepLooking(100_000, [absent('a'), bUpdated]);
    expect(fleet.session('a').state).toBe('ended');
  });

  test('not: noticed within 30 s', () => {
    const fleet = watched([]);
    fleet.look([listed('a'), bUpdated], { afterMs: 900_000 });
    fleet.look([absent('a'), bUpdated], { afterMs: 30_000 });
    expect(evidenceOf(fleet)).toBe(null);
  });

  test('not: the other was started by hand', () => {
    const fleet = watched([]);
    const byHand = listed('b', { life: 2 });
    fleet.look([absent('a'), byHand], { afterMs: 900_000 });
    expect(evidenceOf(fleet)).toBe(null);
  });

  test('not: its own update', () => {
    const fleet = watched([]);
    const aUpdated = listed('a', { life: 2, updated: true });
    fleet.look([aUpdated, listed('b')], { afterMs: 900_000 });
    fleet.look([absent('a'), listed('b')], { afterMs: 31_000 });
    expect(evidenceOf(fleet)).toBe(null);
  });

  test('in the very look that would otherwise have called it a quit', () => {
    const fleet = watched([]);
    fleet.keepLooking(20_000, [listed('a', { clients: null }), listed('b')]);
    fleet.look([absent('a'), listed('b')], { afterMs: 900_000 });
    fleet.look([absent('a'), bUpdated]);
    expect(evidenceOf(fleet)).toBe('others-updated');
    expect(fleet.session('a').state).toBe('missing');
  });

  test('a short blindness makes it late too', () => {
    const fleet = watched([]);
    fleet.lookBlindly({ afterMs: 20_000 });
    fleet.look([absent('a'), bUpdated], { afterMs: 11_000 });
    expect(evidenceOf(fleet)).toBe('others-updated');
  });
});

test('being stale is no evidence', () => {
  const fleet = new WatchedFleet();
  const stale = listed('a', { stale: true });
  fleet.look([stale, listed('b')]);
  fleet.look([stale, listed('b')]);
  expect(fleet.session('a').imageStale).toBe(true);
  expectEnded(fleet);
});

test('a new life that an update made is evidence while it is not ready', () => {
  const fleet = watched([]);
  const unready = listed('a', { life: 2, updated: true, clients: null });
  fleet.keepLooking(95_000, [unready, listed('b')]);
  expect(fleet.session('a').state).toBe('overdue');
  expect(fleet.view.failures[0]?.text).toContain('still starting');
});

test('a new life that was made by hand is none: it may take its time', () => {
  const fleet = watched([]);
  const unready = listed('a', { life: 2, clients: null });
  fleet.keepLooking(300_000, [unready, listed('b')]);
  expect(fleet.session('a').state).toBe('starting');
  expect(fleet.view.failures).toEqual([]);
});

test('the first evidence is what the alarm speaks of', () => {
  const fleet = watched([anUpdate]);
  fleet.look([absent('a'), listed('b')]);
  fleet.look([absent('a', held(999)), listed('b')]);
  expect(evidenceOf(fleet)).toBe('update-process');
});
