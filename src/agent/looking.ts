import type { Message } from '../fleet/message.ts';
import type { PollMode } from '../fleet/observation.ts';
import { knownSandy, type Sandy } from '../sandy/client.ts';
import { lookAtSandy } from '../sandy/looking.ts';
import { findUpdateProcesses } from '../sandy/update-processes.ts';

export interface LookingParts {
  /** The sandy to ask now. */
  readonly sandy: () => Sandy;
  readonly warn: (sentence: string) => void;
  /** Where sandy keeps its things, after each look that saw it. */
  readonly onSandyHome: (folder: string | null) => void;
}

/** Turns looks at sandy into messages for the fleet, numbered from 1. */
export function createLooking(
  parts: LookingParts,
): (mode: PollMode, signal?: AbortSignal) => Promise<readonly Message[]> {
  let id = 0;
  return async (mode, signal) => {
    const sandy = parts.sandy();
    const { observation, durationMs, warnings } = await lookAtSandy(sandy, mode, signal);
    for (const warning of warnings) parts.warn(warning.text);
    if (observation.kind === 'sighted') parts.onSandyHome(observation.sandyHome);
    const at = Date.now();
    id += 1;
    return [
      { kind: 'sandy-found', at, sandy: knownSandy(sandy) },
      {
        kind: 'polled',
        at,
        id,
        monoMs: performance.now(),
        tookMs: durationMs,
        mode: observation.kind === 'sighted' ? observation.mode : mode,
        observation,
      },
    ];
  };
}

/** The answer to `look-for-updates`. `ourPids`: what was started here counts by what it prints. */
export async function lookForUpdates(ourPids?: ReadonlySet<number>): Promise<Message> {
  return { kind: 'looked', processes: await findUpdateProcesses(ourPids), at: Date.now() };
}
