import { describe, expect, test } from 'vitest';
import { alarmOf, isSettled } from '../../src/fleet/alarms.ts';
import { absent, anUpdate, listed, WatchedFleet } from './watched-fleet.ts';

const a = listed('a');
const a2 = listed('a', { life: 2, updated: true });

/** The alarms of all that was told, the oldest first. */
const alarmsOf = (fleet: WatchedFleet) => fleet.told.flatMap(({ event }) => alarmOf(event) ?? []);

function begin(id: string): WatchedFleet {
  const fleet = new WatchedFleet();
  fleet.look([a]);
  fleet.look([a]);
  fleet.send({ kind: 'run-began', id, origin: 'menu', scope: 'fleet', log: null });
  return fleet;
}

/** Whether the last alarm is settled before and after something happens. */
function follow(fleet: WatchedFleet, settle: () => void): readonly [boolean, boolean] {
  const alarm = alarmsOf(fleet).at(-1);
  if (alarm === undefined) throw new Error('no alarm');
  const before = isSettled(alarm, fleet.model);
  settle();
  return [before, isSettled(alarm, fleet.model)];
}

test.each<[string, (fleet: WatchedFleet) => void]>([
  ['it is back', (fleet) => void fleet.look([a2])],
  ['it is taken down', (fleet) => void fleet.send({ kind: 'acknowledged', key: 'a' })],
])('of a session is settled once %s', (_when, settle) => {
  const fleet = new WatchedFleet();
  fleet.processes = [anUpdate];
  fleet.look([a]);
  fleet.keepLooking(100_000, [absent('a')]);
  expect(alarmsOf(fleet)).toEqual([{ kind: 'session', key: 'a' }]);
  expect(follow(fleet, () => settle(fleet))).toEqual([false, true]);
});

test.each<[string, (fleet: WatchedFleet) => void]>([
  ['it moves again', (fleet) => void fleet.send({ kind: 'run-built', phase: 'building' })],
  [
    'it is cancelled',
    (fleet) => {
      fleet.send({ kind: 'run-ended', end: { kind: 'cancelled' } });
      fleet.look([a]);
    },
  ],
  [
    'another one hangs',
    (fleet) => {
      fleet.send({ kind: 'run-began', id: 's', origin: 'cli', scope: 'fleet', log: null });
      fleet.send({ kind: 'run-built', phase: 'hung' });
    },
  ],
])('of an update that hangs is settled once %s', (_when, settle) => {
  const fleet = begin('r');
  fleet.send({ kind: 'run-built', phase: 'hung' });
  expect(alarmsOf(fleet)).toEqual([{ kind: 'hung-run', id: 'r' }]);
  expect(follow(fleet, () => settle(fleet))).toEqual([false, true]);
});

describe('of an update that failed', () => {
  function fail(): WatchedFleet {
    const fleet = begin('r');
    fleet.send({ kind: 'run-ended', end: { kind: 'failed', reason: 'a reason' } });
    fleet.look([a]);
    expect(alarmsOf(fleet)).toEqual([{ kind: 'failed-run', id: 'r' }]);
    return fleet;
  }

  test('is settled once it was looked at', () => {
    const fleet = fail();
    const seen = () => void fleet.send({ kind: 'run-seen', id: 'r' });
    expect(follow(fleet, seen)).toEqual([false, true]);
  });

  test('is not settled by another that came after it, looked at or not', () => {
    const fleet = fail();
    const another = () => {
      fleet.look([a2]);
      fleet.keepLooking(70_000, [a2]);
    };
    expect(follow(fleet, another)).toEqual([false, false]);
    const { lastRun } = fleet.model;
    expect(lastRun?.origin).toBe('outside');
    const seen = () => void fleet.send({ kind: 'run-seen', id: lastRun?.id ?? '' });
    expect(follow(fleet, seen)).toEqual([false, false]);
  });
});

test('of what an older version held of an update nobody can say that it is settled', () => {
  const fleet = begin('r');
  fleet.send({ kind: 'run-built', phase: 'hung' });
  const { runId: _, ...event } = fleet.told.at(-1)?.event ?? {};
  const alarm = alarmOf(event as never);
  expect(alarm).toEqual({ kind: 'unknown' });
  expect(alarm && isSettled(alarm, fleet.model)).toBe(false);
});

test('of what needs nobody there is none', () => {
  const fleet = new WatchedFleet();
  fleet.look([a]);
  fleet.look([a2]);
  fleet.keepLooking(70_000, [a2]);
  expect(fleet.story).toContain('run-completed!');
  expect(alarmsOf(fleet)).toEqual([]);
});
