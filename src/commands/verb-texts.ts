/** The sentences of `start` and `stop`. */

import type { RunOutcome } from '../store/run-record.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { quoteOperand } from '../system/shell-words.ts';

/** A key comes from outside. */
const shown = (key: string) => cleanForeignText(key, 60);

export const verbTexts = {
  whichSession: 'Name the session.',
  neverSeen: (folder: string) =>
    `No session was ever seen in ${cleanForeignText(folder, 300)}, and sandy may have something to ask. Start it in a terminal.`,
  isRunning: (key: string) => `${shown(key)} is running.`,
  started: (key: string) =>
    `${shown(key)} is running. Attach to it: sandy-tray attach ${quoteOperand(key)}`,
  stopped: (key: string) => `${shown(key)} is stopped.`,
  startJoined: (key: string) => `${shown(key)} is being started already; waiting for that.`,
  stopWaits: (key: string) => `${shown(key)} is being started; it is stopped when it lands.`,
  notStarted: (key: string) =>
    `${shown(key)} is not running. Sandy's words are above; mend what they name and try again.`,
  notSeen: 'Whether it runs now could not be seen. See: sandy-tray status',
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
  /** `isOurs`: this process is the agent, which goes on with what comes after the command at work. */
  left: (isOurs: boolean) =>
    isOurs
      ? 'What sandy is doing now goes on; what comes after it waits for the next sandy-tray command or agent.'
      : 'It goes on without this window. See: sandy-tray status',
} as const;
