import { createLooking } from '../agent/looking.ts';
import type { Model } from '../fleet/model.ts';
import type { PollMode } from '../fleet/observation.ts';
import { update } from '../fleet/update.ts';
import type { Sandy } from '../sandy/client.ts';
import { openFleetState } from '../store/fleet-state.ts';
import { createLoneSandy } from './lone-sandy.ts';
import { modelFromDisk } from './saved-model.ts';
import type { Setup } from './setup.ts';

/** What one look without an agent brought. */
export interface LoneLook {
  readonly model: Model;
  readonly sandy: Sandy;
  readonly warnings: readonly string[];
}

/** What the last agent knew and one look, for commands that find no agent. Saves nothing. */
export async function lookOnce(
  setup: Setup,
  mode: PollMode,
  sandy: Sandy = createLoneSandy(setup),
): Promise<LoneLook> {
  const { folders } = setup;
  const warnings: string[] = [];
  const warn = (sentence: string) => warnings.push(sentence);
  const { saved, problems } = openFleetState(folders.state);
  const look = createLooking({ sandy: () => sandy, warn, onSandyHome: () => {} });
  const model = (await look(mode)).reduce(
    (before, message) => update(before, message)[0],
    modelFromDisk(setup, saved),
  );
  return { model, sandy, warnings: [...problems, ...warnings] };
}
