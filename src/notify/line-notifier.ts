import type { Writable } from 'node:stream';
import type { Notifier } from './notifier.ts';

/** Shows notices as lines of text: what there is where there is no desktop. */
export function createLineNotifier(stream: Writable, formatTime: (at: number) => string): Notifier {
  return {
    async show({ at, text }) {
      stream.write(`${formatTime(at)} ${text}\n`);
    },
    // A line that was read can't be taken back; the line that says so follows it.
    async withdraw() {},
  };
}
