import type { Model } from '../fleet/model.ts';
import { newModel } from '../fleet/model.ts';
import { update } from '../fleet/update.ts';
import { windowsFrom } from '../fleet/windows.ts';
import { createSandy, knownSandy } from '../sandy/client.ts';
import { lookAtSandy } from '../sandy/looking.ts';
import type { Setup } from './setup.ts';

/** A fleet of one full look, for commands that find no agent. */
export async function lookOnce(
  setup: Setup,
): Promise<{ readonly model: Model; readonly warnings: readonly string[] }> {
  const { preferences, folders, timeScale } = setup;
  const sandy = createSandy({ sandyPath: preferences.sandyPath, stateFolder: folders.state });
  const { observation, durationMs, warnings } = await lookAtSandy(sandy, 'full');
  const at = Date.now();
  const blank = newModel(windowsFrom(preferences, timeScale), preferences.notify);
  const [found] = update(blank, { kind: 'sandy-found', at, sandy: knownSandy(sandy) });
  const [model] = update(found, {
    kind: 'polled',
    at,
    id: 1,
    monoMs: performance.now(),
    tookMs: durationMs,
    mode: 'full',
    observation,
  });
  return { model, warnings: warnings.map((warning) => warning.text) };
}
