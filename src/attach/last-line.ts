/** The last line of what a child wrote, for the sentence on why it failed. */

const TAIL_BYTES = 2_048;

export interface LastLine {
  readonly take: (bytes: Uint8Array) => void;
  /** Null: it wrote nothing. Not cleaned: whoever shows it does that. */
  readonly read: () => string | null;
}

export function createLastLine(): LastLine {
  let tail = Buffer.alloc(0);
  return {
    take(bytes) {
      const joined = bytes.length >= TAIL_BYTES ? Buffer.from(bytes) : Buffer.concat([tail, bytes]);
      tail = joined.subarray(Math.max(0, joined.length - TAIL_BYTES));
    },
    read() {
      const lines = tail.toString('utf8').split(/[\r\n]+/);
      return lines.map((line) => line.trim()).findLast((line) => line !== '') ?? null;
    },
  };
}
