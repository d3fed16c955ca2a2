import { describe, expect, it } from 'vitest';
import {
  createLineReader,
  noProgress,
  readUpdateOutput,
  type UpdateLine,
} from '../../src/sandy/update-output.ts';
import { followLines, readLines } from './update-captures.ts';

const EVERY_KIND = `[sandy] Found 3 daemon session(s).
[sandy] Refreshing images for a (/ws/a)...
[sandy]   ...still refreshing a (20s: x)
[sandy]   Build failed for a — tail of output:
[sandy]   b: workspace path missing/unreadable (/ws/b) — skipping image refresh.
a /ws/a ? - skip (build failed)
b /ws/b ? - skip (build failed)
[sandy] Restarting c...
[sandy]   c restarted in 5s.
[sandy]   --stop failed for d
--- Summary ---
`;

describe('the line reader', () => {
  const texts = (bytes: Buffer, sizes?: number[]) =>
    readLines(bytes, sizes).map(({ text }) => text);

  it('ends lines at \\n and \\r\\n, not at a bare \\r, and gives the rest at the end', () => {
    expect(texts(Buffer.from('a\r\nb\r\r\n\nc\rd\ne\r'), [1])).toEqual(['a', 'b', '', 'c↵d', 'e']);
    expect(texts(Buffer.from('a\n'))).toEqual(['a']);
    expect(texts(Buffer.from(''))).toEqual([]);
  });

  it('puts characters together that arrive in pieces', () => {
    expect(texts(Buffer.from('[sandy] → 🙂 —\n'), [1])).toEqual(['[sandy] → 🙂 —']);
    expect(texts(Buffer.from([0x61, 0xff, 0x0a]))).toEqual(['a\ufffd']);
  });

  it('starts anew after the end', () => {
    const reader = createLineReader();
    expect(reader.take(Buffer.from('a'))).toEqual([]);
    expect(reader.end().map(({ text }) => text)).toEqual(['a']);
    expect(reader.end()).toEqual([]);
    expect(reader.take(Buffer.from('b\n')).map(({ text }) => text)).toEqual(['b']);
  });

  it('shows 400 characters of a longer line, and reads 4 KB of it', () => {
    const head = '[sandy]   ...still refreshing k (20s: ';
    const [read] = readLines(Buffer.from(`${head}${'x'.repeat(9000)})\n`), [7]);
    expect(read?.text).toHaveLength(400);
    expect(read?.line).toEqual({
      kind: 'heartbeat',
      key: 'k',
      seconds: 20,
      phase: 'x'.repeat(4096 - head.length),
    });
  });
});

describe('the progress', () => {
  const follow = (lines: readonly UpdateLine[], from = noProgress) =>
    lines.reduce(readUpdateOutput, from);
  const beat = (seconds: number, phase: string, key = 'k'): UpdateLine => ({
    kind: 'heartbeat',
    key,
    seconds,
    phase,
  });
  const refreshing: UpdateLine = { kind: 'refreshing', key: 'k', workspace: '/ws' };

  it.each<[string, readonly UpdateLine[], number]>([
    ['one heartbeat', [beat(20, 'a')], 0],
    ['the same phase', [beat(20, 'a'), beat(40, 'a'), beat(60, 'a')], 40],
    ['another phase', [beat(20, 'a'), beat(40, 'a'), beat(60, 'b')], 0],
    ['the phase of before', [beat(20, 'a'), beat(40, 'b'), beat(60, 'a'), beat(80, 'a')], 20],
    ['another session', [beat(20, 'a', 'l'), beat(40, 'a'), beat(60, 'a')], 20],
    ['a new refresh', [beat(20, 'a'), refreshing, beat(40, 'a'), beat(60, 'a')], 20],
    ['seconds that run backwards', [beat(60, 'a'), beat(20, 'a'), beat(40, 'a')], 20],
    ['unknown lines between', [beat(20, 'a'), { kind: 'other' }, beat(40, 'a')], 20],
    ['a lost heartbeat', [beat(20, 'a'), beat(80, 'a')], 60],
  ])('says for how long the phase is unchanged: %s', (_, lines, unchangedSeconds) => {
    expect(follow([refreshing, ...lines]).building?.unchangedSeconds).toBe(unchangedSeconds);
  });

  it('knows no phase before the first heartbeat', () => {
    expect(follow([beat(20, 'a'), refreshing]).building).toEqual({
      key: 'k',
      seconds: 0,
      phase: null,
      unchangedSeconds: 0,
    });
  });

  it.each<UpdateLine>([
    { kind: 'planned', key: 'k', workspace: '', action: 'skip', reason: 'current' },
    { kind: 'nothing' },
    { kind: 'dry-run', candidates: 1 },
    { kind: 'restarting', key: 'k' },
    { kind: 'summary', restarted: null, skipped: null, failed: null },
    { kind: 'folder-missing', key: 'l' },
    { kind: 'build-failed', key: 'k' },
  ])('is building no more after $kind', (line) => {
    expect(follow([beat(20, 'a'), line]).building).toBeNull();
  });

  it('builds on when the failure of an earlier build arrives late', () => {
    expect(follow([beat(20, 'a'), { kind: 'build-failed', key: 'l' }]).building?.key).toBe('k');
  });

  it('tells a missing folder from a failed build, in whichever order it hears of them', () => {
    const row: UpdateLine = {
      kind: 'planned',
      key: 'k',
      workspace: '/ws',
      action: 'skip',
      reason: 'build failed',
    };
    const missing: UpdateLine = { kind: 'folder-missing', key: 'k' };
    const reasonOf = (lines: UpdateLine[]) => follow(lines).planned?.get('k')?.reason;
    expect(reasonOf([row])).toBe('build failed');
    expect(reasonOf([missing, row])).toBe('workspace folder is missing');
    expect(reasonOf([row, missing])).toBe('workspace folder is missing');
    expect(reasonOf([missing, { ...row, reason: 'current' }])).toBe('current');
    expect(reasonOf([{ kind: 'folder-missing', key: 'l' }, row])).toBe('build failed');
  });

  it('lists each session once', () => {
    const lines: UpdateLine[] = [
      { kind: 'restarting', key: 'k' },
      { kind: 'step-failed', key: 'k', step: 'stop' },
    ];
    expect(follow([...lines, ...lines, { kind: 'step-failed', key: 'k', step: 'start' }])).toEqual({
      ...noProgress,
      restarting: ['k'],
      failed: [{ key: 'k', step: 'stop' }],
    });
  });

  it('leaves the progress of before as it was', () => {
    const lines = readLines(Buffer.from(EVERY_KIND));
    const states = [noProgress];
    for (const { line } of lines) states.push(readUpdateOutput(states.at(-1) ?? noProgress, line));
    const again = lines.map((_, index) => followLines(lines.slice(0, index)));
    expect(states.slice(0, -1)).toEqual(again);
    expect(new Set(states).size).toBe(lines.length + 1);
  });
});
