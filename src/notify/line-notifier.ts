import type { Writable } from 'node:stream';
import { cleanForeignText } from '../system/foreign-text.ts';
import type { Notifier } from './notifier.ts';

/** A digest of a long night is long. */
const NOTICE_CHARACTERS = 2_000;

/** Shows notices as lines of text: what there is where there is no desktop. */
export function createLineNotifier(stream: Writable, formatTime: (at: number) => string): Notifier {
  return {
    async show({ at, text }) {
      // Keys come from outside.
      stream.write(`${formatTime(at)} ${cleanForeignText(text, NOTICE_CHARACTERS)}\n`);
    },
    // A line that was read can't be taken back; the line that says so follows it.
    async withdraw() {},
  };
}
