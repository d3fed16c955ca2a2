import type { Model } from '../fleet/model.ts';
import type { PollMode } from '../fleet/observation.ts';
import { update } from '../fleet/update.ts';
import { createSandy, knownSandy, type Sandy } from '../sandy/client.ts';
import { lookAtSandy } from '../sandy/looking.ts';
import { openFleetState } from '../store/fleet-state.ts';
import { modelFromDisk } from './saved-model.ts';
import type { Setup } from './setup.ts';

/** What one look without an agent brought. */
export interface LoneLook {
  readonly model: Model;
  readonly sandy: Sandy;
  readonly warnings: readonly string[];
}

/** sandy for a process that finds no agent. */
export function createLoneSandy({ preferences, folders }: Setup): Sandy {
  const { sandyPath } = preferences;
  return createSandy({ sandyPath, stateFolder: folders.state, sharesPolls: true });
}

/** What the last agent knew and one look, for commands that find no agent. Saves nothing. */
export async function lookOnce(setup: Setup, mode: PollMode): Promise<LoneLook> {
  const { folders } = setup;
  const sandy = createLoneSandy(setup);
  const { observation, durationMs, warnings } = await lookAtSandy(sandy, mode);
  const at = Date.now();
  const { saved, problems } = openFleetState(folders.state);
  const known = modelFromDisk(setup, saved);
  const [found] = update(known, { kind: 'sandy-found', at, sandy: knownSandy(sandy) });
  const [model] = update(found, {
    kind: 'polled',
    at,
    id: 1,
    monoMs: performance.now(),
    tookMs: durationMs,
    mode,
    observation,
  });
  return { model, sandy, warnings: [...problems, ...warnings.map((warning) => warning.text)] };
}
