import type { Message } from '../fleet/message.ts';

/** Which clients wait for which session, so that the fleet is looked at as often as they need. */
export interface Waiters {
  /** Notes what a client waits for; null: for nothing any more. */
  readonly note: (client: number, key: string | null) => void;
  /** Forgets the clients that are gone. */
  readonly keep: (clients: readonly { readonly id: number }[]) => void;
}

export function createWaiters(dispatch: (message: Message) => void): Waiters {
  const waiting = new Map<number, string>();
  const count = (key: string) => [...waiting.values()].filter((other) => other === key).length;
  const note = (client: number, key: string | null) => {
    const before = waiting.get(client) ?? null;
    if (before === key) return;
    if (key === null) waiting.delete(client);
    else waiting.set(client, key);
    for (const changed of [before, key]) {
      if (changed === null) continue;
      dispatch({ kind: 'waiters-changed', at: Date.now(), key: changed, count: count(changed) });
    }
  };
  return {
    note,
    keep(clients) {
      const here = new Set(clients.map(({ id }) => id));
      for (const client of [...waiting.keys()]) if (!here.has(client)) note(client, null);
    },
  };
}
