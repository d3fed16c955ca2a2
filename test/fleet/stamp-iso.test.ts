import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseStamp } from '../../src/fleet/incarnation.ts';
import { writeStampAsIso } from '../../src/fleet/stamp-iso.ts';

const two = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, '0'));
const stamp = fc
  .tuple(
    fc.integer({ min: 1900, max: 2999 }),
    two(0, 13),
    two(0, 32),
    fc.constantFrom(' ', 'T'),
    two(0, 25),
    two(0, 60),
    two(0, 61),
    fc.constantFrom('Z', ' +0000 UTC', ' +0000', '.5Z', '.871780123Z', ' +0200 CEST', ' UTC', ''),
  )
  .map(([year, month, day, gap, hour, minute, second, zone]) =>
    [`${year}-${month}-${day}`, gap, `${hour}:${minute}:${second}`, zone].join(''),
  );

test('a stamp is written as what it is parsed to, whatever it is', () => {
  fc.assert(
    fc.property(fc.oneof(stamp, fc.string()), (text) => {
      const at = parseStamp(text);
      expect(writeStampAsIso(text)).toBe(at === null ? null : new Date(at).toISOString());
    }),
    {
      numRuns: 2_000,
      examples: [
        ['2026-02-28 00:00:00 +0000 UTC'],
        ['2026-02-29 00:00:00 +0000 UTC'],
        ['2026-02-30T23:59:59Z'],
        ['2026-01-02 24:00:00 +0000 UTC'],
      ],
    },
  );
  expect(writeStampAsIso(null)).toBe(null);
  expect(writeStampAsIso('2026-11-29 15:12:33 +0000 UTC')).toBe('2026-11-29T15:12:33.000Z');
});
