import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ask, covers, isStopOfStart } from '../../src/agent/asks.ts';

const all: Ask = { op: 'update', keys: null, idleForMinutes: null, rebuild: false };

const table: readonly (readonly [string, Partial<Ask>, Partial<Ask>, boolean])[] = [
  ['the same', {}, {}, true],
  ['one of all', {}, { keys: ['a'] }, true],
  ['all, while one is updated', { keys: ['a'] }, {}, false],
  ['one of two', { keys: ['a', 'b'] }, { keys: ['b'] }, true],
  ['the two in another order', { keys: ['a', 'b'] }, { keys: ['b', 'a'] }, true],
  ['one more', { keys: ['a'] }, { keys: ['a', 'b'] }, false],
  ['idle ones, while all are updated', {}, { idleForMinutes: 30 }, true],
  ['all, while only idle ones are updated', { idleForMinutes: 30 }, {}, false],
  ['the same idle ones', { idleForMinutes: 30 }, { idleForMinutes: 30 }, true],
  // Which sessions are idle for longer is not known before the run has looked.
  ['ones idle for longer', { idleForMinutes: 30 }, { idleForMinutes: 60 }, false],
  ['a rebuild, while nothing is rebuilt', {}, { rebuild: true }, false],
  ['no rebuild, while all is rebuilt', { rebuild: true }, {}, true],
  ['a dry run, while an update runs', {}, { op: 'check' }, false],
  ['an update, while a dry run runs', { op: 'check' }, {}, false],
  [
    'a dry run of one, while there is one of all',
    { op: 'check' },
    { op: 'check', keys: ['a'] },
    true,
  ],
  ['the same start', { op: 'start', keys: ['a'] }, { op: 'start', keys: ['a'] }, true],
  ['another start', { op: 'start', keys: ['a'] }, { op: 'start', keys: ['b'] }, false],
  ['a stop of what is started', { op: 'start', keys: ['a'] }, { op: 'stop', keys: ['a'] }, false],
];

const anyAsk: fc.Arbitrary<Ask> = fc.record({
  op: fc.constantFrom('update', 'check', 'start', 'stop'),
  keys: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })),
  idleForMinutes: fc.option(fc.constantFrom(30, 60)),
  rebuild: fc.boolean(),
});

describe('what is being done covers', () => {
  it.each(table)('%s', (_, running, asked, expected) => {
    expect(covers({ ...all, ...running }, { ...all, ...asked })).toBe(expected);
  });

  it('itself', () => {
    fc.assert(fc.property(anyAsk, (one) => covers(one, one)));
  });

  it('what is covered by anything that it covers', () => {
    fc.assert(
      fc.property(anyAsk, anyAsk, anyAsk, (one, two, three) => {
        if (covers(one, two) && covers(two, three)) expect(covers(one, three)).toBe(true);
      }),
      // Three that match are rare.
      { numRuns: 5_000 },
    );
  });

  it('no session that it does not know, and nothing of another kind', () => {
    fc.assert(
      fc.property(anyAsk, anyAsk, (one, two) => {
        if (!covers(one, two)) return;
        expect(one.op).toBe(two.op);
        if (one.keys !== null)
          expect(one.keys).toEqual(expect.arrayContaining([...(two.keys ?? ['?'])]));
      }),
    );
  });
});

describe('a stop', () => {
  it('waits only for the start of its own session', () => {
    const start: Ask = { ...all, op: 'start', keys: ['a'] };
    expect(isStopOfStart(start, { ...all, op: 'stop', keys: ['a'] })).toBe(true);
    expect(isStopOfStart(start, { ...all, op: 'stop', keys: ['b'] })).toBe(false);
    expect(isStopOfStart(start, start)).toBe(false);
    expect(isStopOfStart(all, { ...all, op: 'stop', keys: ['a'] })).toBe(false);
  });
});
