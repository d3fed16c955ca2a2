import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openStepLog } from '../../src/agent/step-log.ts';
import { sizeOfFile } from '../../src/system/file-end.ts';
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
