import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createLineReader,
  mayHaveBegun,
  noProgress,
  readUpdateOutput,
  type UpdateProgress,
} from '../../src/sandy/update-output.ts';
import { cleanForeignText } from '../../src/system/foreign-text.ts';
import { any, anyCapture, coloured, cut, interleaved } from './update-arbitraries.ts';
import { followLines, readLines } from './update-captures.ts';

const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });

function listKeys(progress: UpdateProgress): string[] {
  const { planned, missingFolders, buildFailed, restarting, restarted, failed } = progress;
  return [
    ...(planned?.keys() ?? []),
    ...missingFolders,
    ...buildFailed,
    ...restarting,
    ...restarted,
    ...failed.map(({ key }) => key),
    ...(progress.building === null ? [] : [progress.building.key]),
  ];
}

describe('whatever an update prints', () => {
  it('is read the same however it arrives', () => {
    fc.assert(
      fc.property(any, sizes, (bytes, pieces) => {
        expect(readLines(bytes, pieces)).toEqual(readLines(bytes));
      }),
      { numRuns: 400 },
    );
  });

  it('is shown as harmless text', () => {
    fc.assert(
      fc.property(any, (bytes) => {
        for (const { text } of readLines(bytes)) {
          expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/);
          expect(Array.from(text).length).toBeLessThanOrEqual(400);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('changes nothing more when it is read again', () => {
    fc.assert(
      fc.property(any, (bytes) => {
        const lines = readLines(bytes);
        const once = followLines(lines);
        expect(followLines(lines, once)).toEqual(once);
      }),
      { numRuns: 400 },
    );
  });

  it('names only sessions that stand in it, each once in a list', () => {
    fc.assert(
      fc.property(any, (bytes) => {
        const progress = followLines(readLines(bytes));
        const shown = bytes
          .toString()
          .split('\n')
          .map((line) => cleanForeignText(line, line.length))
          .join('\n');
        for (const key of listKeys(progress)) expect(shown).toContain(key);
        for (const keys of [progress.restarting, progress.restarted, progress.missingFolders])
          expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: 400 },
    );
  });

  it('never announces a restart that may not have begun', () => {
    fc.assert(
      fc.property(any, (bytes) => {
        if (followLines(readLines(bytes)).restarting.length > 0)
          expect(mayHaveBegun(bytes)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('means the same in colour', () => {
    fc.assert(
      fc.property(coloured, (both) => {
        expect(readLines(both.coloured)).toEqual(readLines(both.plain));
        expect(mayHaveBegun(both.coloured)).toBe(mayHaveBegun(both.plain));
      }),
      { numRuns: 400 },
    );
  });

  it('ends restarts only that were planned and announced, wherever it is cut', () => {
    fc.assert(
      fc.property(cut, (bytes) => {
        const { planned, restarting, restarted, failed } = followLines(readLines(bytes));
        for (const key of restarting) expect(planned?.get(key)?.action).toBe('restart');
        for (const key of [...restarted, ...failed.map((failure) => failure.key)])
          expect(restarting).toContain(key);
      }),
      { numRuns: 400 },
    );
  });

  it('tells of two runs mixed what it tells of each', () => {
    fc.assert(
      fc.property(anyCapture, interleaved, (one, mixed) => {
        const both = Buffer.concat([one, Buffer.from('\n'), mixed]);
        const known = listKeys(followLines(readLines(both)));
        const { building: _, ...kept } = followLines(readLines(one));
        for (const key of listKeys({ ...kept, building: null })) expect(known).toContain(key);
      }),
      { numRuns: 200 },
    );
  });
});

describe('an output without end', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const measureBytes = () => {
    // The second one waits for what the first left to be swept.
    collectGarbage();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const MiB = 1024 * 1024;

  it.each([
    ['at once', 50 * MiB],
    ['in pieces', 64 * 1024],
  ])('of one line costs no memory: 50 MB %s', (_, size) => {
    const before = measureBytes();
    const reader = createLineReader();
    // On a stack of its own, that nothing but the reader could hold the bytes.
    const feed = () => {
      for (let sent = 0; sent < 50 * MiB; sent += size)
        if (reader.take(Buffer.alloc(size, 'x')).length > 0) throw new Error('a line');
    };
    feed();
    expect(measureBytes() - before).toBeLessThan(2 * MiB);
    const [last] = reader.end();
    expect(last?.text).toHaveLength(400);
    expect(reader.end()).toEqual([]);
  });

  it('of a million lines costs the memory of a large fleet', () => {
    const reader = createLineReader();
    let progress = noProgress;
    const before = measureBytes();
    for (let block = 0; block < 1000; block += 1) {
      const lines = Array.from({ length: 250 }, (_, index) => {
        const key = `k${block}-${index}`;
        return `[sandy] Restarting ${key}...\n[sandy]   ${key} restarted in 5s.\n[sandy]   --stop failed for ${key}\n${key} /ws true - restart (stale)\n`;
      });
      for (const { line } of reader.take(Buffer.from(lines.join(''))))
        progress = readUpdateOutput(progress, line);
    }
    expect(measureBytes() - before).toBeLessThan(8 * MiB);
    expect(progress.restarting).toHaveLength(1000);
    expect(progress.restarted).toHaveLength(1000);
    expect(progress.failed).toHaveLength(1000);
    expect(progress.planned?.size).toBe(1000);
  });
});
