import * as z from 'zod/mini';
import type { Answer } from '../control/served-client.ts';
import type { Loop } from './loop.ts';
import { texts } from './texts.ts';

const ackBody = z.object({ key: z.nullable(z.string()) });

/** Answers what clients ask of the agent; null where there is no such request. */
export async function answerRequest(
  loop: Loop,
  name: string,
  body: unknown,
): Promise<Answer | null> {
  switch (name) {
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
