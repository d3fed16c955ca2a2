import { connectToAgent } from '../control/client.ts';
import type { AgentConnection } from '../control/conversation.ts';
import { nameSocket } from '../control/socket-path.ts';
import type { StatusDocument } from '../control/status-document.ts';
import { settleWithin } from '../system/settling.ts';
import { texts } from './texts.ts';

/** How long a healthy agent has to answer; a hung one must not keep a person waiting. */
const ANSWER_LIMIT_MS = 2_000;

export type AgentContact =
  | {
      readonly kind: 'connected';
      readonly connection: AgentConnection;
      readonly status: StatusDocument;
      /** When that was, by `performance.now()`. */
      readonly reachedMs: number;
    }
  /** Go on alone. `text`: why, where a person should know; null when there simply is none. */
  | {
      readonly kind: 'alone';
      readonly text: string | null;
      /** One runs that does not answer: it hangs. */
      readonly isSilent: boolean;
      /** Set where the system keeps us from its socket: nobody knows whether an agent runs. */
      readonly errorCode: string | null;
    };

/** Connects to the agent and waits for its first snapshot. */
export async function contactAgent(stateFolder: string, role: string): Promise<AgentContact> {
  const outcome = await connectToAgent({
    socketPath: nameSocket(stateFolder),
    role,
    timeoutMs: ANSWER_LIMIT_MS,
  });
  switch (outcome.kind) {
    case 'connected': {
      const first = await settleWithin(outcome.snapshots.next(), ANSWER_LIMIT_MS, () => null);
      if (first !== null && first.done !== true) {
        const { status } = first.value;
        return { kind: 'connected', connection: outcome, status, reachedMs: performance.now() };
      }
      outcome.close();
      return silent;
    }
    case 'absent':
      return alone(null);
    case 'unknown-protocol':
      return alone(texts.agentOfOtherVersion);
    case 'silent':
      return silent;
    case 'no-access':
      return {
        ...alone(texts.agentOutOfReach(outcome.errorCode)),
        errorCode: outcome.errorCode,
      };
  }
}

function alone(text: string | null): AgentContact & { readonly kind: 'alone' } {
  return { kind: 'alone', text, isSilent: false, errorCode: null };
}

const silent: AgentContact = { ...alone(texts.agentSilent), isSilent: true };
