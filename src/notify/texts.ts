/** Every sentence of a banner that is not the happening's own. */

import type { EventKind } from '../fleet/events.ts';
import type { RunView } from '../fleet/view.ts';
import { cleanForeignText } from '../system/foreign-text.ts';

export const texts = {
  titles: {
    late: 'A session did not come back',
    back: 'A session is back',
    down: 'A session is down',
    'start-failed': 'A session could not start',
    'run-failed': 'An update failed',
    'run-hung': 'An update hangs',
    ended: 'A session ended',
    quit: 'A session ended',
  } satisfies Partial<Record<EventKind, string>> as Partial<Record<EventKind, string>>,
  otherTitle: 'sandy sessions',

  sumTitle: (failed: number) =>
    failed === 0 ? 'Rolling restart complete' : `Rolling restart complete, ${failed} failed`,
  /** One that failed in the sum of a run: the reason is what is said of it. */
  failedSession: (key: string, reason: string) => `${key} ${reason}.`,
  restartedOne: (key: string, span: string) => `${key} was restarted for updates, ${span}.`,
  sum: (restarted: number, failed: number, span: string) =>
    `${restarted} restarted, ${failed} failed, ${span}.`,
  skipped: (count: number) => `${count} left as ${count === 1 ? 'it was' : 'they were'}.`,
  span: (from: string, to: string) => (from === to ? `at ${from}` : `${from} to ${to}`),

  digest: (count: number) => `Meanwhile: ${countEvents(count)}`,
  digestNeedsYou: (count: number) =>
    count === 1 ? 'Meanwhile: one thing needs you' : `Meanwhile: ${count} things need you`,

  progressTitle: 'Sessions are being updated',
  progress: (phase: RunView['phase'], current: string | null, done: number, total: number | null) =>
    [total === null ? `${done} done` : `${done} of ${total} done`, phaseWords[phase](current)].join(
      ', ',
    ),
  answerTitles: {
    refused: 'That could not be done',
    done: 'sandy sessions',
    checked: 'Checked for updates',
  },
  testTitle: 'A test of sandy-tray',
  testBody: 'Banners come through. Click this one, or its button, to see that clicks do too.',
  testLabel: 'It works',

  moreEvents: (count: number) => `${count} more; see the log.`,

  actions: {
    open: 'Open',
    start: 'Start',
    'start-in-terminal': 'Start in a terminal',
    choose: 'Choose a session',
    log: 'Show log',
    output: 'Show output',
  },

  /** Why a banner was not shown: sentences without their full stops. */
  notShown: {
    noBus: 'There is no session bus on which a desktop could be reached',
    noServer: 'Nothing on this desktop shows notifications',
    noDisplay: 'Nothing shows notifications here, and there is no display to start it on',
    notStarted: 'What shows notifications on this desktop could not be started',
    lost: 'What shows notifications on this desktop ended before it had this one',
    tooLate: (limitMs: number) =>
      `What shows notifications on this desktop did not answer within ${limitMs / 1000} s`,
    refused: (text: string) => `This desktop refused the notification: ${cleanForeignText(text)}`,
    wrongAnswer: 'What shows notifications on this desktop gave an answer that makes no sense',
    withdrawn: 'It was withdrawn before it was shown',
    closed: 'Notifications are not shown any more',
    noTool: 'There is no notify-send on the PATH',
    toolFailed: (end: string) => `notify-send failed: ${cleanForeignText(end)}`,
    noWay: 'There is no way to show notifications here',
  },

  mac: {
    actions: 'Actions',
    dismiss: 'Dismiss',
    /** Reasons as those above. A program's own words are from outside. */
    refused: (program: string) =>
      `macOS lets ${program} show no notifications; allow it in System Settings, Notifications`,
    silent: (program: string) => `${program} gave no answer`,
    failed: (program: string, words: string) =>
      `${program} failed: ${cleanForeignText(words, 120)}`,
    noProgram: 'There is no program that shows notifications on this Mac; install alerter',
    otherSystem: 'This is not macOS',
  },
} as const;

const phaseWords: Readonly<Record<RunView['phase'], (current: string | null) => string>> = {
  building: () => 'building images',
  hung: () => 'the image build hangs',
  restarting: (current) => (current === null ? 'restarting' : `restarting ${current}`),
  settling: () => 'waiting for the last ones',
  done: () => 'finishing',
};

function countEvents(count: number): string {
  return count === 1 ? '1 event' : `${count} events`;
}
