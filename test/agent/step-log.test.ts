import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openStepLog, readBytes, readFileEnd, sizeOfFile } from '../../src/agent/step-log.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

function makeLog(text: string | Buffer): string {
  const path = join(makeScratchFolder(), 'output.log');
  writeFileSync(path, text);
  return path;
}

const none = () => null;
const restarting = (key: string) => `[sandy] Restarting ${key}...\n`;

describe('the log of a step', () => {
  it('is read as far as it goes, and on when it grows', () => {
    const path = makeLog(`${restarting('a-1')}[sandy] Restarting b`);
    const log = openStepLog(path, 0, none);
    expect(log.readOn().restarting).toEqual(['a-1']);
    expect(log.readOn().restarting).toEqual(['a-1']);
    appendFileSync(path, '-1...\n[sandy]   a-1 restarted in 4s.\n');
    expect(log.readOn()).toMatchObject({ restarting: ['a-1', 'b-1'], restarted: ['a-1'] });
  });

  it('is its own part of what all steps print', () => {
    const first = restarting('a-1');
    const second = restarting('b-1');
    const path = makeLog(first + second + restarting('c-1'));
    const log = openStepLog(path, first.length, () => first.length + second.length);
    expect(log.readOn().restarting).toEqual(['b-1']);
    expect(log.readAll()?.toString()).toBe(second);
    expect(openStepLog(path, 0, () => first.length).readOn().restarting).toEqual(['a-1']);
  });

  it('ends where the next step begins, once that one is there', () => {
    const path = makeLog(restarting('a-1'));
    let end: number | null = null;
    const log = openStepLog(path, 0, () => end);
    expect(log.readOn().restarting).toEqual(['a-1']);
    end = sizeOfFile(path);
    appendFileSync(path, restarting('b-1'));
    expect(log.readOn().restarting).toEqual(['a-1']);
    expect(log.readAll()?.toString()).toBe(restarting('a-1'));
  });

  it('is empty where there is no file, which may come', () => {
    const path = join(makeScratchFolder(), 'output.log');
    const log = openStepLog(path, 0, none);
    expect(log.readOn().restarting).toEqual([]);
    expect(log.readAll()).toHaveLength(0);
    writeFileSync(path, restarting('a-1'));
    expect(log.readOn().restarting).toEqual(['a-1']);
  });

  it('comes to the same in whatever pieces it is written', () => {
    const lines = [
      restarting('a-1'),
      '[sandy]   a-1 restarted in 4s.\n',
      'é\r\n',
      restarting('b-1'),
    ];
    const whole = Buffer.from(lines.join(''));
    const expected = openStepLog(makeLog(whole), 0, none).readOn();
    fc.assert(
      fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 6 }), (cuts) => {
        const path = makeLog('');
        const log = openStepLog(path, 0, none);
        let at = 0;
        for (const cut of [...cuts.toSorted((a, b) => a - b), whole.length]) {
          appendFileSync(path, whole.subarray(at, cut));
          log.readOn();
          at = Math.max(at, cut);
        }
        expect(log.readOn()).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the last words', () => {
  it.each([
    ['one\ntwo\n', 'two'],
    ['one\ntwo', 'two'],
    ['one\n  two  \n\n \r\n', 'two'],
    ['\x1b[31mred\x1b[0m\n', 'red'],
    ['\n \n', null],
    ['', null],
  ])('of %j', (text, expected) => {
    expect(readFileEnd(makeLog(text), 0)).toBe(expected);
  });

  it('are of the step itself, and bounded', () => {
    const path = makeLog('before\n');
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
    const path = makeLog(bytes);
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
