/** The sentences of `start` and `stop`. */

import type { RunOutcome } from '../store/run-record.ts';
import { cleanForeignText } from '../system/foreign-text.ts';

/** A key comes from outside. */
const shown = (key: string) => cleanForeignText(key, 60);

export const verbTexts = {
  whichSession: 'Name the session.',
  isRunning: (key: string) => `${shown(key)} is running.`,
  started: (key: string) =>
    `${shown(key)} is running. Attach to it: sandy-tray attach ${shown(key)}`,
  stopped: (key: string) => `${shown(key)} is stopped.`,
  startJoined: (key: string) => `${shown(key)} is being started already; waiting for that.`,
  stopWaits: 'It is being started; it is stopped when it lands.',
  notStarted: (key: string) =>
    `${shown(key)} is not running. Sandy's words are above; mend what they name and try again.`,
  notAttachable: (key: string) =>
    `${shown(key)} was started, but nobody can attach to it yet. See: sandy-tray status`,
  /** Where an outcome has no words of its own. */
  outcomes: {
    ok: (key: string) => `${shown(key)}: done.`,
    cancelled: (key: string) => `${shown(key)}: cancelled.`,
    failed: (key: string) => `${shown(key)}: it failed.`,
    'start-failed': (key: string) => `${shown(key)} could not be started.`,
    'no-session': (key: string) => `${shown(key)} is not running.`,
    'docker-unreachable': () => 'Docker cannot be reached. Start it and try again.',
    'workspace-missing': (key: string) => `The workspace folder of ${shown(key)} is missing.`,
    conflict: (key: string) => `${shown(key)} is claimed by two workspaces.`,
    stuck: (key: string) => `Nobody could see what became of ${shown(key)}. See: sandy-tray status`,
    lost: (key: string) => `What became of ${shown(key)} is not known. See: sandy-tray status`,
  } satisfies Record<RunOutcome['kind'], (key: string) => string>,
  left: 'It goes on without this window. See: sandy-tray status',
} as const;
