import { describe, expect, test } from 'vitest';
import { newModel } from '../../src/fleet/model.ts';
import { applyNoticePolicy } from '../../src/fleet/notice-policy.ts';
import { parseQuietHours } from '../../src/fleet/quiet-hours.ts';
import {
  absent,
  allNotices,
  anUpdate,
  defaultWindows,
  listed,
  storyOf,
  WatchedFleet,
  wallStart,
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

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);

const MINUTE_MS = 60_000;

/** Happenings that need nobody, one at each of these minutes; gives what was shown, and what is held at the end. */
function tellAt(minutes: readonly number[]): readonly string[] {
  const shown: string[] = [];
  minutes.reduce(
    (model, minute) => {
      const at = wallStart + minute * MINUTE_MS;
      const event = { at, key: `at ${minute}`, kind: 'ended', incident: null, text: '' } as const;
      const told = { kind: 'tell', event: { ...event, noticeKind: 'ended' } } as const;
      const [next, effects] = applyNoticePolicy(
        model,
        [{ ...told, notice: false, held: false }],
        at,
      );
      for (const effect of effects) {
        if (effect.kind === 'digest') shown.push(`${minute}: digest of ${effect.events.length}`);
        if (effect.kind === 'tell' && !effect.held) shown.push(`${minute}`);
      }
      return next;
    },
    newModel(defaultWindows, allNotices),
  );
  return shown;
}

describe('many banners', () => {
  test('more than six in ten minutes wait, and then come as one digest', () => {
    expect(tellAt([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toEqual(['0', '1', '2', '3', '4', '5']);
    // The first is out of the ten minutes then: there is room for one, which tells all that waits.
    expect(tellAt([0, 1, 2, 3, 4, 5, 6, 7, 10]).slice(6)).toEqual(['10: digest of 3']);
    expect(tellAt([0, 2, 4, 6, 8, 10, 12, 14]).length).toBe(8);
  });

  test('are counted anew where the clock was set back', () => {
    expect(tellAt([100, 101, 102, 103, 104, 105, 30]).at(-1)).toBe('30');
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

describe('an alarm that quiet hours hold', () => {
  /** In quiet hours `a` is updated and comes back, and `b` is lost. */
  function hold(): WatchedFleet {
    const hours = parseQuietHours('11:00-13:00');
    const quiet = { hours, failuresPass: false };
    const fleet = new WatchedFleet(newModel(defaultWindows, allNotices, quiet));
    fleet.processes = [anUpdate];
    fleet.look([listed('a'), listed('b')]);
    const a2 = listed('a', { life: 2, updated: true });
    fleet.keepLooking(100_000, [a2, absent('b')]);
    fleet.processes = [];
    fleet.keepLooking(100_000, [a2, absent('b')]);
    expect(fleet.model.held.map(({ kind }) => kind)).toEqual(['late', 'run-completed']);
    return fleet;
  }

  test('is dropped once it is taken down, and what else was held is told', () => {
    const fleet = hold();
    const before = fleet.model.held;
    fleet.send({ kind: 'acknowledged', key: 'somebody' });
    expect(fleet.model.held).toBe(before);
    fleet.send({ kind: 'acknowledged', key: 'b' });
    expect(fleet.model.held.map(({ kind }) => kind)).toEqual(['run-completed']);
    fleet.at += 3_600_000;
    fleet.send({ kind: 'ticked', utcOffsetMinutes: 0 });
    expect(bannersOf(fleet).at(-1)).toBe('digest of 1');
  });

  test('of an update that hangs is dropped once that is over', () => {
    const fleet = hold();
    fleet.send({ kind: 'run-began', id: 'r', origin: 'menu', scope: 'fleet', log: null });
    fleet.send({ kind: 'run-built', phase: 'hung' });
    expect(fleet.model.held.at(-1)?.kind).toBe('run-hung');
    fleet.send({ kind: 'run-built', phase: 'building' });
    expect(fleet.model.held.map(({ kind }) => kind)).toEqual(['late', 'run-completed']);
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
