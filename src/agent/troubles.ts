import type { WriteOutcome } from '../system/files.ts';

/** What the agent can't do and does without: said once when it begins, and shown while it lasts. */
export interface Troubles {
  /** Notes whether a file could be written. A full disk is one trouble, however many files it hits. */
  readonly noteWrite: (name: string, outcome: WriteOutcome) => void;
  /** Notes something that lasts until it is noted that it is over (null). */
  readonly note: (name: string, sentence: string | null) => void;
  /** The sentences that hold now. */
  readonly list: () => readonly string[];
}

export interface TroublesParts {
  readonly describe: (names: readonly string[], errorCode: string) => string;
  readonly warn: (sentence: string) => void;
  /** Called whenever the list has changed. */
  readonly onChange: () => void;
}

export function createTroubles({ describe, warn, onChange }: TroublesParts): Troubles {
  const lasting = new Map<string, string>();
  const unwritten = new Map<string, string>();
  return {
    note(name, sentence) {
      if ((lasting.get(name) ?? null) === sentence) return;
      if (sentence === null) lasting.delete(name);
      else {
        lasting.set(name, sentence);
        warn(sentence);
      }
      onChange();
    },
    noteWrite(name, outcome) {
      const errorCode = outcome.kind === 'written' ? undefined : outcome.errorCode;
      if (unwritten.get(name) === errorCode) return;
      const isNew = errorCode !== undefined && ![...unwritten.values()].includes(errorCode);
      if (errorCode === undefined) unwritten.delete(name);
      else unwritten.set(name, errorCode);
      if (isNew) warn(describe([name], errorCode));
      onChange();
    },
    list() {
      const written = [...new Set(unwritten.values())].map((errorCode) => {
        const names = [...unwritten.keys()].filter((name) => unwritten.get(name) === errorCode);
        return describe(names.sort(), errorCode);
      });
      return [...lasting.values(), ...written];
    },
  };
}
