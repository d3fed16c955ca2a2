import { describe, expect, it } from 'vitest';
import { countBuilds, noBuilds, readBuilds } from '../../src/commands/update-builds.ts';
import { createLineReader } from '../../src/sandy/update-output.ts';

const read = (lines: readonly string[]) =>
  createLineReader()
    .take(Buffer.from(lines.map((line) => `[sandy] ${line}\n`).join('')))
    .reduce((builds, { line }) => readBuilds(builds, line), noBuilds);

const found = 'Found 3 daemon session(s).';
const refreshing = (key: string) => `Refreshing images for ${key} (/ws/${key})...`;
const missing = '  b-1: workspace path missing/unreadable, skipped';

describe('the builds of an update', () => {
  it.each<[string, readonly string[], readonly [number, number] | null]>([
    ['none yet', [found], null],
    ['the first', [found, refreshing('a-1')], [1, 3]],
    ['the first, still', [found, refreshing('a-1'), '  ...still refreshing a-1 (30s: x)'], [1, 3]],
    ['the last', [found, refreshing('a-1'), refreshing('b-1'), refreshing('c-1')], [3, 3]],
    ['one has no folder', [found, refreshing('a-1'), missing, refreshing('c-1')], [3, 3]],
    ['only one', ['Found 1 daemon session(s).', refreshing('a-1')], null],
    [
      'more than it found',
      ['Found 2 daemon session(s).', ...['a', 'b', 'c'].map(refreshing)],
      null,
    ],
    ['nobody said how many', [refreshing('a-1')], null],
    ['the next of several commands', [found, refreshing('a-1'), found, refreshing('b-1')], [1, 3]],
  ])('%s', (_, lines, expected) => {
    expect(countBuilds(read(lines))).toEqual(expected);
  });

  it('say what is built now', () => {
    expect(read([found, refreshing('a-1')]).now).toBe('a-1');
    expect(read([found, refreshing('a-1'), '  ...still refreshing a-1 (30s: #7)']).now).toBe(
      'a-1 #7',
    );
  });
});
