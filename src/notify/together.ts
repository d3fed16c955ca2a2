import type { Notifier } from './notifier.ts';

/** Shows everything in all of these ways; what came of it is what came of the last. */
export function showTogether(others: readonly Notifier[], last: Notifier): Notifier {
  const all = [...others, last];
  return {
    async show(notice) {
      for (const other of others) await other.show(notice);
      return await last.show(notice);
    },
    async withdraw(key) {
      await Promise.all(all.map((notifier) => notifier.withdraw(key)));
    },
    async close() {
      await Promise.all(all.map((notifier) => notifier.close()));
    },
  };
}
