import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeWrongTimeScale } from '../../src/system/texts.ts';
import { parseTimeScale } from '../../src/system/time-scale.ts';

describe('parsing the time scale', () => {
  it.each([
    [undefined, 1],
    ['1', 1],
    ['10', 10],
    ['0.5', 0.5],
    ['2.50', 2.5],
  ])('%j is a scale', (value, scale) => {
    expect(parseTimeScale(value)).toEqual({ kind: 'scale', scale });
  });

  it.each([
    '',
    ' ',
    '0',
    '0.0',
    '-1',
    '+1',
    '1e3',
    '0x10',
    'ten',
    'NaN',
    'Infinity',
    '1,5',
    ' 1',
    '9'.repeat(400),
  ])('%j is wrong', (value) => {
    expect(parseTimeScale(value)).toEqual({ kind: 'wrong', value });
  });

  it('never gives anything but a finite number above 0', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (value) => {
        const parsed = parseTimeScale(value);
        if (parsed.kind === 'scale') {
          expect(Number.isFinite(parsed.scale) && parsed.scale > 0).toBe(true);
        }
      }),
    );
  });

  it('shows a wrong value cleaned', () => {
    expect(describeWrongTimeScale('\x1b[31mx')).toContain('"x"');
  });
});
