import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAnswers } from '../../src/agent/answers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(timeScale = 1) {
  const seen: (string | null)[] = [];
  const answers = createAnswers(timeScale, () => seen.push(answers.current()));
  return { answers, seen };
}

test.each([1, 60])('is shown for ten minutes, divided by %d, and then goes by itself', (scale) => {
  const { answers, seen } = start(scale);
  answers.give('12:40: refused');
  vi.advanceTimersByTime(600_000 / scale - 1);
  expect(seen).toEqual(['12:40: refused']);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual(['12:40: refused', null]);
});

test('another one is shown for as long, from then on', () => {
  const { answers, seen } = start();
  answers.give('first');
  vi.advanceTimersByTime(599_999);
  answers.give('second');
  vi.advanceTimersByTime(599_999);
  expect(seen).toEqual(['first', 'second']);
  vi.advanceTimersByTime(1);
  expect(seen.at(-1)).toBe(null);
});

test('is gone after a sleep, in which no timer counts', () => {
  const { answers } = start();
  answers.give('late at night');
  vi.setSystemTime(Date.now() + 8 * 3_600_000);
  expect(answers.current()).toBe(null);
});

test('is gone once it is cleared, which is told once and leaves nothing to be done', () => {
  const { answers, seen } = start();
  answers.give('refused');
  answers.clear();
  answers.clear();
  expect(seen).toEqual(['refused', null]);
  expect(vi.getTimerCount()).toBe(0);
});
