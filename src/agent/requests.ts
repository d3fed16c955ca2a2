import * as z from 'zod/mini';
import type { Answer, ControlClient } from '../control/served-client.ts';
import { isRunId } from '../store/run-folders.ts';
import type { Looks } from './looks.ts';
import type { Loop } from './loop.ts';
import type { AskAnswer, Operator } from './operator.ts';
import { texts } from './texts.ts';
import type { Waiters } from './waiters.ts';

const waitBody = z.object({ key: z.nullable(z.string()) });
const ackBody = z.object({ key: z.nullable(z.string()) });
const keys = z.nullable(z.array(z.string()).check(z.minLength(1), z.maxLength(1_000)));
const askBody = z.object({
  op: z.enum(['update', 'check', 'start', 'stop']),
  keys,
  idleForMinutes: z.nullable(z.int().check(z.positive())),
  rebuild: z.boolean(),
  origin: z.enum(['menu', 'cli', 'schedule']),
  onTerminal: z.boolean(),
});
const awaitBody = z.object({ id: z.string().check(z.refine(isRunId)) });

export interface RequestParts {
  readonly loop: Loop;
  readonly waiters: Waiters;
  readonly operator: Operator;
  readonly looks: Looks;
  /** Null: this agent makes room for nobody. */
  readonly onHandOver: (() => void) | null;
}

/** Answers what clients ask of the agent; null where there is no such request. */
export async function answerRequest(
  { loop, waiters, operator, looks, onHandOver }: RequestParts,
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
      // Whoever asks wants to know how it is now: a look that had begun before doesn't tell.
      return { ok: true, text: '', body: { pollId: (await looks.fresh())?.polls.lastId ?? null } };
    case 'ask': {
      const parsed = askBody.safeParse(body);
      if (!parsed.success || !isAskable(parsed.data)) return { ok: false, text: texts.badRequest };
      const { origin, onTerminal, ...asked } = parsed.data;
      const answer = await operator.ask(asked, { origin, onTerminal });
      return { ok: true, text: textOf(answer), body: answer };
    }
    case 'await': {
      const parsed = awaitBody.safeParse(body);
      if (!parsed.success) return { ok: false, text: texts.badRequest };
      const outcome = await operator.await(parsed.data.id);
      // Of one that this agent leaves to the next there is nothing to say.
      if (outcome === null) return { ok: false, text: texts.unknownRun };
      return { ok: true, text: '', body: outcome };
    }
    case 'cancel': {
      const { kind, text } = await operator.cancel();
      return { ok: true, text, body: { kind } };
    }
    case 'others': {
      const other = await operator.findOthers();
      const body = { busy: other !== null, starts: other?.starts ?? [] };
      return { ok: true, text: other?.text ?? '', body };
    }
    case 'hand-over':
      if (onHandOver === null) return { ok: false, text: texts.staysHere };
      // After the answer: its socket goes with it.
      setImmediate(onHandOver);
      return { ok: true, text: '' };
    default:
      return null;
  }
}

/** A start or a stop is of one session. */
function isAskable(ask: z.infer<typeof askBody>): boolean {
  return ask.op === 'update' || ask.op === 'check' || ask.keys?.length === 1;
}

function textOf(answer: AskAnswer): string {
  return 'text' in answer ? answer.text : '';
}
