import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jitter, type NextPoll, nextPoll } from '../../src/fleet/cadence.ts';
import { absent, anUpdate, listed, WatchedFleet } from './watched-fleet.ts';

const a = listed('a');
const b = listed('b');

/** How long the polls of a case took, light and full. */
interface Pace {
  readonly lightMs: number;
  readonly fullMs: number;
}
const quick: Pace = { lightMs: 100, fullMs: 400 };
const slow: Pace = { lightMs: 7400, fullMs: 17_000 };

/** A fleet whose last polls took that long, with a look of `seen` as the last. */
function paced(pace: Pace): WatchedFleet {
  const fleet = new WatchedFleet();
  fleet.look([a, b], { tookMs: pace.fullMs, mode: 'full' });
  fleet.look([a, b], { tookMs: pace.lightMs, mode: 'light' });
  return fleet;
}

type Case = (fleet: WatchedFleet, pace: Pace) => void;

const light = (pace: Pace) => ({ mode: 'light', tookMs: pace.lightMs }) as const;
const missing: Case = (fleet, pace) => {
  fleet.look([absent('a'), b], light(pace));
};
/** Missing with evidence, until `spentMs` of awake time are spent. */
const missingFor =
  (spentMs: number): Case =>
  (fleet, pace) => {
    fleet.processes = [anUpdate];
    fleet.look([absent('a'), b], light(pace));
    for (let spent = 0; spent < spentMs; spent += 1000) fleet.look([absent('a'), b], light(pace));
  };
const aRun: Case = (fleet) => {
  fleet.send({ kind: 'run-began', id: 'r', origin: 'cli', scope: 'fleet', log: null });
};
const waiting: Case = (fleet) => {
  fleet.send({ kind: 'waiters-changed', key: 'a', count: 1 });
};
const blindTimes =
  (count: number): Case =>
  (fleet, pace) => {
    for (let done = 0; done < count; done += 1) fleet.lookBlindly(light(pace));
  };

const hintedBlind =
  (count: number): Case =>
  (fleet, pace) => {
    blindTimes(count)(fleet, pace);
    fleet.send({ kind: 'hinted' });
  };

const waitingBlindly: Case = (fleet, pace) => {
  blindTimes(6)(fleet, pace);
  waiting(fleet, pace);
};

describe.each([
  ['quick', quick],
  ['slow', slow],
])('polls that are %s', (name, pace) => {
  const isQuick = name === 'quick';
  test.each<[string, Case, string, number, number]>([
    // The light look after the full one has taken a second of it.
    ['nothing going on', () => {}, 'idle full', 899_000, 3_399_000],
    ['a session is missing', missing, 'missing light', 1000, 14_800],
    ['missing for 19 s', missingFor(19_000), 'missing light', 1000, 14_800],
    ['missing for 20 s', missingFor(20_000), 'missing light', 3000, 14_800],
    ['missing for 89 s', missingFor(89_000), 'missing light', 3000, 14_800],
    ['overdue', missingFor(90_000), 'overdue light', 10_000, 14_800],
    ['a shim waits', waiting, 'waiting light', 1000, 14_800],
    ['a run, nobody missing', aRun, 'run light', 20_000, 74_000],
    ['a hint', (fleet) => fleet.send({ kind: 'hinted' }), 'hint light', 200, 14_800],
    ['woken', (fleet) => fleet.send({ kind: 'woke' }), 'wake full', 0, 0],
    ['a refresh', (fleet) => fleet.send({ kind: 'refresh-asked' }), 'refresh full', 0, 0],
    ['a hint while blind', hintedBlind(1), 'hint light', 15_000, 15_000],
    ['a hint while blind for days', hintedBlind(2000), 'hint light', 15_000, 15_000],
    ['a terminal waits for docker', waitingBlindly, 'waiting light', 15_000, 15_000],
    ['blind once', blindTimes(1), 'blind light', 15_000, 15_000],
    ['blind twice', blindTimes(2), 'blind light', 30_000, 30_000],
    ['blind five times', blindTimes(5), 'blind light', 240_000, 240_000],
    ['blind six times', blindTimes(6), 'blind light', 300_000, 1_480_000],
    ['blind for days', blindTimes(2000), 'blind light', 300_000, 1_480_000],
  ])('%s', (_, act, wanted, quickMs, slowMs) => {
    const fleet = paced(pace);
    act(fleet, pace);
    const next = nextPoll(fleet.model);
    expect(`${next.reason} ${next.mode}`).toBe(wanted);
    expect(next.delayMs).toBe(isQuick ? quickMs : slowMs);
  });
});

test('a session that stopped answering is worth a look each 20 s, until it is a zombie', () => {
  const fleet = paced(quick);
  const silent = listed('a', { clients: null });
  fleet.look([silent, b]);
  expect(fleet.view.poll).toMatchObject({ reason: 'ending', nextInMs: 20_000, mode: 'light' });
  fleet.keepLooking(90_000, [silent, b]);
  expect(fleet.view.poll.reason).toBe('idle');
});

test('the youngest missing session sets the pace', () => {
  const fleet = paced(quick);
  fleet.processes = [anUpdate];
  fleet.keepLooking(120_000, [absent('a'), b]);
  expect(nextPoll(fleet.model).reason).toBe('overdue');
  fleet.look([absent('a'), absent('b')]);
  expect(nextPoll(fleet.model)).toMatchObject({ reason: 'missing', delayMs: 1000 });
});

test('a shim’s 20 s count from when it began to wait, not from the poll before', () => {
  const fleet = paced(quick);
  fleet.at += 600_000;
  fleet.send({ kind: 'waiters-changed', key: 'a', count: 1 });
  fleet.look([a, b], { afterMs: 601_000, wallMs: 1000 });
  expect(nextPoll(fleet.model)).toMatchObject({ reason: 'waiting', delayMs: 1000 });
  fleet.keepLooking(20_000, [a, b]);
  expect(nextPoll(fleet.model)).toMatchObject({ reason: 'waiting', delayMs: 3000 });
});

test('a second shim costs no poll: the first one’s pace holds', () => {
  const fleet = paced(quick);
  waiting(fleet, quick);
  fleet.keepLooking(30_000, [a, b]);
  fleet.send({ kind: 'waiters-changed', key: 'a', count: 2 });
  expect(nextPoll(fleet.model)).toMatchObject({ reason: 'waiting', delayMs: 3000 });
});

test('whoever waits for a frozen docker polls it no harder than its polls allow', () => {
  const fleet = paced(quick);
  blindTimes(6)(fleet, { lightMs: 20_000, fullMs: 20_000 });
  fleet.send({ kind: 'hinted' });
  expect(nextPoll(fleet.model)).toMatchObject({ reason: 'hint', mode: 'light', delayMs: 40_000 });
});

test('while blind nothing else sets the pace', () => {
  const fleet = paced(quick);
  missing(fleet, quick);
  fleet.lookBlindly();
  expect(nextPoll(fleet.model)).toMatchObject({ reason: 'blind', delayMs: 15_000 });
});

test('a floor for a mode not polled yet comes from the other', () => {
  const fleet = new WatchedFleet();
  fleet.look([a], { tookMs: 10_000, mode: 'full' });
  fleet.look([absent('a')], { tookMs: 10_000, mode: 'full' });
  expect(nextPoll(fleet.model).delayMs).toBe(20_000);
});

describe('a full look', () => {
  test('is put off by no light one', () => {
    const fleet = new WatchedFleet();
    fleet.look([a, b], { tookMs: 400 });
    for (let minutes = 1; minutes <= 14; minutes += 1) {
      fleet.send({ kind: 'hinted' });
      fleet.look([a, b], { mode: 'light', afterMs: 60_000 });
      const delayMs = 900_000 - minutes * 60_000;
      expect(nextPoll(fleet.model)).toMatchObject({ reason: 'idle', mode: 'full', delayMs });
    }
    fleet.look([a, b], { mode: 'light', afterMs: 60_000 });
    expect(nextPoll(fleet.model)).toMatchObject({ mode: 'full', delayMs: 1000 });
    fleet.look([a, b], { mode: 'full', afterMs: 1400, tookMs: 400 });
    expect(nextPoll(fleet.model)).toMatchObject({ mode: 'full', delayMs: 900_000 });
  });

  test('that is due answers a hint too', () => {
    const fleet = paced(quick);
    fleet.look([a, b], { mode: 'light', afterMs: 900_000 });
    fleet.send({ kind: 'hinted' });
    expect(nextPoll(fleet.model)).toMatchObject({ reason: 'hint', mode: 'full', delayMs: 200 });
  });

  test.each(['start', 'wake', 'run-ended', 'refresh'] as const)(
    'that was wanted (%s) and blind comes as soon as somebody can see',
    (reason) => {
      const fleet = paced(quick);
      fleet.model = { ...fleet.model, wish: { reason, askedAt: fleet.at - 10 } };
      fleet.lookBlindly({ mode: 'full', afterMs: 21_000, tookMs: 20_000 });
      expect(fleet.model.wish).toBeNull();
      fleet.lookBlindly({ mode: 'light', afterMs: 60_000 });
      fleet.look([a, b], { mode: 'light', afterMs: 30_000 });
      expect(nextPoll(fleet.model)).toMatchObject({ mode: 'full', reason: 'idle', delayMs: 1000 });
      // What it took was waiting for docker. One that nobody wanted is paid for like any other.
      fleet.lookBlindly({ mode: 'full', afterMs: 21_000, tookMs: 20_000 });
      fleet.look([a, b], { mode: 'light', afterMs: 15_000 });
      expect(nextPoll(fleet.model)).toMatchObject({ mode: 'full', delayMs: 3_985_000 });
    },
  );

  test('that saw nothing because docker came after the agent is not lost', () => {
    const fleet = new WatchedFleet();
    fleet.lookBlindly({ mode: 'full' });
    fleet.lookBlindly({ mode: 'light', afterMs: 15_000 });
    fleet.look([a, b], { mode: 'light', afterMs: 30_000 });
    expect(nextPoll(fleet.model)).toMatchObject({ mode: 'full', reason: 'idle', delayMs: 1000 });
  });
});

test('jitter is ±10 %, and never below the floor', () => {
  const next: NextPoll = { delayMs: 1000, floorMs: 0, mode: 'light', reason: 'idle' };
  expect(jitter(next, 0)).toBe(900);
  expect(jitter(next, 0.5)).toBe(1000);
  expect(jitter(next, 1)).toBe(1100);
  expect(jitter({ ...next, floorMs: 1000 }, 0)).toBe(1000);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.double({ min: 0, max: 1e7, noNaN: true }),
      fc.double({ min: 0, max: 1e7, noNaN: true }),
      (random, delayMs, floorMs) => {
        const at = jitter({ ...next, delayMs: Math.max(delayMs, floorMs), floorMs }, random);
        expect(at).toBeGreaterThanOrEqual(floorMs);
        expect(at).toBeLessThanOrEqual(Math.max(delayMs, floorMs) * 1.1 + 1e-6);
      },
    ),
  );
});

const durations = fc.array(fc.integer({ min: 10, max: 60_000 }), { minLength: 5, maxLength: 40 });
const chances = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 40,
  maxLength: 40,
});

test('idle polling costs at most 0.5 % of a core, however long its polls take', () => {
  fc.assert(
    fc.property(durations, chances, (tookList, random) => {
      const fleet = new WatchedFleet();
      fleet.look([a, b], { tookMs: 400 });
      tookList.forEach((tookMs, index) => {
        const delayMs = jitter(nextPoll(fleet.model), random[index] ?? 0);
        fleet.look([a, b], { afterMs: delayMs + tookMs, tookMs });
        // Each poll pays for itself before the next one begins.
        const restMs = jitter(nextPoll(fleet.model), random[index] ?? 0);
        expect(tookMs / (tookMs + restMs)).toBeLessThanOrEqual(0.005);
      });
      expect(fleet.view.poll.reason).toBe('idle');
    }),
    { numRuns: 60 },
  );
});

test('whatever hints come, full looks come in time, and each is paid for before the next', () => {
  const steps = fc.array(
    fc.record({
      hintAfterMs: fc.oneof(
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 0, max: 1_500_000 }),
      ),
      lightMs: fc.integer({ min: 10, max: 10_000 }),
      fullMs: fc.integer({ min: 10, max: 60_000 }),
    }),
    { minLength: 20, maxLength: 120 },
  );
  fc.assert(
    fc.property(steps, chances, (list, random) => {
      const fleet = new WatchedFleet();
      fleet.look([a, b], { tookMs: 400 });
      let last = { endedMs: fleet.monoMs, tookMs: 400 };
      list.forEach(({ hintAfterMs, lightMs, fullMs }, index) => {
        const chance = random[index % random.length] ?? 0;
        const quietMs = jitter(nextPoll(fleet.model), chance);
        const hintedMs = Math.min(hintAfterMs, quietMs);
        fleet.at += hintedMs;
        if (hintAfterMs < quietMs) fleet.send({ kind: 'hinted' });
        const next = nextPoll(fleet.model);
        const waitMs = Math.max(hintedMs, jitter(next, chance));
        const tookMs = next.mode === 'full' ? fullMs : lightMs;
        const begunMs = fleet.monoMs + waitMs;
        fleet.look([a, b], {
          mode: next.mode,
          tookMs,
          afterMs: waitMs + tookMs,
          wallMs: waitMs - hintedMs + tookMs,
        });
        const sinceMs = begunMs - last.endedMs;
        const dueMs = Math.max(900_000, 200 * last.tookMs);
        // The light look before it, and the rest that it is given.
        expect(sinceMs).toBeLessThanOrEqual(1.1 * (dueMs + 3 * 10_000));
        if (next.mode !== 'full') return;
        expect(sinceMs).toBeGreaterThanOrEqual(200 * last.tookMs - 1);
        last = { endedMs: fleet.monoMs, tookMs };
      });
    }),
    { numRuns: 100 },
  );
});

test('a host that stays blind costs at most 0.5 % of a core once the wait has grown', () => {
  fc.assert(
    fc.property(durations, chances, (tookList, random) => {
      const fleet = paced(quick);
      blindTimes(6)(fleet, quick);
      tookList.forEach((tookMs, index) => {
        fleet.lookBlindly({ tookMs, mode: 'light' });
        const restMs = jitter(nextPoll(fleet.model), random[index] ?? 0);
        expect(tookMs / (tookMs + restMs)).toBeLessThanOrEqual(0.005);
      });
    }),
    { numRuns: 60 },
  );
});
