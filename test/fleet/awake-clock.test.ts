import { expect, test } from 'vitest';
import {
  type AwakeClock,
  newAwakeClock,
  tickBlind,
  tickSighted,
} from '../../src/fleet/awake-clock.ts';
import { absent, listed, WatchedFleet, wallStart } from './watched-fleet.ts';

const at = wallStart;

/** A clock that has seen one sighted poll, and waits for the next one in a second. */
function runningClock(plannedDelayMs = 1000): AwakeClock {
  const { clock } = tickSighted(newAwakeClock, { at, monoMs: 0, tookMs: 100 });
  return { ...clock, plannedDelayMs };
}

test.each<[string, { monoMs: number; wallMs: number; tookMs: number }, number, boolean]>([
  ['an ordinary poll', { monoMs: 1100, wallMs: 1100, tookMs: 100 }, 1100, false],
  ['a slow poll', { monoMs: 3000, wallMs: 3000, tookMs: 2000 }, 3000, false],
  ['just within the cap', { monoMs: 3300, wallMs: 3300, tookMs: 100 }, 3300, false],
  ['just beyond the cap', { monoMs: 3301, wallMs: 3301, tookMs: 100 }, 3300, true],
  [
    'asleep, a clock that ran on',
    { monoMs: 3_600_000, wallMs: 3_600_000, tookMs: 100 },
    3300,
    true,
  ],
  [
    'asleep, a clock that stood still',
    { monoMs: 1100, wallMs: 3_600_000, tookMs: 100 },
    1100,
    true,
  ],
  ['a clock set forward', { monoMs: 1100, wallMs: 86_400_000, tookMs: 100 }, 1100, true],
  ['a clock set back', { monoMs: 1100, wallMs: -86_400_000, tookMs: 100 }, 1100, false],
  ['a monotonic clock that went back', { monoMs: -5000, wallMs: 1100, tookMs: 100 }, 0, false],
])('%s', (_, { monoMs, wallMs, tookMs }, elapsedMs, gap) => {
  const tick = tickSighted(runningClock(), { at: at + wallMs, monoMs, tookMs });
  expect(tick).toMatchObject({ elapsedMs, gap });
  expect(tick.clock.awakeMs).toBe(elapsedMs);
});

test('a process stopped for 6 s spends 2.1 s of a window, not 7.9', () => {
  // Measured: the poll was due 0.5 s after the last one and took 0.2 s itself.
  const clock = runningClock(500);
  const tick = tickSighted(clock, { at: at + 7900, monoMs: 7900, tookMs: 200 });
  expect(tick.elapsedMs).toBe(2100);
  expect(tick.gap).toBe(true);
});

test('the first poll of a process is a gap and counts nothing', () => {
  const restarted: AwakeClock = { ...runningClock(), awakeMs: 70_000, last: null };
  const tick = tickSighted(restarted, { at: at + 5000, monoMs: 12, tookMs: 100 });
  expect(tick).toMatchObject({ elapsedMs: 0, gap: true, sinceSightingMs: 5000 });
  expect(tick.clock.awakeMs).toBe(70_000);
});

test('how long ago the last sighting was is what the more generous clock says', () => {
  const clock = runningClock();
  const since = (monoMs: number, wallMs: number) =>
    tickSighted(clock, { at: at + wallMs, monoMs, tookMs: 0 }).sinceSightingMs;
  expect(since(1000, 40_000)).toBe(40_000);
  expect(since(40_000, 1000)).toBe(40_000);
  expect(since(2000, -40_000)).toBe(2000);
  expect(tickSighted(newAwakeClock, { at, monoMs: 0, tookMs: 0 }).sinceSightingMs).toBe(
    Number.POSITIVE_INFINITY,
  );
});

test('blind intervals count nothing, before and after', () => {
  const blind = tickBlind(runningClock(), { at: at + 1000, monoMs: 1000, tookMs: 100 });
  expect(blind.awakeMs).toBe(0);
  expect(blind.sightedAt).toBe(at);
  const again = tickSighted(blind, { at: at + 2000, monoMs: 2000, tookMs: 100 });
  expect(again).toMatchObject({ elapsedMs: 0, gap: false, sinceSightingMs: 2000 });
});

test('a window of 90 s survives any sleep, stop and blindness', () => {
  const fleet = new WatchedFleet();
  fleet.processes = [{ pid: 1, ours: false, dryRun: false, workspace: null }];
  fleet.look([listed('a')]);
  fleet.look([listed('a')]);
  fleet.keepLooking(60_000, [absent('a')]);
  fleet.look([absent('a')], { afterMs: 8 * 3_600_000 });
  for (let count = 0; count < 200; count += 1) fleet.lookBlindly();
  fleet.look([absent('a')], { afterMs: 1000, wallMs: 86_400_000 });
  expect(fleet.session('a').state).toBe('missing');
  fleet.keepLooking(30_000, [absent('a')]);
  expect(fleet.session('a').state).toBe('overdue');
});

test('after a gap a fresh look comes before any verdict', () => {
  const fleet = new WatchedFleet();
  fleet.processes = [{ pid: 1, ours: false, dryRun: false, workspace: null }];
  fleet.look([listed('a')]);
  fleet.keepLooking(89_000, [absent('a')]);
  // More than the second that is missing, were it counted; but nobody looked meanwhile.
  fleet.look([absent('a')], { afterMs: 3_600_000 });
  expect(fleet.session('a').state).toBe('missing');
  expect(fleet.story).toContain('slept');
  fleet.look([absent('a')]);
  expect(fleet.session('a').state).toBe('overdue');
});

test('a wait that became longer after the last look is no sleep', () => {
  const fleet = new WatchedFleet();
  fleet.look([listed('a')]);
  fleet.send({ kind: 'waiters-changed', key: 'a', count: 1 });
  fleet.look([listed('a')]);
  fleet.send({ kind: 'waiters-changed', key: 'a', count: 0 });
  fleet.look([listed('a')], { afterMs: 900_000 });
  expect(fleet.story).toEqual(['baseline']);
});
