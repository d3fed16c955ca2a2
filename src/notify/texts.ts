/** Every sentence of a banner that is not the happening's own. */

import type { EventKind } from '../fleet/events.ts';
import { countSessions } from '../fleet/texts.ts';

export const texts = {
  titles: {
    late: 'A session did not come back',
    back: 'A session is back',
    down: 'A session is down',
    'start-failed': 'A session could not start',
    'run-completed': 'Sessions were restarted for updates',
    'run-failed': 'An update failed',
    'run-hung': 'An update hangs',
    ended: 'A session ended',
    quit: 'A session ended',
  } satisfies Partial<Record<EventKind, string>> as Partial<Record<EventKind, string>>,
  otherTitle: 'sandy sessions',

  allRestarted: (count: number) =>
    count === 1 ? 'A session was restarted for updates' : `${count} sessions were restarted`,
  someFailed: (count: number) =>
    count === 1
      ? 'A session needs you after an update'
      : `${count} sessions need you after an update`,
  /** One that failed in the sum of a run: what became of it is the reason. */
  failedSession: (key: string, reason: string) => `${key} ${reason}.`,
  moreFailed: (count: number) => `${count} more failed.`,
  restartedOne: (key: string, span: string) => `${key} was restarted, ${span}.`,
  restarted: (count: number, span: string) => `${countSessions(count)} restarted, ${span}.`,
  othersRestarted: (count: number, span: string) =>
    count === 1
      ? `Another one was restarted, ${span}.`
      : `${count} others were restarted, ${span}.`,
  skipped: (count: number) => `${count} left as ${count === 1 ? 'it was' : 'they were'}.`,
  span: (from: string, to: string) => (from === to ? `at ${from}` : `${from} to ${to}`),

  digestFine: (count: number) => `While it was quiet: ${countEvents(count)}, all fine`,
  digestNeedsYou: (count: number) =>
    count === 1
      ? 'While it was quiet: 1 session needs you'
      : `While it was quiet: ${count} sessions need you`,

  moreEvents: (count: number) => `${count} more; see the log.`,

  actions: {
    open: 'Open',
    start: 'Start',
    choose: 'Choose a session',
    log: 'Show log',
    output: 'Show output',
  },
} as const;

function countEvents(count: number): string {
  return count === 1 ? '1 event' : `${count} events`;
}
