import type { Writable } from 'node:stream';
import { cleanForeignText } from '../system/foreign-text.ts';
import type { Notice, Notifier } from './notifier.ts';

/** A digest of a long night is long. */
const NOTICE_CHARACTERS = 2_000;

/** Shows notices as lines of text: what there is where there is no desktop. */
export function createLineNotifier(stream: Writable, formatTime: (at: number) => string): Notifier {
  const outcome = { kind: 'shown', server: 'text', clickable: false } as const;
  return {
    async show(notice) {
      // Lines can't be replaced, and whoever clicked something is told in another way.
      if (notice.kind === 'progress' || notice.kind === 'answer') return outcome;
      stream.write(`${formatTime(notice.at)} ${writeLine(notice)}\n`);
      return outcome;
    },
    // A line that was read can't be taken back; the line that says so follows it.
    async withdraw() {},
    async close() {},
  };
}

/** A notice in one line: the words of a single happening say by themselves what it is. */
function writeLine({ kind, title, body }: Notice): string {
  const isSum = kind === 'overnight' || kind === 'digest';
  const line = isSum ? `${title}: ${body}` : body;
  // Keys come from outside.
  return cleanForeignText(line.replaceAll('\n', ' '), NOTICE_CHARACTERS);
}
