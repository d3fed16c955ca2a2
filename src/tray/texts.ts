/** Every sentence of the tray. */

import type { LeftAlone, RunOrigin } from '../fleet/finished-run.ts';
import type { FailureKind, SessionState } from '../fleet/session.ts';
import { countSessions } from '../fleet/texts.ts';
import type { HelperReason } from './helper-process.ts';

/** What a session's state looks like in a row: its shape tells it without the word. */
export const stateShapes: Readonly<Record<SessionState, string>> = {
  running: '●',
  detached: '○',
  starting: '◐',
  ending: '◐',
  missing: '◐',
  overdue: '▲',
  down: '▲',
  ended: '□',
  stopped: '□',
};

/** While nothing can be seen every session looks the same: nobody knows. */
export const unseenShape = '◌';

export const stateWords: Readonly<Record<SessionState, string>> = {
  running: 'running',
  detached: 'nobody attached',
  starting: 'starting',
  ending: 'gives no answer',
  missing: 'away',
  overdue: 'did not come back',
  down: 'down',
  ended: 'ended',
  stopped: 'stopped',
};

/** The same as the beginning of "… since 09:10". */
export const sinceWords: Readonly<Record<SessionState, string>> = {
  running: 'Attached',
  detached: 'Nobody attached',
  starting: 'Starting',
  ending: 'No answer',
  missing: 'Away',
  overdue: 'Overdue',
  down: 'Down',
  ended: 'Ended',
  stopped: 'Stopped',
};

export const failureWords: Readonly<Record<FailureKind, string>> = {
  late: 'did not come back',
  'update-failed': 'is down',
  'start-failed': 'could not start',
  'not-attachable': 'gives no answer',
  stuck: 'is lost from sight',
};

export const originWords: Readonly<Record<RunOrigin, string>> = {
  menu: 'from this menu',
  cli: 'from a terminal',
  schedule: 'by the schedule',
  outside: 'elsewhere',
};

/** What each switch of the notifications is about, by preference. */
export const noticeWords: Readonly<Record<string, string>> = {
  'notify.overnight': 'Summary of a rolling restart',
  'notify.late': 'A session did not come back',
  'notify.failed': 'A start or an update failed',
  'notify.back': 'A session is back after all',
  'notify.ended': 'A session ended',
  'notify.progress': 'Progress of an update',
  'notify.failedInQuietHours': 'Failures in quiet hours too',
};

export const texts = {
  // The head.
  counts: (running: number, stale: number) =>
    stale > 0 ? `${countSessions(running)} · ${stale} on a stale image` : countSessions(running),
  notLookedYet: 'Looking for sessions for the first time',
  sandyMissing: (since: string) => `sandy was not found (since ${since})`,
  sandySilent: (since: string) => `sandy has not answered since ${since}`,
  checked: (at: string) => `Checked ${at}`,
  neverSeen: 'Nothing has been seen yet',
  lastSeen: (at: string, counts: string) => `Last seen ${at}: ${counts}`,
  noDaemon: (version: string) => `sandy ${version} has no daemon sessions; 1.1.0 has`,
  noUpdates: (version: string) => `sandy ${version} cannot update sessions; 1.2.0 can`,
  quiet: (until: string, held: number) =>
    held === 0 ? `Quiet until ${until}` : `Quiet until ${until} · ${held} held back`,
  troubles: (count: number) =>
    count === 1 ? 'One thing does not work here' : `${count} things do not work here`,

  // The tooltip.
  tipFailures: (count: number) => (count === 1 ? '1 failure' : `${count} failures`),
  tipUpdating: 'Updating',
  tipUnknown: 'Nothing is known now',
  tipStale: (count: number) => `${countSessions(count)} on a stale image`,
  /** `staleKnown`: of each one that runs; `odd`: how many need a look although no failure is pinned. */
  tipOk: (running: number, staleKnown: boolean, odd: number) =>
    [
      countSessions(running),
      ...(running === 0 ? [] : [staleKnown ? 'none stale' : 'none known to be stale']),
      odd === 0 ? 'no failures' : odd === 1 ? '1 needs a look' : `${odd} need a look`,
    ].join(', '),
  tipText: (head: string, checked: string) => `${head}. ${checked}.`,

  // Failures.
  failure: (key: string, what: string, at: string) => `! ${key} ${what} (${at})`,
  moreFailures: (count: number) => (count === 1 ? '! 1 more failure' : `! ${count} more failures`),
  startInTerminal: 'Start in a terminal',
  dismiss: 'Dismiss this failure',
  dismissAll: (count: number) => `Dismiss all ${count} failures`,

  // Updates.
  updating: (progress: string, doing: string) => `Updating${progress} · ${doing}`,
  progress: (at: number, total: number | null) =>
    total === null ? (at > 0 ? ` (${at} so far)` : '') : ` ${at} of ${total}`,
  building: 'building images',
  restarting: (key: string) => `restarting ${key}`,
  restartingSome: 'restarting',
  settling: 'waiting for the last ones',
  hangs: 'The update hangs · its image build does not move',
  hangsWhy: 'No session is touched. Cancel it, look at its output, and mend the build.',
  began: (at: string, origin: string) => `Started ${at} ${origin}`,
  showOutput: 'Show output',
  cancel: 'Cancel this update',
  checking: (since: string) => `Checking for updates since ${since}`,
  checkingWhat: 'It builds images where needed, and restarts nothing',
  cancelCheck: 'Cancel this check',
  dismissSummary: 'Dismiss this summary',
  lastRun: (when: string, what: string) => `${when}: ${what}`,
  lastNight: (span: string) => `Last night ${span}`,
  lastUpdate: (span: string) => `Last update ${span}`,
  runSum: (restarted: number, failed: number) => `${restarted} restarted, ${failed} failed`,
  runIdle: ({ count, isInUse }: LeftAlone) => {
    if (count === 0) return 'nothing needed it';
    return isInUse ? `none restarted, ${count} in use` : `none restarted, ${count} left alone`;
  },
  runCancelled: (restarted: number) =>
    restarted === 0
      ? 'cancelled, nothing touched'
      : `cancelled after ${restarted} ${restarted === 1 ? 'restart' : 'restarts'}`,
  runFailed: (restarted: number, failed: number) =>
    failed === 0
      ? `failed, ${restarted} restarted`
      : `failed · ${restarted} restarted, ${failed} not`,
  runFailedWhy: (reason: string) => `Why: ${reason}`,
  restartedOnes: (names: string) => `Restarted: ${names}`,
  failedOne: (key: string, reason: string) => `Failed: ${key}: ${reason}`,
  skippedOne: (key: string, reason: string) => `Skipped: ${key}: ${reason}`,
  andMore: (count: number) => `and ${count} more`,

  // Sessions.
  session: (shape: string, key: string, words: readonly string[]) =>
    `${shape} ${[key, ...words].join(' · ')}`,
  noName: '(no name)',
  attached: (count: number) => `${count} attached`,
  awayForUpdate: 'restarting',
  stale: 'stale image',
  zombie: 'dead inside',
  supervisorLost: 'no supervisor',
  folderMissing: 'no folder',
  conflict: 'claimed twice',
  moreSessions: (count: number, stale: number) =>
    [
      count === 1 ? '1 more session' : `${count} more sessions`,
      ...(stale > 0 ? [`${stale} on a stale image`] : []),
    ].join(' · '),
  open: 'Open terminal',
  update: 'Update & restart session',
  updateIfStale: 'Update & restart session if stale',
  updateAttached: (label: string, count: number) => `${label} (${count} attached now)`,
  start: 'Start',
  stop: 'Stop',
  noFolderKnown: 'Its workspace is not known',
  times: (started: string | null, updated: string | null) =>
    [started === null ? '' : `Started ${started}`, updated === null ? '' : `Updated ${updated}`]
      .filter(Boolean)
      .join(' · '),
  since: (word: string, at: string) => `${word} since ${at}`,
  waiting: (count: number) =>
    count === 1 ? '1 terminal waits for it' : `${count} terminals wait for it`,

  // Why not.
  whyNot: (label: string, why: string) => `${label} (${why})`,
  needs: (version: string) => `needs sandy ${version}`,
  isBlind: 'nothing is known now',
  noSandy: 'sandy was not found',
  isConflict: 'claimed by two workspaces',
  hasNoFolder: 'its folder is missing',
  hasNoKnownFolder: 'its folder is not known',
  updateRuns: 'an update runs',
  checkRuns: 'a check for updates runs',
  beingStarted: (key: string) => `${key} is starting`,
  beingStopped: (key: string) => `${key} is stopping`,
  notRunning: 'it is not running',
  isRunning: 'it runs',
  isStarting: 'it is starting',
  isAway: 'it is away',
  notNow: 'not possible now',
  startedElsewhere: 'it was started elsewhere',
  tooLate: 'too late: sessions are being restarted',
  noOutput: 'its output is not here',

  // All of them.
  check: 'Check for updates (restarts nothing)',
  checkNot: 'Check for updates',
  refresh: 'Look again now',
  updateAll: (stale: number) =>
    stale === 0 ? 'Update all sessions' : `Update all sessions (${stale} stale)`,
  staleOnes: (count: number, names: string) => `${count} stale: ${names}`,
  nothingKnown: 'Nothing is known of the sessions now',
  noneStale: 'None is known to be stale',
  attachedOnes: (count: number, names: string) => `${count} attached right now: ${names}`,
  noneAttached: 'Nobody is attached right now',
  onlyIdle: (minutes: number) => `Only those idle ${minutes} min or more`,
  restartAll: (stale: number) =>
    stale === 0
      ? 'Restart all that turn out stale'
      : stale === 1
        ? 'Restart the stale one now'
        : `Restart all ${stale} stale now`,
  notifications: 'Notifications',
  showLog: 'Show log',
  doctor: 'Doctor',
  quit: 'Quit (sessions keep running)',
} as const;

/** Why another program can't draw the tray, and what to do about it. */
export const helperReasons: Readonly<Record<HelperReason['kind'], (detail: string) => string>> = {
  'no-package': () =>
    'The program that draws the icon is not installed. Install sandy-tray again, with all it depends on.',
  'wrong-digest': (path) =>
    `The program that draws the icon is not the one that it should be: ${path}. It was not run; install sandy-tray again.`,
  'not-copied': (code) =>
    `The program that draws the icon could not be copied to the state folder (${code}). Make room there, or make it writable.`,
  'no-display': () =>
    'There is no X display to show the icon on. Start the agent from the desktop session, where DISPLAY is set.',
  'no-desktop': (name) =>
    `This session has no menu bar (it is ${name === '' ? 'of an unknown kind' : `a “${name}” session`}). Start the agent from the desktop, not over ssh.`,
  'missing-library': (library) =>
    `The program that draws the icon needs ${library}. Install it (Debian, Ubuntu: libayatana-appindicator3-1) and start the agent again.`,
  'wrong-processor': () =>
    'The program that draws the icon is for Intel processors. Install Rosetta (softwareupdate --install-rosetta) and start the agent again.',
  'not-started': (code) =>
    `The program that draws the icon could not be started (${code}). It is tried again; see that the state folder lets programs run.`,
  'not-ready': () =>
    'The program that draws the icon did not get ready in time. It is tried again; log in to the desktop again if that lasts.',
  ended: (how) =>
    `The program that draws the icon ended (${how}). It is started again; log in to the desktop again if that lasts.`,
};
