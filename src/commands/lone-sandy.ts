import { createSandy, type Sandy } from '../sandy/client.ts';
import type { Setup } from './setup.ts';

/** sandy for a process that finds no agent. `sharesPolls`: another's answer of a second ago will do. */
export function createLoneSandy({ preferences, folders }: Setup, sharesPolls = true): Sandy {
  const { sandyPath } = preferences;
  return createSandy({ sandyPath, stateFolder: folders.state, sharesPolls });
}
