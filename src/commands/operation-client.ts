/** Asking the agent for a start, a stop or an update, and following it to its end, whoever carries it out. */

import * as z from 'zod/mini';
import type { Ask } from '../agent/asks.ts';
import type { AskAnswer } from '../agent/operator.ts';
import type { StatusDocument } from '../control/status-document.ts';
import { openRunFolders } from '../store/run-folders.ts';
import type { RunOutcome } from '../store/run-record.ts';
import { type AgentHost, type HostOutcome, reachAgent } from './agent-host.ts';
import { exitCodes } from './command.ts';
import type { Setup } from './setup.ts';

/** How much of an answer a person is shown; keys from outside may stand in it. */
export const ANSWER_CHARACTERS = 600;

/** A look is taken before anything is answered; a frozen docker makes it a long one. */
const ASK_LIMIT_MS = 60_000;
/** Nothing bounds how long an update takes; a day only ends what nobody waits for. */
const AWAIT_LIMIT_MS = 24 * 60 * 60 * 1000;
const AGAIN_MS = 200;
/** How long there may be no agent to ask, and no room to be one. */
const LOST_LIMIT_MS = 30_000;
/** How long a look may take before what is asked is shown without it. */
const SEEN_LIMIT_MS = 25_000;

const answerShape = z.object({ kind: z.enum(['running', 'done', 'busy', 'refused']) });
/** The look that shows how it is now; the snapshots up to it may still be on their way. */
const refreshed = z.object({ pollId: z.number() });
const outcomeShape = z.object({ kind: z.string(), text: z.nullable(z.string()) });

/** The newest that the agent can tell, from a look taken now; what it knew before where that takes too long. */
export async function seeNow({ connection, status }: AgentHost): Promise<StatusDocument> {
  let newest = status;
  const outcome = await connection.request('refresh', null, SEEN_LIMIT_MS);
  const seen = refreshed.safeParse(outcome.kind === 'answered' ? outcome.body : null);
  if (!seen.success) return newest;
  const limit = new Promise<null>((resolve) =>
    setTimeout(() => resolve(null), SEEN_LIMIT_MS).unref(),
  );
  while (newest.poll.id < seen.data.pollId) {
    const next = await Promise.race([connection.snapshots.next(), limit]);
    if (next === null || next.done === true) return newest;
    newest = next.value.status;
  }
  return newest;
}

/** Asks; null: the agent went away before it answered, and nobody knows. */
export async function askAgent(
  host: AgentHost,
  ask: Ask,
  { onTerminal, origin = 'cli' }: { onTerminal: boolean; origin?: 'cli' | 'schedule' },
): Promise<AskAnswer | null> {
  const body = { ...ask, origin, onTerminal };
  const outcome = await host.connection.request('ask', body, ASK_LIMIT_MS);
  if (outcome.kind !== 'answered' || !outcome.ok) return null;
  return answerShape.safeParse(outcome.body).success ? (outcome.body as AskAnswer) : null;
}

export interface Following {
  readonly setup: Setup;
  readonly role: string;
  readonly id: string;
  readonly onStatus: (status: StatusDocument) => void;
  /** Told which agent is asked, each time that it is another one. */
  readonly onHost: (host: AgentHost) => void;
  /** Takes the notices of single sessions where this process is the agent; else they go to stderr. */
  readonly onNotice?: (line: string) => void;
}

/**
 * Waits for what a run comes to. An agent that ends, or makes room for another, is replaced: by the next
 * one, or by this process. Null: nobody can know it any more, or nobody could be asked for 30 s; why is
 * said on stderr then.
 */
export async function followRun(
  first: AgentHost,
  { setup, role, id, onStatus, onHost, onNotice }: Following,
): Promise<RunOutcome | null> {
  let host: HostOutcome = first;
  let lostAt: number | null = null;
  let isToldWhy = false;
  for (;;) {
    if (host.kind === 'reached') {
      const { connection } = host;
      onHost(host);
      onStatus(host.status);
      if (onNotice !== undefined) host.onNotice(onNotice);
      void showSnapshots(connection, onStatus);
      const answer = await connection.request('await', { id }, AWAIT_LIMIT_MS);
      await host.close();
      if (answer.kind === 'answered' && answer.ok && outcomeShape.safeParse(answer.body).success) {
        return answer.body as RunOutcome;
      }
      // One that answers and knows nothing of it is as good as none.
      if (answer.kind !== 'answered') lostAt = null;
    } else if (host.text !== null && !isToldWhy) {
      process.stderr.write(`${host.text}\n`);
      isToldWhy = true;
    }
    const record = openRunFolders(setup.folders.state).read(id);
    if (record === null) return null;
    if (record.endedAt !== null) return record.outcome;
    lostAt ??= performance.now();
    if (performance.now() - lostAt > LOST_LIMIT_MS / setup.timeScale) return null;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    host = await reachAgent(setup, role);
  }
}

async function showSnapshots(
  { snapshots }: AgentHost['connection'],
  onStatus: (status: StatusDocument) => void,
): Promise<void> {
  for (;;) {
    const next = await snapshots.next();
    if (next.done === true) return;
    onStatus(next.value.status);
  }
}

/** What an answer that is no run means for whoever asked. */
export function exitCodeOf(answer: Exclude<AskAnswer, { kind: 'running' }>): number {
  switch (answer.kind) {
    case 'done':
      return exitCodes.ok;
    case 'busy':
      return exitCodes.busy;
    case 'refused':
      switch (answer.why) {
        case 'too-old':
        case 'unavailable':
        case 'docker-unreachable':
          return exitCodes.unavailable;
        default:
          return exitCodes.failed;
      }
  }
}
