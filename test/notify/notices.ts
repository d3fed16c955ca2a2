/** Notices for tests, and what becomes of them. */

import type {
  Notice,
  NoticeClick,
  NoticeEnd,
  NotifierListener,
} from '../../src/notify/notifier.ts';

export const notice = (key: string, parts: Partial<Notice> = {}): Notice => ({
  key,
  kind: 'late',
  at: 0,
  session: key,
  title: 'A session did not come back',
  body: `${key} did not come back.`,
  urgency: 'normal',
  actions: [
    { id: 'open', label: 'Open' },
    { id: 'start', label: 'Start' },
    { id: 'log', label: 'Show log' },
  ],
  ...parts,
});

/** A listener that remembers. */
export function listen() {
  const clicks: NoticeClick[] = [];
  const ends: (readonly [key: string, end: NoticeEnd])[] = [];
  const listener: NotifierListener = {
    onClick: (click) => clicks.push(click),
    onEnd: (key, end) => ends.push([key, end]),
  };
  return { clicks, ends, listener };
}
