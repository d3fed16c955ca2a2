import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameDecoder, type Decoded } from '../../src/control/frame-decoder.ts';

const text = (value: string) => Buffer.from(value, 'utf8');

/** Feeds bytes in pieces of the given sizes, over and over. */
function decodeInPieces(bytes: Buffer, sizes: readonly number[], maxBytes = 1024 * 1024): Decoded {
  const decode = createFrameDecoder(maxBytes);
  const frames: object[] = [];
  let fault: Decoded['fault'] = null;
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    const decoded = decode(bytes.subarray(start, start + size));
    frames.push(...decoded.frames);
    fault = decoded.fault;
    start += size;
  }
  return { frames, fault };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const trickyText = fc.string({
  unit: fc.constantFrom('[', '{', '"', '\\', '}', ']', '\n', 'é', '🙂', '\u2028', 'a'),
  maxLength: 300,
});
const frame = fc.dictionary(trickyText, fc.oneof(fc.jsonValue({ maxDepth: 5 }), trickyText));

describe('decoding frames', () => {
  it('gives what was sent, however it was cut up', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), sizes, (sent, cuts) => {
        const lines = sent.map((value) => JSON.stringify(value));
        const bytes = text(lines.map((line) => `${line}\n`).join(''));
        const expected = lines.map((line) => JSON.parse(line));
        expect(decodeInPieces(bytes, cuts)).toEqual({ frames: expected, fault: null });
      }),
    );
  });

  it('gives what came before a fault, and nothing after it', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 4 }),
        fc.uint8Array({ maxLength: 60 }),
        sizes,
        (sent, junk, cuts) => {
          const lines = sent.map((value) => `${JSON.stringify(value)}\n`).join('');
          // No JSON text begins with this byte, and no UTF-8 text either.
          const bytes = Buffer.concat([text(lines), Buffer.from([0xff]), junk, text(`\n{}\n`)]);
          const { frames, fault } = decodeInPieces(bytes, cuts);
          expect(frames).toHaveLength(sent.length);
          expect(fault).toBe('invalid');
        },
      ),
    );
  });

  it('says the same of any bytes at once and one by one, and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (array) => {
        const bytes = Buffer.from(array);
        expect(decodeInPieces(bytes, [1], 50)).toEqual(decodeInPieces(bytes, [1000], 50));
      }),
    );
  });

  it.each([
    ['nothing', '\n'],
    ['text', 'hello\n'],
    ['a number', '1\n'],
    ['null', 'null\n'],
    ['a list', '[{}]\n'],
    ['half an object', '{"a":\n'],
    ['two objects', '{}{}\n'],
    ['a byte order mark', '\ufeff{}\n'],
  ])('is invalid: %s', (_, line) => {
    expect(createFrameDecoder(100)(text(line))).toEqual({ frames: [], fault: 'invalid' });
  });

  it('takes a line of just the size allowed, and none that is longer', () => {
    const line = JSON.stringify({ a: 'x'.repeat(92) });
    expect(line).toHaveLength(100);
    expect(createFrameDecoder(100)(text(`${line}\n`)).frames).toHaveLength(1);
    expect(createFrameDecoder(99)(text(`${line}\n`)).fault).toBe('oversize');
    for (const size of [1, 7, 99, 100]) {
      expect(decodeInPieces(text(`${line}\n${line}\n`), [size], 100).frames).toHaveLength(2);
      expect(decodeInPieces(text(line), [size], 99).fault).toBe('oversize');
    }
  });

  it('takes nothing that is too deep to parse cheaply', () => {
    const nest = (levels: number) => `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}\n`;
    expect(createFrameDecoder(10_000)(text(nest(64))).frames).toHaveLength(1);
    expect(createFrameDecoder(10_000)(text(nest(65))).fault).toBe('invalid');
    expect(createFrameDecoder(10_000)(text(`{"a":"${'[\\"'.repeat(500)}"}\n`)).fault).toBeNull();
    const million = text(`{"a":${'['.repeat(8_000_000)}\n`);
    expect(createFrameDecoder(10_000_000)(million).fault).toBe('invalid');
  });
});
