/** What a person reads in a terminal of ours. Times of day come ready for this zone. */

import { cleanForeignText } from '../system/foreign-text.ts';
import type { IdleReason, WaitReason } from './machine.ts';

const waitWords: Readonly<Record<WaitReason, string>> = {
  checking: 'ended; checking for a restart',
  away: 'is gone; it may come back',
  updating: 'restarts for an update',
  starting: 'is starting',
  silent: 'no longer answers',
  blind: 'cannot be seen: sandy or docker does not answer',
};

export const texts = {
  /** The one line that is rewritten while nothing is attached; a long name yields to the rest. */
  waiting: (name: string, why: WaitReason, waitedMs: number, typed: boolean, columns: number) => {
    const typing = typed ? ' · typing is not sent' : '';
    const rest = ` ${waitWords[why]} · ${formatClock(waitedMs)} · Ctrl-C leaves${typing}]`;
    return `[${cleanForeignText(name, Math.min(60, Math.max(8, columns - 1 - rest.length)))}${rest}`;
  },
  opening: (name: string) => `[${cleanForeignText(name, 60)}: looking at sandy…]`,
  reattached: (name: string, updatedTime: string | null) =>
    updatedTime === null
      ? `[${cleanForeignText(name, 60)} is back; attaching again]`
      : `[${cleanForeignText(name, 60)} was restarted for updates ${updatedTime}; attaching again]`,
  joined: (name: string, pid: number) =>
    `[${cleanForeignText(name, 40)} is being started already (pid ${pid}); waiting for that]`,
  lineDropped: '[the line that you began before is not sent; it is dropped up to Enter]',
  idle: (name: string, why: IdleReason, detail: string | null): string => {
    const shown = cleanForeignText(name, 60);
    switch (why) {
      case 'ended':
        return `[${shown} ended]`;
      case 'stopped':
        return `[${shown} was stopped]`;
      case 'quit':
        return `[${shown} ended: the agent inside quit]`;
      case 'detached':
        return `[detached from ${shown}; it keeps running]`;
      case 'displaced':
        return `[${shown} is attached elsewhere]`;
      case 'no-session':
        return `[${shown} is not running]`;
      case 'not-back':
        return `[${shown} did not come back]`;
      case 'failed':
        return detail === null
          ? `[attaching to ${shown} failed]`
          : `[attaching to ${shown} failed: ${cleanForeignText(detail, 200)}]`;
      case 'start-failed':
        return detail === null
          ? `[${shown} could not be started]`
          : `[${shown} could not be started: ${cleanForeignText(detail, 200)}]`;
      case 'busy':
        // Without the name: who is at work has to fit into a narrow terminal.
        return `[not started: ${cleanForeignText(detail ?? 'sandy is busy', 200)}]`;
      case 'flapping':
        return `[${shown} keeps ending right after it was attached; not trying any more]`;
      case 'unreachable':
        return `[${shown} cannot be seen: sandy or docker does not answer]`;
    }
  },
  backAgain: (name: string) => `[${cleanForeignText(name, 60)} is back; Enter attaches]`,
  keys: (why: IdleReason) => `[Enter ${enterWords[why]} · q quits]`,
} as const;

const enterWords: Readonly<Record<IdleReason, string>> = {
  ended: 'starts it again',
  stopped: 'starts it again',
  quit: 'starts it again',
  detached: 'attaches again',
  displaced: 'takes it back',
  'no-session': 'starts it',
  'not-back': 'tries again',
  failed: 'tries again',
  'start-failed': 'tries again',
  busy: 'tries again',
  flapping: 'tries again',
  unreachable: 'tries again',
};

/** `0:14`, `12:05`. */
function formatClock(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
