import type { Model } from '../fleet/model.ts';
import { update } from '../fleet/update.ts';
import { createSandy, knownSandy } from '../sandy/client.ts';
import { lookAtSandy } from '../sandy/looking.ts';
import { openFleetState } from '../store/fleet-state.ts';
import { modelFromDisk } from './saved-model.ts';
import type { Setup } from './setup.ts';

/** What the last agent knew and one full look, for commands that find no agent. Saves nothing. */
export async function lookOnce(
  setup: Setup,
): Promise<{ readonly model: Model; readonly warnings: readonly string[] }> {
  const { preferences, folders } = setup;
  const sandy = createSandy({
    sandyPath: preferences.sandyPath,
    stateFolder: folders.state,
    sharesPolls: true,
  });
  const { observation, durationMs, warnings } = await lookAtSandy(sandy, 'full');
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
    mode: 'full',
    observation,
  });
  return { model, warnings: [...problems, ...warnings.map((warning) => warning.text)] };
}
