import { expect, test } from 'vitest';
import { isLastNight } from '../../src/tray/night.ts';

// Local times, as the rule is about the local clock.
const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute);

test.each([
  ['three in the morning, read at noon', at(29, 3), at(29, 12), true],
  ['eleven in the evening, read next morning', at(28, 23), at(29, 8), true],
  ['one in the afternoon of the day before', at(28, 13), at(29, 8), false],
  ['three in the morning of the day before', at(28, 3), at(29, 12), false],
  ['this morning at ten', at(29, 10), at(29, 12), false],
  ['the night is not over', at(29, 3), at(29, 4), false],
  ['this evening', at(29, 21), at(29, 22), false],
  ['to come', at(29, 8), at(29, 7), false],
])('%s', (_, then, now, last) => {
  expect(isLastNight(then.toISOString(), now)).toBe(last);
});

test('an instant that is none was never last night', () => {
  expect(isLastNight('soon', at(29, 12))).toBe(false);
});
