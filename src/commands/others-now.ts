/** One look, before a start in this terminal, for somebody else who changes sessions. */

import * as z from 'zod/mini';
import { findOther, type Other } from '../agent/others.ts';
import type { AgentConnection } from '../control/conversation.ts';
import type { Sandy } from '../sandy/client.ts';
import type { Setup } from './setup.ts';

/** Reading the process table takes long only on a machine that is stuck. */
const OTHERS_LIMIT_MS = 10_000;

const othersBody = z.object({
  busy: z.boolean(),
  // An older agent does not say.
  starts: z._default(z.array(z.object({ pid: z.int(), workspace: z.string() })), []),
});

/**
 * What somebody else does with sandy now; null: nothing. The agent is asked where there is
 * one, as it knows which processes only watch over a session by now; else, and where it gives no answer,
 * this process looks by itself.
 */
export async function findOtherNow(
  connection: AgentConnection | null,
  setup: Setup,
  sandy: Sandy,
): Promise<Other | null> {
  const asked = await connection?.request('others', null, OTHERS_LIMIT_MS);
  if (asked?.kind === 'answered' && asked.ok) {
    const body = othersBody.safeParse(asked.body);
    if (body.success) return body.data.busy ? { ...body.data, text: asked.text } : null;
  }
  const { lookOnce } = await import('./looking-once.ts');
  const { model } = await lookOnce(setup, 'light', sandy);
  return await findOther(model.rows, new Set());
}
