import type { WriteOutcome } from '../system/files.ts';

/** What the agent can't do and does without: said once when it begins, and shown while it lasts. */
export interface Troubles {
  /** Notes whether a file could be written. */
  readonly noteWrite: (name: string, outcome: WriteOutcome) => void;
  /** Notes something that lasts as long as the process. */
  readonly note: (name: string, sentence: string) => void;
  /** The sentences that hold now. */
  readonly list: () => readonly string[];
}

export function createTroubles(
  describe: (name: string, errorCode: string) => string,
  warn: (sentence: string) => void,
): Troubles {
  const sentences = new Map<string, string>();
  const note = (name: string, sentence: string) => {
    if (sentences.get(name) === sentence) return;
    sentences.set(name, sentence);
    warn(sentence);
  };
  return {
    note,
    noteWrite(name, outcome) {
      if (outcome.kind === 'written') sentences.delete(name);
      else note(name, describe(name, outcome.errorCode));
    },
    list: () => [...sentences.values()],
  };
}
