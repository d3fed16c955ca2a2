import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideShowing,
  formatLedger,
  type LedgerContent,
  type LedgerEntry,
  parseLedger,
  pruneLedger,
} from '../../src/store/ledger-entries.ts';
import { arbitraryKey } from './arbitraries.ts';

const dayMs = 24 * 3_600_000;
const now = 100 * dayMs;

function contentOf(
  entries: readonly LedgerEntry[],
  doubtedAt: number | null = null,
): LedgerContent {
  return { entries: new Map(entries.map((entry) => [entry.id, entry])), doubtedAt };
}

const arbitraryEntry = fc.record({
  id: arbitraryKey,
  step: fc.constantFrom('intent' as const, 'shown' as const, 'done' as const),
  at: fc.integer({ min: now - 60 * dayMs, max: now + dayMs }),
});
const arbitraryContent = fc
  .tuple(fc.array(arbitraryEntry), fc.option(fc.integer({ min: now - 60 * dayMs, max: now })))
  .map(([entries, doubtedAt]) => contentOf(entries, doubtedAt));

describe('deciding whether a notice may be shown', () => {
  const entry = (step: LedgerEntry['step']) => [{ id: 'x', step, at: now }];
  it.each([
    ['new, its event too', contentOf([]), true, true],
    ['new, its event logged by a process that died before the intent', contentOf([]), false, true],
    ['meant, perhaps shown', contentOf(entry('intent')), false, false],
    ['meant, its event lost from the log', contentOf(entry('intent')), true, false],
    ['shown', contentOf(entry('shown')), false, false],
    ['done', contentOf(entry('done')), false, false],
    ['new after the ledger was lost', contentOf([], now), true, true],
    ['logged before the ledger was lost', contentOf([], now), false, false],
  ])('%s', (_name, content, loggedNow, expected) => {
    expect(decideShowing(content, 'x', loggedNow)).toBe(expected);
  });
});

describe('the text of a ledger', () => {
  it('gives back what was written, whatever the ids are', () => {
    fc.assert(
      fc.property(arbitraryContent, (content) => {
        expect(parseLedger(JSON.parse(formatLedger(content)))).toEqual(content);
      }),
    );
  });

  it.each([
    ['no entries', { doubtedAt: null }],
    ['an unknown step', { doubtedAt: null, entries: [{ id: 'x', step: 'maybe', at: 1 }] }],
    ['an object by id', { doubtedAt: null, entries: { x: { step: 'shown', at: 1 } } }],
    ['no word on doubt', { entries: [] }],
  ])('is not trusted with %s', (_name, object) => {
    expect(parseLedger(object)).toBeNull();
  });
});

describe('pruning', () => {
  it('keeps all of the last day, nothing older than 30 days, and the newest of the rest', () => {
    fc.assert(
      fc.property(arbitraryContent, (content) => {
        const pruned = pruneLedger(content, now);
        for (const [id, entry] of content.entries) {
          expect(pruned.entries.has(id)).toBe(now - entry.at <= 30 * dayMs);
        }
        expect(pruneLedger(pruned, now)).toBe(pruned);
      }),
    );
  });

  it('drops the oldest beyond 1,000', () => {
    const entries = Array.from({ length: 1_500 }, (_, index) => ({
      id: `x${index}`,
      step: 'done' as const,
      at: now - 2 * dayMs - index,
    }));
    const { entries: kept } = pruneLedger(contentOf(entries), now);
    expect([...kept.keys()]).toEqual(entries.slice(0, 1_000).map((entry) => entry.id));
  });

  it('keeps more than 1,000 when they are younger than a day', () => {
    const entries = Array.from({ length: 1_500 }, (_, index) => ({
      id: `x${index}`,
      step: 'shown' as const,
      at: now - index,
    }));
    expect(pruneLedger(contentOf(entries), now).entries.size).toBe(1_500);
  });

  it('ends a doubt after 30 days', () => {
    expect(pruneLedger(contentOf([], now - 29 * dayMs), now).doubtedAt).toBe(now - 29 * dayMs);
    expect(pruneLedger(contentOf([], now - 31 * dayMs), now).doubtedAt).toBeNull();
  });
});
