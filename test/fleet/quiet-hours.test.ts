import { describe, expect, test } from 'vitest';
import { newModel } from '../../src/fleet/model.ts';
import { parseQuietHours, quietUntil } from '../../src/fleet/quiet-hours.ts';
import {
  absent,
  allNotices,
  anUpdate,
  defaultWindows,
  listed,
  WatchedFleet,
} from './watched-fleet.ts';

const clock = (time: string, day = '2026-11-29') => Date.parse(`${day}T${time}:00Z`);

test.each<[string, string, number, string | null]>([
  ['22:00-07:30', '21:59', 0, null],
  ['22:00-07:30', '22:00', 0, '2026-11-30T07:30:00.000Z'],
  ['22:00-07:30', '07:29', 0, '2026-11-29T07:30:00.000Z'],
  ['22:00-07:30', '07:30', 0, null],
  ['09:00-17:00', '12:00', 0, '2026-11-29T17:00:00.000Z'],
  ['09:00-17:00', '17:00', 0, null],
  // Local time decides: 21:30 UTC is 22:30 in Berlin, 14:30 in Denver.
  ['22:00-07:30', '21:30', 60, '2026-11-30T06:30:00.000Z'],
  ['22:00-07:30', '21:30', -420, null],
  ['22:00-22:00', '22:00', 0, null],
])('quiet hours %s at %s UTC, %i min ahead: until %j', (text, time, offset, until) => {
  const end = quietUntil(parseQuietHours(text), clock(time), offset);
  expect(end === null ? null : new Date(end).toISOString()).toBe(until);
});

test.each([null, '', 'night', '22:00', '22:00-7:30'])('%j is no span', (text) => {
  expect(parseQuietHours(text)).toBe(null);
  expect(quietUntil(parseQuietHours(text), clock('23:00'), 0)).toBe(null);
});

describe('in quiet hours', () => {
  const quietFleet = (failuresPass: boolean) => {
    const hours = parseQuietHours('11:00-13:00');
    const fleet = new WatchedFleet(newModel(defaultWindows, allNotices, { hours, failuresPass }));
    fleet.look([listed('a'), listed('b')]);
    fleet.processes = [anUpdate];
    return fleet;
  };
  const heldOf = (fleet: WatchedFleet) =>
    fleet.told.flatMap(({ event, held }) => (held ? [event.kind] : []));

  test('a sum waits and comes with their end, as one digest', () => {
    const fleet = quietFleet(true);
    const a2 = listed('a', { life: 2, updated: true });
    fleet.look([a2, listed('b')]);
    fleet.processes = [];
    fleet.keepLooking(61_000, [a2, listed('b')]);
    expect(heldOf(fleet)).toEqual(['run-completed']);
    expect(fleet.view.quiet).toEqual({ until: '2026-11-29T13:00:00.000Z', held: 1 });
    fleet.at = clock('13:00');
    const effects = fleet.send({ kind: 'ticked', utcOffsetMinutes: 0 });
    expect(effects).toMatchObject([{ kind: 'digest', events: [{ kind: 'run-completed' }] }]);
    expect(fleet.send({ kind: 'ticked', utcOffsetMinutes: 0 })).toEqual([]);
  });

  test('failures pass, unless they too shall wait', () => {
    for (const passes of [true, false]) {
      const fleet = quietFleet(passes);
      fleet.keepLooking(100_000, [absent('a'), listed('b')]);
      expect(heldOf(fleet)).toEqual(passes ? [] : ['late']);
    }
  });

  test('an alarm that was held is not told once the session is back', () => {
    const fleet = quietFleet(false);
    fleet.keepLooking(100_000, [absent('a'), listed('b')]);
    fleet.look([listed('a', { life: 2 }), listed('b')]);
    fleet.at = clock('14:00');
    const [digest] = fleet.send({ kind: 'ticked', utcOffsetMinutes: 0 });
    const events = digest?.kind === 'digest' ? digest.events.map(({ kind }) => kind) : [];
    expect(events).not.toContain('late');
  });
});
