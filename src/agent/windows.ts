import { type OpenOutcome, type OpenParts, openTerminal } from '../terminal/opening.ts';
import type { Errand } from '../terminal/tickets.ts';

/** Opens a window for a click; `parts` are undefined where this agent opens none. */
export async function openWindowFor(
  errand: Errand,
  activationToken: string | null,
  parts: OpenParts | undefined,
): Promise<OpenOutcome> {
  if (parts === undefined) return { kind: 'not-opened', hasDisplay: true, failed: [] };
  return await openTerminal({ errand, activationToken }, parts);
}
