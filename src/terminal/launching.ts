/** A terminal program as it is started. It outlives this process. */

import { type DetachedRequest, startDetached } from '../system/detached.ts';

export type LaunchEnd =
  | { readonly kind: 'not-started'; readonly errorCode: string }
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string };

/**
 * Starts it; resolves at its end, if that comes, and never rejects. What it prints goes to a file: a pipe
 * would be its death at its next warning once this process has ended.
 */
export async function launch(request: DetachedRequest): Promise<LaunchEnd> {
  const outcome = await startDetached(request);
  if (outcome.kind === 'not-started') return outcome;
  const { code, signal } = await outcome.ended;
  return signal === null ? { kind: 'exited', code: code ?? -1 } : { kind: 'signalled', signal };
}
