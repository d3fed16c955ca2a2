/** A picture as bytes, and the two forms that desktops take it in. */

import { deflateSync } from 'node:zlib';

/** Red, green, blue and alpha (not multiplied in), a byte each, row by row from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** As the StatusNotifierItem protocol wants it: alpha, red, green, blue, a byte each (ARGB32 in network order). */
export function toArgb32(pixels: Pixels): Uint8Array {
  const bytes = new Uint8Array(pixels.data.length);
  for (let at = 0; at + 3 < bytes.length; at += 4) {
    bytes[at] = pixels.data[at + 3] ?? 0;
    bytes.set(pixels.data.subarray(at, at + 3), at + 1);
  }
  return bytes;
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** 8 bits a channel, RGBA, deflate, the usual filters, not interlaced. */
const FORMAT = [8, 6, 0, 0, 0];

/** A PNG file of the picture. */
export function encodePng({ width, height, data }: Pixels): Buffer {
  const rows = Buffer.alloc((width * 4 + 1) * height);
  for (let row = 0; row < height; row += 1) {
    // The byte before each row names its filter: 0, none.
    rows.set(data.subarray(row * width * 4, (row + 1) * width * 4), row * (width * 4 + 1) + 1);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(FORMAT, 8);
  return Buffer.concat([
    Buffer.from(SIGNATURE),
    makeChunk('IHDR', head),
    makeChunk('IDAT', deflateSync(rows, { level: 9 })),
    makeChunk('IEND', Buffer.alloc(0)),
  ]);
}

function makeChunk(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(sumUp(named));
  return Buffer.concat([length, named, sum]);
}

/** The CRC-32 of PNG. Bit by bit: icons are small, and zlib's own came only with Node 20.15. */
function sumUp(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
