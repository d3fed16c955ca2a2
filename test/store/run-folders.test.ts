import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRunId, newRunId, openRunFolders } from '../../src/store/run-folders.ts';
import type { RunRecord } from '../../src/store/run-record.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const at = Date.UTC(2026, 10, 29, 20, 58, 7, 123);

function record(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    id: newRunId(at),
    op: 'update',
    origin: 'menu',
    onTerminal: false,
    keys: null,
    idleForMinutes: 30,
    rebuild: true,
    askedAt: at,
    steps: [
      {
        key: 'work-1',
        workspace: '/a "b"\n',
        args: ['--update-sessions', '--yes'],
        logFrom: 0,
        process: { pid: 12, birth: 'boot/34' },
        startedAt: at + 1,
        endedAt: null,
        exitCode: null,
        signal: null,
        outcome: null,
      },
    ],
    wish: null,
    outcome: null,
    endedAt: null,
    ...changes,
  };
}

const outcome: RunRecord['outcome'] = {
  kind: 'ok',
  text: null,
  restarted: ['a'],
  candidates: [],
  skipped: [{ key: 'b', reason: 'current' }],
  failed: [],
};

function open() {
  const state = makeScratchFolder();
  const folders = openRunFolders(state);
  return { state, folders, pathOf: (id: string) => join(state, 'runs', id, 'run.json') };
}

describe('a run’s folder', () => {
  it('is this user’s only, and is read back by another process', () => {
    const { state, folders, pathOf } = open();
    const run = record();
    expect(folders.create(run)).toEqual({ kind: 'created' });
    expect(statSync(join(state, 'runs')).mode & 0o777).toBe(0o700);
    expect(statSync(join(state, 'runs', run.id)).mode & 0o777).toBe(0o700);
    expect(statSync(pathOf(run.id)).mode & 0o777).toBe(0o600);
    expect(folders.logPath(run.id)).toBe(join(state, 'runs', run.id, 'output.log'));
    const ended = { ...run, outcome, endedAt: at + 5 };
    expect(openRunFolders(state).read(run.id)).toEqual(run);
    expect(folders.save(ended)).toEqual({ kind: 'written' });
    expect(openRunFolders(state).read(run.id)).toEqual(ended);
    expect(readdirSync(join(state, 'runs', run.id))).toEqual(['run.json']);
  });

  it('is made once', () => {
    const { folders } = open();
    const run = record();
    folders.create(run);
    expect(folders.create({ ...run, rebuild: false })).toEqual({
      kind: 'not-written',
      errorCode: 'EEXIST',
    });
    expect(folders.read(run.id)).toEqual(run);
  });

  it('is not there when nothing could be written', () => {
    const { state, folders } = open();
    writeFileSync(join(state, 'runs'), 'in the way');
    expect(folders.create(record())).toMatchObject({ kind: 'not-written' });
    expect(folders.listUnfinished()).toEqual([]);
    folders.prune(0);
  });
});

describe('unfinished runs', () => {
  it('come oldest first, without those that have ended', () => {
    const { state, folders } = open();
    const runs = [3, 1, 2].map((n) => record({ id: newRunId(at + n), askedAt: at + n }));
    const ended = record({ id: newRunId(at), endedAt: at + 9, outcome });
    for (const run of [...runs, ended]) folders.create(run);
    mkdirSync(join(state, 'runs', newRunId(at)));
    writeFileSync(join(state, 'runs', 'a-file'), '');
    const found = openRunFolders(state).listUnfinished();
    expect(found.map(({ askedAt }) => askedAt - at)).toEqual([1, 2, 3]);
  });

  it.each([
    ['no JSON', () => '{"format": 1,'],
    ['nothing', () => ''],
    ['another run', (run: RunRecord) => JSON.stringify({ format: 1, ...run, id: newRunId(at) })],
    ['a number that no process has', (run: RunRecord) => spoil(run, { pid: -1, birth: 'x' })],
    ['no number', (run: RunRecord) => spoil(run, undefined)],
  ])('a record with %s is kept aside and counts as finished', (_, textOf) => {
    const { state, folders, pathOf } = open();
    const [whole, broken] = [record(), record()];
    for (const run of [whole, broken]) folders.create(run);
    const text = textOf(broken);
    writeFileSync(pathOf(broken.id), text);
    const again = openRunFolders(state);
    expect(again.read(broken.id)).toBeNull();
    expect(existsSync(pathOf(broken.id))).toBe(true);
    expect(again.listUnfinished()).toEqual([whole]);
    expect(again.listUnfinished()).toEqual([whole]);
    expect(readFileSync(`${pathOf(broken.id)}.bad`, 'utf8')).toBe(text);
    expect(existsSync(pathOf(broken.id))).toBe(false);
  });

  it('one of a newer version is neither touched nor pruned', () => {
    const { folders, pathOf } = open();
    const run = record();
    folders.create(run);
    writeFileSync(pathOf(run.id), JSON.stringify({ ...run, format: 2 }));
    expect(folders.listUnfinished()).toEqual([]);
    folders.prune(0);
    expect(existsSync(pathOf(run.id))).toBe(true);
  });

  it.runIf(process.getuid?.() !== 0)('one that can’t be read stays where it is', () => {
    const { folders, pathOf } = open();
    const run = record();
    folders.create(run);
    chmodSync(pathOf(run.id), 0);
    expect(folders.listUnfinished()).toEqual([]);
    expect(existsSync(pathOf(run.id))).toBe(true);
  });

  it('keep what matters when the rest can’t be read', () => {
    const { folders, pathOf } = open();
    const run = record();
    folders.create(run);
    const saved = JSON.parse(readFileSync(pathOf(run.id), 'utf8'));
    const changed = {
      ...saved,
      idleForMinutes: 'x',
      rebuild: 7,
      more: 1,
      outcome: { kind: 'odd' },
    };
    changed.steps[0] = { ...saved.steps[0], exitCode: 'x', more: 1 };
    writeFileSync(pathOf(run.id), JSON.stringify(changed));
    const lost = {
      kind: 'lost',
      text: null,
      restarted: [],
      candidates: [],
      skipped: [],
      failed: [],
    };
    expect(folders.listUnfinished()).toEqual([
      { ...run, idleForMinutes: null, rebuild: false, outcome: lost },
    ]);
  });

  it('lose the drafts of writes that were cut short', () => {
    const { folders, pathOf } = open();
    const run = record();
    folders.create(run);
    const draft = `${pathOf(run.id)}.0123456789ab.tmp`;
    writeFileSync(draft, '{');
    utimesSync(draft, new Date(0), new Date(0));
    expect(folders.listUnfinished()).toEqual([run]);
    expect(existsSync(draft)).toBe(false);
  });
});

function spoil(run: RunRecord, process: unknown): string {
  return JSON.stringify({
    format: 1,
    ...run,
    steps: run.steps.map((one) => ({ ...one, process })),
  });
}

describe('pruning', () => {
  it('removes the oldest finished ones, and none that is unfinished', () => {
    const { state, folders } = open();
    const runs = Array.from({ length: 8 }, (_, n) =>
      // The oldest and one in the middle go on.
      record({ id: newRunId(at + n), endedAt: n === 0 || n === 4 ? null : at + 9 }),
    );
    for (const run of runs) {
      folders.create(run);
      writeFileSync(folders.logPath(run.id), 'output');
    }
    const left = () =>
      readdirSync(join(state, 'runs')).map((id) => runs.findIndex((run) => run.id === id));
    folders.prune();
    expect(left()).toHaveLength(8);
    folders.prune(5);
    expect(left()).toEqual([0, 4, 5, 6, 7]);
    folders.prune(0);
    expect(left()).toEqual([0, 4]);
  });

  it('keeps fifty', () => {
    const { state, folders } = open();
    for (let n = 0; n < 53; n += 1) {
      folders.create(record({ id: newRunId(at + n), endedAt: at + 99 }));
    }
    folders.prune();
    const left = readdirSync(join(state, 'runs')).sort();
    expect(left).toHaveLength(50);
    expect(left[0]).toMatch(/^20261129T205807126Z-/);
  });
});

describe('the id of a run', () => {
  it('sorts as time goes, and is never the same twice', () => {
    expect(newRunId(at)).toMatch(/^20261129T205807123Z-[0-9a-f]{8}$/);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8e12 }), fc.integer({ min: 1, max: 1e11 }), (a, n) => {
        expect(newRunId(a) < newRunId(a + n)).toBe(true);
        expect(isRunId(newRunId(a))).toBe(true);
      }),
    );
    expect(newRunId(at)).not.toBe(newRunId(at));
  });

  it.each(['', '.', '..', '../runs', 'a/b', 'a\0', 'a\n', 'ä', 'a.b', 'x'.repeat(65)])(
    '%j is none, and names no file',
    (id) => {
      const { state, folders } = open();
      mkdirSync(join(state, 'runs'));
      writeFileSync(join(state, 'run.json'), JSON.stringify({ format: 1, ...record({ id }) }));
      expect(isRunId(id)).toBe(false);
      expect(folders.read(id)).toBeNull();
      expect(() => folders.logPath(id)).toThrow();
      expect(() => folders.save(record({ id }))).toThrow();
    },
  );
});
