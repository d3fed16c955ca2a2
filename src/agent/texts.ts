/** The sentences of the running agent. */

import { countSessions } from '../fleet/texts.ts';
import type { SlotUse } from '../store/slot.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { quoteOperand } from '../system/shell-words.ts';
import { nameKey } from '../tray/labels.ts';

export const texts = {
  agentStarted: (pid: number, version: string) => `The agent ${version} started (pid ${pid}).`,
  agentStopped: (pid: number) => `The agent stopped (pid ${pid}).`,
  notWritten: (names: readonly string[], errorCode: string) =>
    `The ${names.join(' and the ')} can't be written (${errorCode}): what happens now is remembered only while this agent runs. Free the disk or mend the permissions of the state folder.`,
  staysHere: 'This agent stays.',
  badRequest: 'That request was not understood.',

  sandyNotStarted: (errorCode: string) => `sandy could not be started (${errorCode})`,
  sandySignalled: (signal: string) => `sandy was ended by ${signal}`,
  sandyEndedEarly: 'sandy ended before it was done',
  sandyEndedUnseen: 'sandy ended and nobody saw how',
  sandyFailed: (code: number, words: string | null) =>
    `sandy ended with code ${code}${words === null ? '' : `, and its last words were: ${words}`}`,
  imageBuildFailed: 'image build failed',
  /** What is said of a session, without its name. */
  leftOut: {
    conflict: 'is claimed by two workspaces',
    'no-session': 'is not running',
    'workspace-missing': 'has no workspace folder any more',
  },
  /** sandy's exit codes of `--start`; 0 is asked for only where what it says did not come about. */
  exitCode: (code: number) =>
    ({
      0: 'sandy said that it had done it',
      6: 'sandy refused to launch it before something is approved (code 6)',
      7: 'its container crashes again and again (code 7)',
      8: 'nobody could attach to it in time (code 8)',
    })[code] ?? `sandy ended with code ${code}`,
  startFailed: (key: string, why: string, words: string | null) =>
    `${key} could not be started: ${why}.${lastWords(words)} Start it in a terminal: sandy-tray start ${quoteOperand(key)}`,
  startCancelled: 'It was started and is stopped again, as somebody asked meanwhile.',
  stopFailed: (key: string, why: string, words: string | null) =>
    `${key} still runs after it was asked to stop: ${why}.${lastWords(words)} Look at it with \`sandy-tray status\`.`,
  dockerUnreachable: 'Docker cannot be reached. Start it and try again.',
  nobodySaw: 'Sandy could not be asked for 12 minutes, so that nobody knows what it came to.',
  runLost: 'What it came to is not known: the state folder was changed meanwhile.',

  failedUnseen: 'could not be restarted, says sandy',

  givenUp: 'It was not begun in time and was given up.',
  clickFailed: (message: string) =>
    `That could not be done: ${cleanForeignText(message, 200)}. See: sandy-tray doctor`,
  /** What came of a click, and when. */
  answered: (at: string, text: string) => `${at}: ${text}`,
  checked: (at: string, sum: string) => `Checked ${at}: ${sum}`,
  checkSum: (keys: readonly string[]) =>
    keys.length === 0
      ? 'no session needs a restart'
      : `${countSessions(keys.length)} would be restarted: ${nameSome(keys)}`,
  checkFailed: (reason: string | null) =>
    `The check failed: ${cleanForeignText(reason ?? 'nobody knows why', 300).replace(/\.$/, '')}. See what it says: sandy-tray update --all --dry-run`,
  checkCancelled: 'The check for updates was cancelled.',
  /** Of any banner, also of one that is in no log. */
  notShown: (reason: string) =>
    `A banner was not shown: ${reason}. \`sandy-tray log\` says what happened, \`sandy-tray status\` how things are now.`,
  sessionGone: (key: string) =>
    `${cleanForeignText(key, 60)} is gone: its sandbox was removed. See the sessions there are: sandy-tray status`,
  workspaceUnknown: (key: string) =>
    `The workspace of ${cleanForeignText(key, 60)} is not known, so that nothing can be opened in it. See: sandy-tray doctor`,
  unknownRun: 'There is no such run.',
  noAgentYet: 'The agent is just ending. Try again.',
  notWrittenRun: (errorCode: string) =>
    `Nothing was started: the run can't be noted (${errorCode}). Free the disk or mend the permissions of the state folder.`,
  slotUnreadable: (errorCode: string) =>
    `Nothing was started: whether something else is running can't be read (${errorCode}). Mend the permissions of the state folder.`,
  tooOld: (flag: string, version: string, needed: string) =>
    `Sandy ${version} has no ${flag}; sandy ${needed} or newer is needed. Upgrade it with \`sandy --upgrade\`.`,
  alreadyRuns: (key: string) => `${key} is running.`,
  /** For who wants to stop it. */
  notThere: (key: string) => `${key} is not running.`,
  notRunning: (key: string) =>
    `${key} is not running. Start it with \`sandy-tray start ${quoteOperand(key)}\`.`,
  workspaceMissing: (key: string) =>
    `The workspace folder of ${key} is missing, and sandy does nothing without it. Put it back, or remove the sandbox.`,
  conflict: (key: string) =>
    `${key} is claimed by two workspaces. Remove one of the two sandboxes first.`,
  notTried: 'was not tried',
  tooLate:
    'It is too late to cancel: sessions are being restarted, or nobody can tell that none is.',
  cancelled: (touched: boolean) =>
    touched
      ? 'The update was cancelled; what it had restarted before stays as it is.'
      : 'The update was cancelled; no session was touched.',
  notCancellable: (what: string) => `${what} Only an update can be cancelled.`,
  nothingToCancel: 'Nothing to cancel: no update is running.',
  busy: (use: Pick<SlotUse, 'op' | 'keys'>, since: string) =>
    `${busyWith[use.op](use.keys)} has been running since ${since}. Try again when it is over.`,
  busyElsewhere: (verb: string, pid: number) =>
    `${verb === 'update-sessions' ? 'An update' : verb === 'start' ? 'A start' : 'A stop'} started elsewhere is running (pid ${pid}). Try again when it is over.`,
  othersUnknown:
    'Whether somebody else changes sessions now can not be told on this machine. Nothing was started; see what `ps` says.',
  busyUnknown: (pid: number) =>
    `Another sandy-tray is busy (pid ${pid}). Try again when it is over.`,
} as const;

/** Names that a person is shown of many. */
const SHOWN_NAMES = 4;

function nameSome(keys: readonly string[]): string {
  const names = keys.slice(0, SHOWN_NAMES).map(nameKey);
  const more = keys.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
}

const busyWith: Readonly<Record<SlotUse['op'], (keys: readonly string[] | null) => string>> = {
  update: (keys) => `An update of ${keys === null ? 'all sessions' : keys.join(', ')}`,
  check: () => 'A check for updates',
  start: (keys) => `The start of ${keys?.join(', ') ?? 'a session'}`,
  stop: (keys) => `The stop of ${keys?.join(', ') ?? 'a session'}`,
};

function lastWords(words: string | null): string {
  return words === null ? '' : ` Its last words: “${words}”.`;
}
