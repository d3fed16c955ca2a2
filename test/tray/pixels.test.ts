import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodePng, type Pixels, toArgb32 } from '../../src/tray/pixels.ts';
import { decodePng } from './decode-png.ts';

const two: Pixels = { width: 2, height: 1, data: Uint8Array.of(1, 2, 3, 4, 250, 251, 252, 253) };

test('ARGB32 has alpha first', () => {
  expect([...toArgb32(two)]).toEqual([4, 1, 2, 3, 253, 250, 251, 252]);
});

test('a PNG gives its pixels back', () => {
  expect(decodePng(encodePng(two))).toEqual(two);
});

test('a PNG is what the standard says', () => {
  const png = encodePng(two);
  expect(png.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
  expect(png.subarray(12, 16).toString()).toBe('IHDR');
  // The sums of a known head and of the end, which every PNG has.
  expect(png.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082');
  const at = png.indexOf('IDAT');
  const length = png.readUInt32BE(at - 4);
  expect([...inflateSync(png.subarray(at + 4, at + 4 + length))]).toEqual([0, ...two.data]);
});
