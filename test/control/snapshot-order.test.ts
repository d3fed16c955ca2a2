import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  noSnapshots,
  type SnapshotOrder,
  type SnapshotStamp,
  takeSnapshot,
} from '../../src/control/snapshot-order.ts';

/** What is taken of these stamps, in this order. */
function takeAll(stamps: readonly SnapshotStamp[]): SnapshotStamp[] {
  let order: SnapshotOrder = noSnapshots;
  return stamps.filter((stamp) => {
    const next = takeSnapshot(order, stamp);
    order = next ?? order;
    return next !== null;
  });
}

const at = (epoch: string, rev: number): SnapshotStamp => ({ epoch, rev });

describe('taking snapshots', () => {
  it.each([
    ['the first, whatever its rev', [at('a', 9)], [at('a', 9)]],
    ['only newer ones', [at('a', 2), at('a', 1), at('a', 2), at('a', 4)], [at('a', 2), at('a', 4)]],
    ['any of a new epoch', [at('a', 9), at('b', 1)], [at('a', 9), at('b', 1)]],
    ['none of an ended epoch', [at('a', 9), at('b', 1), at('a', 10)], [at('a', 9), at('b', 1)]],
  ])('takes %s', (_, stamps, taken) => {
    expect(takeAll(stamps)).toEqual(taken);
  });

  it('never goes back, however the frames of lives in sequence are repeated and reordered', () => {
    const stamp = fc.record({ life: fc.nat(5), rev: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(stamp, { maxLength: 60 }), (sent) => {
        // A later life is only ever heard of after the earlier ones: nothing tells their order.
        let newestLife = 0;
        const heard = sent.map(({ life, rev }) => {
          newestLife = Math.max(newestLife, Math.min(life, newestLife + 1));
          return { life: Math.min(life, newestLife), rev };
        });
        const all = [{ life: 0, rev: 0 }, ...heard];
        const taken = takeAll(all.map(({ life, rev }) => at(`life ${life}`, rev)));
        const places = taken.map(({ epoch, rev }) => Number(epoch.slice(5)) * 100 + rev);
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
        const lastLife = Math.max(...all.map(({ life }) => life));
        const revs = all.filter(({ life }) => life === lastLife).map(({ rev }) => rev);
        expect(taken.at(-1)).toEqual(at(`life ${lastLife}`, Math.max(...revs)));
      }),
    );
  });

  it('remembers a bounded number of ended epochs', () => {
    let order = noSnapshots;
    for (let life = 0; life < 500; life += 1)
      order = takeSnapshot(order, at(`${life}`, 1)) ?? order;
    expect(order.newest).toEqual(at('499', 1));
    expect(order.ended.length).toBeLessThanOrEqual(100);
  });
});
