import { expect, test } from 'vitest';
import { countSessions, formatDuration } from '../../src/fleet/texts.ts';

test.each([
  [0, '0 s'],
  [499, '0 s'],
  [500, '1 s'],
  [40_000, '40 s'],
  [59_499, '59 s'],
  [59_500, '1 min'],
  [60_000, '1 min'],
  [61_000, '1 min 1 s'],
  [160_000, '2 min 40 s'],
  [3_599_499, '59 min 59 s'],
  [3_599_500, '1 h'],
  [3_600_000, '1 h'],
  [3_660_000, '1 h 1 min'],
  [11_100_000, '3 h 5 min'],
  [90_000_000, '25 h'],
])('%i ms are %j', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('one session, several sessions', () => {
  expect([0, 1, 2].map(countSessions)).toEqual(['0 sessions', '1 session', '2 sessions']);
});
