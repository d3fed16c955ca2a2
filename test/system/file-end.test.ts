import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBytes, readFileEnd, sizeOfFile } from '../../src/system/file-end.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

function makeFile(text: string | Buffer): string {
  const path = join(makeScratchFolder(), 'output.log');
  writeFileSync(path, text);
  return path;
}

describe('the last words', () => {
  it.each([
    ['one\ntwo\n', 'two'],
    ['one\ntwo', 'two'],
    ['one\n  two  \n\n \r\n', 'two'],
    ['one\r\n1 %\r50 %\r', '50 %'],
    ['\x1b[31mred\x1b[0m\n', 'red'],
    ['\n \n', null],
    ['', null],
  ])('of %j', (text, expected) => {
    expect(readFileEnd(makeFile(text), 0)).toBe(expected);
  });

  it('are of the step itself, and bounded', () => {
    const path = makeFile('before\n');
    const from = sizeOfFile(path);
    expect(readFileEnd(path, from)).toBeNull();
    appendFileSync(path, `${'x'.repeat(100_000)}\n`);
    expect(readFileEnd(path, from)?.length).toBeLessThanOrEqual(200);
    expect(readFileEnd(join(path, 'missing'), 0)).toBeNull();
  });
});

describe('the bytes of a file', () => {
  it('are handed out whole between two places, also over many parts', () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
    const path = makeFile(bytes);
    const read = (from: number, to: number | null) => {
      const parts: Buffer[] = [];
      readBytes(path, from, to, (part) => parts.push(Buffer.from(part)));
      return Buffer.concat(parts);
    };
    expect(read(0, null).equals(bytes)).toBe(true);
    expect(read(70_000, 140_001).equals(bytes.subarray(70_000, 140_001))).toBe(true);
    expect(read(199_999, 300_000).equals(bytes.subarray(199_999))).toBe(true);
    expect(read(200_000, null)).toHaveLength(0);
    expect(read(300_000, null)).toHaveLength(0);
    expect(sizeOfFile(path)).toBe(200_000);
    expect(sizeOfFile(join(path, 'missing'))).toBe(0);
  });
});
