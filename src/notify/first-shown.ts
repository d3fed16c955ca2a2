import { createLatestTurns } from './latest-turns.ts';
import { type Notifier, notShown, type ShowOutcome } from './notifier.ts';
import { texts } from './texts.ts';

/**
 * Shows each notice by the first of some notifiers that takes it, the best one first. A key has one banner:
 * where another took it before, that one's is withdrawn. None is tried after one that is late, since it may
 * show it yet. Where none takes it, the reason is the first one's.
 */
export function createFirstShown(notifiers: readonly Notifier[]): Notifier {
  const takeTurn = createLatestTurns<ShowOutcome>();
  let isClosed = false;
  const withdrawFrom = async (some: readonly Notifier[], key: string) => {
    // Each knows itself what it shows, and does nothing about what it does not.
    await Promise.all(some.map((notifier) => notifier.withdraw(key)));
  };
  return {
    show: (notice) =>
      takeTurn(notice.key, async () => {
        let first: ShowOutcome | null = null;
        for (const notifier of notifiers) {
          if (isClosed) return notShown(texts.notShown.closed);
          const outcome = await notifier.show(notice);
          first ??= outcome;
          if (outcome.kind === 'not-shown' && outcome.isLate !== true) continue;
          if (outcome.kind === 'shown') {
            const others = notifiers.filter((other) => other !== notifier);
            await withdrawFrom(others, notice.key);
          }
          return outcome;
        }
        return first ?? notShown(texts.notShown.noWay);
      }),
    async withdraw(key) {
      await takeTurn(key, async () => {
        await withdrawFrom(notifiers, key);
        return notShown(texts.notShown.withdrawn);
      });
    },
    async close() {
      isClosed = true;
      await Promise.all(notifiers.map((notifier) => notifier.close()));
    },
  };
}
