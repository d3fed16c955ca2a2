import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseStamp } from '../../src/fleet/incarnation.ts';
import { writeStampAsIso } from '../../src/fleet/stamp-iso.ts';

const slowly = (stamp: string) => {
  const at = parseStamp(stamp);
  return at === null ? null : new Date(at).toISOString();
};

test('the short way writes what the long way would', () => {
  const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
  const parts = fc.record({
    month: two(14),
    day: two(33),
    hour: two(26),
    minute: two(62),
    second: two(62),
    separator: fc.constantFrom(' ', 'T'),
    zone: fc.constantFrom('Z', ' +0000', ' +0000 UTC', ' -0730 XYZ', ' MST', ''),
  });
  fc.assert(
    fc.property(parts, ({ month, day, hour, minute, second, separator, zone }) => {
      const stamp = `2027-${month}-${day}${separator}${hour}:${minute}:${second}${zone}`;
      expect(writeStampAsIso(stamp), stamp).toBe(slowly(stamp));
    }),
    { numRuns: 2000 },
  );
  expect(writeStampAsIso(null)).toBe(null);
});
