/** Every sentence about the fleet that a person reads. No wall-clock times: only edges know the zone. */

import type { LeftAlone } from './finished-run.ts';
import type { BlindReason } from './observation.ts';
import type { FailedStep } from './session.ts';

/** A duration as people say it: `40 s`, `2 min 40 s`, `3 h 5 min`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** `1 session`, `2 sessions`. */
export function countSessions(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}

/** What became of the sessions of a run that failed: `1 session was restarted, and 2 failed`. */
export function describeTouched(restarted: number, failed: number): string {
  const who = restarted === 0 ? 'No session' : countSessions(restarted);
  const what = `${who} ${restarted > 1 ? 'were' : 'was'} restarted`;
  return failed === 0 ? what : `${what}, and ${failed} failed`;
}

/** The keys that a sentence names; the others are counted. */
const NAMED_KEYS = 3;

export const texts = {
  baseline: (count: number) => `Watching ${countSessions(count)}.`,
  started: (key: string) => `${key} started.`,
  stopped: (key: string) => `${key} was stopped.`,
  ended: (key: string) => `${key} ended; nothing says that it was an update.`,
  endedNoUpdates: (key: string) => `${key} ended.`,
  quit: (key: string) => `${key} ended: the agent inside quit.`,
  vanished: (key: string) => `${key} is no longer ready.`,
  resumed: (key: string, ms: number) =>
    `${key} is back after ${formatDuration(ms)}; the same container.`,
  restartedByHand: (key: string) => `${key} was restarted, not for an update.`,
  restarted: (key: string) => `${key} was restarted for updates.`,
  late: (key: string, ms: number, starting: boolean) =>
    starting
      ? `${key} did not come back: it is still starting after ${formatDuration(ms)}.`
      : `${key} did not come back: it went away for an update and is not back after ${formatDuration(ms)}.`,
  lateStart: (key: string, ms: number) =>
    `${key} did not come up: it is being started and is not ready after ${formatDuration(ms)}.`,
  back: (key: string, ms: number) => `${key} is back after ${formatDuration(ms)}.`,
  backAfterFailure: (key: string) => `${key} is back.`,
  down: (key: string, ms: number) =>
    `${key} is down: it has not come back for ${formatDuration(ms)}. Start it in a terminal.`,
  updateFailed: (key: string, step: FailedStep) =>
    step === 'start'
      ? `${key} is down: the update stopped it and could not start it again. Sandy gives no reason; start it in a terminal to see one.`
      : `${key} is down: sandy reported that stopping it failed, and it is gone. Start it in a terminal.`,
  notAttachable: (key: string, ms: number) =>
    `${key} is listed but has given no answer for ${formatDuration(ms)}. Stop it and start it again in a terminal.`,
  runCompleted: (restarted: number, failed: number) =>
    `Rolling restart complete: ${restarted} restarted, ${failed} failed.`,
  runStarted: (scope: 'fleet' | readonly string[]) =>
    scope === 'fleet'
      ? 'An update of all sessions began.'
      : `An update of ${countSessions(scope.length)} began.`,
  runCancelled: (restarted: number) =>
    restarted === 0
      ? 'The update was cancelled; no session was touched.'
      : `The update was cancelled after ${countSessions(restarted)} had been restarted.`,
  runFailed: (reason: string, restarted: number, failed: number) =>
    `The update failed: ${reason.replace(/\.$/, '')}. ${describeTouched(restarted, failed)}.`,
  /** A reason of `runFailed`. */
  notBuilt: (keys: readonly string[]) =>
    keys.length === 1
      ? `the image of ${keys[0]} could not be built`
      : `the images of ${listKeys(keys)} could not be built`,
  nothingRestarted: ({ count, isInUse }: LeftAlone) => {
    if (count === 0) return 'Nothing was restarted: no session needed it.';
    const left = count === 1 ? 'was left as it was' : 'were left as they were';
    const why = isInUse ? (count === 1 ? ', since it is in use' : ', since they are in use') : '';
    return `Nothing was restarted: ${countSessions(count)} ${left}${why}.`;
  },
  runHung:
    'The update hangs: its image build has not moved for 15 minutes. No session is touched; `sandy-tray update --cancel` ends it.',
  /** What became of a session in a run that it failed in: what is said of it, without its name. */
  didNotComeBack: 'did not come back',
  updateStepFailed: 'could not be restarted and is down',
  stillRuns: 'could not be restarted and still runs',
  notSeenRestarted: 'was restarted, says sandy, but nobody saw that',
  stuck: (key: string) =>
    `Nobody knows what became of ${key}: sandy could not be asked for 12 minutes. Look at it with \`sandy-tray status\`.`,
  /** `since`: a time as people here write it. */
  dockerGone: (since: string) => `Docker has been unreachable since ${since}`,
  blind: (reason: BlindReason) =>
    `${blindHeadlines[reason]}; nothing is known of the sessions until it is back.`,
  sighted: (ms: number) => `Sandy answers again after ${formatDuration(ms)}.`,
  slept: (ms: number) =>
    `Asleep, stopped or a clock that was set: ${formatDuration(ms)} are not counted.`,
  conflict: (key: string) => `${key} is claimed by two workspaces; nothing acts on it.`,

  reasonConflict: 'Two workspaces claim this key. Remove one of the two sandboxes.',
  reasonZombie:
    'Nothing inside answers and sandy has not removed it. Stop it, then start it again.',
  reasonSupervisorLost:
    'Its supervisor is gone: it works, but a quit inside would leave a zombie. Stop it, then start it again.',
  reasonWorkspaceMissing: 'Its workspace folder is missing.',
  reasonNoAnswer: 'Nothing inside answers: it is ending, or dead inside.',
  reasonStopped: 'It was stopped.',
  reasonQuit: 'The agent inside quit.',
  reasonEnded: 'It ended; nothing says that it was an update.',
  reasonDown: 'It did not come back. Start it in a terminal.',
  reasonLinger:
    'It is not listed although its old supervisor is alive; a changed docker context looks like this.',
  reasonStarting: 'A start is in progress.',
  reasonUpdating: 'It went away for an update.',
  reasonGone: 'It is not listed any more; nothing yet says why.',
} as const;

/** A short word for each way to be blind, for headers and the log. */
export const blindHeadlines: Readonly<Record<BlindReason, string>> = {
  'docker-unreachable': 'Docker cannot be reached',
  'sandy-missing': 'sandy was not found',
  'sandy-failed': 'sandy failed',
  'timed-out': 'sandy did not answer in time',
  unreadable: 'sandy printed something unreadable',
  'too-large': 'sandy printed far too much',
};

/** `a and b`, `a, b and c`, `a, b, c and 2 more`. */
function listKeys(keys: readonly string[]): string {
  const hidden = Math.max(0, keys.length - NAMED_KEYS);
  const named = keys.slice(0, hidden > 0 ? NAMED_KEYS : -1);
  return `${named.join(', ')} and ${hidden > 0 ? `${hidden} more` : keys.at(-1)}`;
}
