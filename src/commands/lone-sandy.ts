import { createSandy, type ReadySandy, type Sandy } from '../sandy/client.ts';
import { prepareToAct } from '../sandy/preparing.ts';
import { texts as sandyTexts } from '../sandy/texts.ts';
import type { Setup } from './setup.ts';
import { texts } from './texts.ts';

/** sandy for a process that finds no agent. `sharesPolls`: another's answer of a second ago will do. */
export function createLoneSandy({ preferences, folders }: Setup, sharesPolls = true): Sandy {
  const { sandyPath } = preferences;
  return createSandy({ sandyPath, stateFolder: folders.state, sharesPolls });
}

/** Makes sandy ready for what it is to be asked to do in this terminal; or why it can't, in sentences. */
export async function prepareFor(
  capability: 'attach' | 'start',
  sandy: Sandy,
): Promise<ReadySandy | { readonly kind: 'unusable'; readonly text: string }> {
  const ready = await prepareToAct(sandy);
  if (ready.kind === 'unusable') return ready;
  const { schemaRead, capabilities, version } = ready.info;
  if (!schemaRead) return { kind: 'unusable', text: sandyTexts.schemaUnreadable };
  return capabilities[capability] ? ready : { kind: 'unusable', text: texts.noDaemon(version) };
}
