import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startTicking } from '../../src/agent/tick.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function follow() {
  const woken: boolean[] = [];
  const { wake, stop } = startTicking(1, ({ woke }) => woken.push(woke));
  onTestFinished(stop);
  return { woken, wake };
}

test('a sleep shows as a gap at the next tick', () => {
  const { woken } = follow();
  vi.setSystemTime(Date.now() + HOUR_MS);
  vi.advanceTimersByTime(120_000);
  expect(woken).toEqual([false, true, false]);
});

test('a sleep that somebody told of is told once', () => {
  const { woken, wake } = follow();
  vi.setSystemTime(Date.now() + HOUR_MS);
  wake();
  vi.advanceTimersByTime(120_000);
  expect(woken).toEqual([false, true, false, false]);
});
