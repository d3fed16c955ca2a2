/** The sentences of the running agent. */

import type { FleetEvent } from '../fleet/events.ts';

export const texts = {
  /** One notice for all that quiet hours held back. */
  digest: (events: readonly FleetEvent[]) =>
    events.length === 1
      ? (events[0]?.text ?? '')
      : `While it was quiet: ${events.map((event) => event.text).join(' ')}`,
  agentStarted: (pid: number, version: string) => `The agent ${version} started (pid ${pid}).`,
  agentStopped: (pid: number) => `The agent stopped (pid ${pid}).`,
  notWritten: (names: readonly string[], errorCode: string) =>
    `The ${names.join(' and the ')} can't be written (${errorCode}): what happens now is remembered only while this agent runs. Free the disk or mend the permissions of the state folder.`,
  badRequest: 'That request was not understood.',
} as const;
