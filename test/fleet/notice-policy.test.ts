import { describe, expect, test } from 'vitest';
import { newModel } from '../../src/fleet/model.ts';
import { parseQuietHours } from '../../src/fleet/quiet-hours.ts';
import {
  absent,
  allNotices,
  anUpdate,
  defaultWindows,
  listed,
  type Sketch,
  storyOf,
  WatchedFleet,
} from './watched-fleet.ts';

/** What was shown, as `kind key` or `digest of n`. */
function bannersOf(fleet: WatchedFleet): readonly string[] {
  return storyOf(
    fleet.effects.filter(
      (effect) =>
        effect.kind === 'digest' || (effect.kind === 'tell' && effect.notice && !effect.held),
    ),
  );
}

/** Sessions of which each was quit: a banner that needs nobody, where those are switched on. */
function quitOneByOne(fleet: WatchedFleet, keys: readonly string[], everyMs: number): void {
  const all = keys.map((key) => listed(key));
  fleet.look(all);
  keys.forEach((_, index) => {
    const seen: Sketch[] = all.map((sketch, at) => (at <= index ? absent(sketch.key) : sketch));
    fleet.keepLooking(95_000, seen, 1000);
    fleet.at += everyMs;
  });
}

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);

describe('many banners', () => {
  test('more than six in ten minutes wait, and then come as one digest', () => {
    const fleet = new WatchedFleet();
    quitOneByOne(fleet, keysOf(9), 0);
    const shown = bannersOf(fleet);
    expect(shown.slice(0, 6)).toEqual(keysOf(6).map((key) => `ended ${key}!`));
    // The first of them is ten minutes old by the time that the seventh ended.
    fleet.at += 600_000;
    fleet.send({ kind: 'ticked', utcOffsetMinutes: 0 });
    expect(bannersOf(fleet).slice(6).join()).toMatch(/^(ended s6!,)?digest of \d/);
    const told = fleet.told.filter(({ event }) => event.kind === 'ended');
    expect(told).toHaveLength(9);
    expect(fleet.model.held).toEqual([]);
  });

  test('what needs a person never waits', () => {
    const fleet = new WatchedFleet();
    fleet.processes = [anUpdate];
    const keys = keysOf(9);
    fleet.look(keys.map((key) => listed(key)));
    fleet.keepLooking(
      100_000,
      keys.map((key) => absent(key)),
    );
    expect(bannersOf(fleet)).toEqual(keys.map((key) => `late ${key}!`));
  });
});

describe('several found in one look, as after a sleep', () => {
  /** Three that are back at once, whose alarms were raised before. */
  function bringBack(fleet: WatchedFleet): void {
    fleet.processes = [anUpdate];
    const keys = keysOf(3);
    fleet.look(keys.map((key) => listed(key)));
    fleet.keepLooking(
      100_000,
      keys.map((key) => absent(key)),
    );
    fleet.effects.length = 0;
    fleet.look(keys.map((key) => listed(key, { life: 2, updated: true })));
  }

  test('become one digest', () => {
    const fleet = new WatchedFleet();
    bringBack(fleet);
    expect(bannersOf(fleet)).toEqual(['digest of 3']);
  });

  test('in quiet hours wait for their end with the rest', () => {
    const hours = parseQuietHours('11:00-13:00');
    const fleet = new WatchedFleet(
      newModel(defaultWindows, allNotices, { hours, failuresPass: true }),
    );
    bringBack(fleet);
    expect(bannersOf(fleet)).toEqual([]);
  });
});

describe('who was in', () => {
  test('is remembered over a restart that nobody saw', () => {
    const fleet = new WatchedFleet();
    fleet.look([listed('a', { clients: 1 }), listed('b')]);
    fleet.look([listed('a', { life: 2, updated: true }), listed('b', { life: 2, updated: true })]);
    expect([fleet.row('a').hadClient, fleet.row('b').hadClient]).toEqual([true, false]);
    fleet.look([listed('a', { life: 2, updated: true, clients: 1 }), listed('b', { life: 2 })]);
    fleet.look([listed('a', { life: 2, updated: true }), listed('b', { life: 2 })]);
    expect(fleet.row('a').hadClient).toBe(true);
  });

  test('is remembered while it is away, also over a time without an answer', () => {
    const fleet = new WatchedFleet();
    fleet.look([listed('a', { clients: 2 }), listed('b', { clients: 0 })]);
    fleet.look([listed('a', { clients: null }), listed('b', { clients: null })]);
    fleet.look([absent('a'), absent('b')]);
    fleet.look([absent('a'), absent('b')]);
    expect([fleet.row('a').hadClient, fleet.row('b').hadClient]).toEqual([true, false]);
  });
});
