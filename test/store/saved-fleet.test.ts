import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applySaved,
  formatSaved,
  mergeRows,
  nothingSaved,
  parseSaved,
  savedFrom,
} from '../../src/store/saved-fleet.ts';
import { arbitraryModel, arbitraryRows } from './arbitraries.ts';
import { makeModel, makeRow, withRows } from './fleet-parts.ts';

const parse = (text: string) => parseSaved(JSON.parse(text));

describe('saving a model and putting it into a new one', () => {
  it('gives back everything that is saved, whatever keys and texts there are', () => {
    fc.assert(
      fc.property(arbitraryModel, (model) => {
        const read = parse(formatSaved(savedFrom(model)));
        expect(read?.lostParts).toBe(0);
        const next = applySaved(makeModel(), read?.saved ?? nothingSaved);
        const run = model.run === null ? null : { ...model.run, asked: false };
        expect(next).toEqual({ ...model, run });
        expect([...next.rows.keys()]).toEqual([...model.rows.keys()]);
      }),
    );
  });

  it('counts the time between two processes as slept', () => {
    const model = makeModel();
    const clock = {
      awakeMs: 5,
      sightedAt: 9,
      last: { monoMs: 1, at: 9, sighted: true },
      plannedDelayMs: 1_000,
    };
    const next = applySaved(makeModel(), savedFrom({ ...model, clock }));
    expect(next.clock).toEqual({ awakeMs: 5, sightedAt: 9, last: null, plannedDelayMs: 0 });
  });

  it('reads the last run of a version that kept no reason', () => {
    const lastRun = {
      ...{ id: 'r', origin: 'cli', scope: 'fleet', startedAt: 1, endedAt: 2 },
      ...{ restarted: [], skipped: [], failed: [], log: null, outcome: 'failed', seen: false },
    };
    const read = parse(JSON.stringify({ ...savedFrom(makeModel()), lastRun, rows: [] }));
    expect(read).toMatchObject({ lostParts: 0, saved: { lastRun: { ...lastRun, reason: null } } });
  });

  it('keeps a session that is called like a part of every object', () => {
    const model = withRows(makeModel(), [makeRow('__proto__'), makeRow('constructor')]);
    const saved = parse(formatSaved(savedFrom(model)))?.saved ?? nothingSaved;
    expect([...applySaved(makeModel(), saved).rows.keys()]).toEqual(['__proto__', 'constructor']);
  });
});

describe('reading what is partly wrong', () => {
  const whole = JSON.parse(
    formatSaved(savedFrom(withRows(makeModel(), [makeRow('a'), makeRow('b'), makeRow('c')]))),
  );

  it('loses the one row that is wrong', () => {
    whole.rows[1].phase.kind = 'asleep';
    const read = parseSaved(whole);
    expect(read?.lostParts).toBe(1);
    expect(read?.saved.rows.map((row) => row.key)).toEqual(['a', 'c']);
  });

  it.each([
    ['run', { run: { id: 1 } }, 1],
    ['lastRun', { lastRun: 'yesterday' }, 1],
    ['a list that is none', { stopIntents: {} }, 1],
    ['one of several held notices', { held: [{}, {}] }, 2],
    ['a run that is missing', { run: undefined }, 1],
  ])('loses %s only', (_name, wrong, lostParts) => {
    const good = JSON.parse(formatSaved(savedFrom(withRows(makeModel(), [makeRow('a')]))));
    const read = parseSaved({ ...good, ...wrong });
    expect(read?.lostParts).toBe(lostParts);
    expect(read?.saved.rows).toHaveLength(1);
  });

  it.each([
    ['clock', { clock: { awakeMs: null, sightedAt: null } }],
    ['baselined', { baselined: 'yes' }],
    ['rows', { rows: {} }],
    ['checkedAt', { checkedAt: undefined }],
  ])('trusts nothing when %s is wrong', (_name, wrong) => {
    const good = JSON.parse(formatSaved(savedFrom(makeModel())));
    expect(parseSaved(good)).not.toBeNull();
    expect(parseSaved({ ...good, ...wrong })).toBeNull();
  });
});

describe('merging rows', () => {
  it('loses no key but a forgotten one, and the model has the last word', () => {
    fc.assert(
      fc.property(arbitraryRows, arbitraryRows, fc.func(fc.boolean()), (rows, onDisk, pick) => {
        const forgotten = new Set(onDisk.map((row) => row.key).filter((key) => pick(key)));
        const merged = new Map(mergeRows(rows, onDisk, forgotten).map((row) => [row.key, row]));
        const mine = new Map(rows.map((row) => [row.key, row]));
        for (const row of onDisk) {
          const expected = mine.get(row.key) ?? (forgotten.has(row.key) ? undefined : row);
          expect(merged.get(row.key)).toBe(expected);
        }
        for (const row of rows) expect(merged.get(row.key)).toBe(row);
        expect([...merged.keys()].every((key) => mine.has(key) || !forgotten.has(key))).toBe(true);
      }),
    );
  });
});
