import * as z from 'zod/mini';
import type { Answer, ControlClient } from '../control/served-client.ts';
import type { Loop } from './loop.ts';
import { texts } from './texts.ts';
import type { Waiters } from './waiters.ts';

const waitBody = z.object({ key: z.nullable(z.string()) });
const ackBody = z.object({ key: z.nullable(z.string()) });

/** Answers what clients ask of the agent; null where there is no such request. */
export async function answerRequest(
  { loop, waiters }: { readonly loop: Loop; readonly waiters: Waiters },
  name: string,
  body: unknown,
  client: ControlClient,
): Promise<Answer | null> {
  switch (name) {
    case 'wait': {
      const parsed = waitBody.safeParse(body);
      if (!parsed.success) return { ok: false, text: texts.badRequest };
      waiters.note(client.id, parsed.data.key);
      // Whoever begins to wait wants to know now, not at the next poll.
      if (parsed.data.key !== null) loop.dispatch({ kind: 'hinted', at: Date.now() });
      return { ok: true, text: '' };
    }
    case 'ack': {
      const parsed = ackBody.safeParse(body);
      if (!parsed.success) return { ok: false, text: texts.badRequest };
      const { key } = parsed.data;
      const pinned = [...loop.model().rows.values()].filter(
        (row) => row.failure !== null && (key === null || key === row.key),
      );
      loop.dispatch({ kind: 'acknowledged', at: Date.now(), key });
      // Answered when it is on disk: an acknowledged failure must not come back with a new agent.
      await loop.settle();
      return { ok: true, text: '', body: { keys: pinned.map((row) => row.key) } };
    }
    case 'refresh':
      loop.dispatch({ kind: 'refresh-asked', at: Date.now() });
      return { ok: true, text: '' };
    default:
      return null;
  }
}
