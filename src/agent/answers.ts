/** What a click came to, in words, for as long as whoever clicked may look for them. */
export interface Answers {
  /** Null: the last click is long ago, or what it did shows by itself. */
  readonly current: () => string | null;
  readonly give: (text: string) => void;
  readonly clear: () => void;
}

/** Before the time scale. */
const SHOWN_MS = 10 * 60 * 1000;

/** `onChange` is called when there is another answer, or none any more. */
export function createAnswers(timeScale: number, onChange: () => void): Answers {
  const shownMs = SHOWN_MS / timeScale;
  let answer: { readonly text: string; readonly at: number } | null = null;
  let timer: NodeJS.Timeout | undefined;
  const clear = () => {
    clearTimeout(timer);
    if (answer === null) return;
    answer = null;
    onChange();
  };
  return {
    current() {
      if (answer === null) return null;
      // Asleep, the machine counts nothing.
      return Math.abs(Date.now() - answer.at) < shownMs ? answer.text : null;
    },
    give(text) {
      clearTimeout(timer);
      answer = { text, at: Date.now() };
      timer = setTimeout(clear, shownMs).unref();
      onChange();
    },
    clear,
  };
}
