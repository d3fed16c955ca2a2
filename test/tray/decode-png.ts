import { inflateSync } from 'node:zlib';
import type { Pixels } from '../../src/tray/pixels.ts';

/** The pixels of a PNG of ours: one block of data and no filter. Compressed bytes differ between versions of zlib. */
export function decodePng(png: Buffer): Pixels {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const at = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  const side = width * 4;
  const data = new Uint8Array(side * height);
  for (let row = 0; row < height; row += 1) {
    const start = row * (side + 1);
    if (rows[start] !== 0) throw new Error('This PNG has a filter.');
    data.set(rows.subarray(start + 1, start + 1 + side), row * side);
  }
  return { width, height, data };
}
