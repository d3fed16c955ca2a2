import type { Writable } from 'node:stream';
import { cleanForeignText } from '../system/foreign-text.ts';
import type { Notice } from './notifier.ts';

/** A digest of a long night is long. */
const NOTICE_CHARACTERS = 2_000;

/** Writes notices as lines of text, with or without a desktop. */
export function createLineNotifier(
  stream: Writable,
  formatTime: (at: number) => string,
): (notice: Notice) => void {
  return (notice) => {
    stream.write(`${formatTime(notice.at)} ${writeLine(notice)}\n`);
  };
}

/** A notice in one line: the words of a single happening say by themselves what it is. */
function writeLine({ kind, title, body }: Notice): string {
  const isSum = kind === 'overnight' || kind === 'digest';
  const line = isSum ? `${title}: ${body}` : body;
  // Keys come from outside.
  return cleanForeignText(line.replaceAll('\n', ' '), NOTICE_CHARACTERS);
}
