/** Outputs of updates as they were captured: coloured, cut, mixed and damaged. */

import fc from 'fast-check';
import { readUpdateCaptures } from './update-captures.ts';

const captured = readUpdateCaptures().map(({ bytes }) => bytes);
export const anyCapture = fc.constantFrom(...captured);

const COLOURS = ['\x1b[0;32m', '\x1b[0m', '\x1b[1;33m', '\x1b]0;title\x07', '\x1b(B', '\x1b[2K'];

/** Sequences put between any two bytes of plain text. */
export const coloured = fc
  .tuple(anyCapture, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...COLOURS)), { maxLength: 20 }))
  .map(([bytes, colours]) => {
    const plain = bytes.toString().replace(/\x1b\[[\d;?]*[a-zA-Z]|\r/g, '');
    let text = plain;
    // From the right, so that no sequence lands within another.
    const places = colours.map(([at, colour]) => [at % Math.max(1, plain.length), colour] as const);
    for (const [at, colour] of places.sort(([a], [b]) => b - a))
      text = text.slice(0, at) + colour + text.slice(at);
    return { plain: Buffer.from(plain), coloured: Buffer.from(text) };
  });

export const cut = fc
  .tuple(anyCapture, fc.nat())
  .map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1)));

export const interleaved = fc
  .tuple(anyCapture, anyCapture, fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }))
  .map(([one, other, turns]) => {
    const left = one.toString().split('\n');
    const right = other.toString().split('\n');
    const mixed: string[] = [];
    for (let turn = 0; left.length + right.length > 0; turn += 1) {
      const from = turns[turn % turns.length] ? left : right;
      mixed.push((from.length > 0 ? from : from === left ? right : left).shift() ?? '');
    }
    return Buffer.from(mixed.join('\n'));
  });

const snippet = fc.constantFrom(
  '\r',
  '\n',
  '\x1b[',
  '\x9b',
  ' ',
  '...',
  ')',
  '[sandy] ',
  '[sandy]   ',
  'Restarting ',
  '__proto__',
  ' true - restart (stale)',
  '\u202e',
  '🙂',
);
const junk = fc.oneof(
  snippet.map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
);
const damaged = fc
  .tuple(
    fc.oneof(anyCapture, interleaved, cut),
    fc.array(fc.tuple(fc.nat(), fc.nat(12), junk), { maxLength: 8 }),
  )
  .map(([bytes, damages]) =>
    damages.reduce((before, [at, dropped, added]) => {
      const place = at % (before.length + 1);
      return Buffer.concat([before.subarray(0, place), added, before.subarray(place + dropped)]);
    }, bytes),
  );

export const any = fc.oneof(
  damaged,
  coloured.map((both) => both.coloured),
  cut,
  interleaved,
);
