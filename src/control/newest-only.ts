export interface NewestOnly<Value> {
  put(value: Value): void;
  /** The reader gets what still waits, and then the end. */
  finish(): void;
  read(): AsyncGenerator<Value, undefined>;
}

/** Hands values to one reader; of those that it was too slow for, only the newest. */
export function createNewestOnly<Value>(): NewestOnly<Value> {
  let waiting: { readonly value: Value } | null = null;
  let finished = false;
  let wake: () => void = () => {};
  return {
    put: (value: Value): void => {
      waiting = { value };
      wake();
    },
    finish: (): void => {
      finished = true;
      wake();
    },
    async *read(): AsyncGenerator<Value, undefined> {
      while (true) {
        if (waiting !== null) {
          const { value } = waiting;
          waiting = null;
          yield value;
        } else if (finished) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
