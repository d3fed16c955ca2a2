/** The order in which things are done about one key. */

interface Turn<T> {
  current: Promise<T>;
  /** What waits, and what it will have come to. */
  waiting: { task: () => Promise<T>; readonly outcome: Promise<T> } | null;
}

/**
 * Makes a function that does one task at a time for each key. Of those that wait only the latest is done, and
 * its outcome is that of all of them: they were about the same banner, which looks now as the latest says.
 * The tasks must not reject.
 */
export function createLatestTurns<T>(): (key: string, task: () => Promise<T>) => Promise<T> {
  const turns = new Map<string, Turn<T>>();
  const finish = (key: string, turn: Turn<T>) => {
    if (turn.waiting === null) turns.delete(key);
  };
  return (key, task) => {
    const turn = turns.get(key);
    if (turn === undefined) {
      const first: Turn<T> = { current: task(), waiting: null };
      turns.set(key, first);
      first.current.then(() => finish(key, first));
      return first.current;
    }
    if (turn.waiting !== null) {
      turn.waiting.task = task;
      return turn.waiting.outcome;
    }
    const outcome = turn.current.then(() => {
      const latest = turn.waiting?.task ?? task;
      turn.waiting = null;
      turn.current = latest();
      turn.current.then(() => finish(key, turn));
      return turn.current;
    });
    turn.waiting = { task, outcome };
    return outcome;
  };
}
