import { type Agent, startAgent } from '../agent/agent.ts';
import { type AgentClaim, claimAgent } from '../control/agent-lock.ts';
import type { AgentConnection } from '../control/conversation.ts';
import type { StatusDocument } from '../control/status-document.ts';
import type { Notice } from '../notify/notifier.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { formatClock } from '../system/local-time.ts';
import { contactAgent } from './agent-connection.ts';
import type { Setup } from './setup.ts';
import { texts } from './texts.ts';
import { version } from './version.ts';

/** An agent to ask: the one that runs, or one that this process is until `close`. */
export interface AgentHost {
  readonly kind: 'reached';
  readonly connection: AgentConnection;
  readonly status: StatusDocument;
  /** This process is the agent: whoever is to go on with things ends with it. */
  readonly isOurs: boolean;
  /** Who takes the notices of single sessions, where this process tells them; stderr before. */
  readonly onNotice: (take: (line: string) => void) => void;
  /** Lets go of it. What it was doing with sandy goes on by itself. */
  readonly close: () => Promise<void>;
}

export type HostOutcome =
  | AgentHost
  /** An agent that can't be asked, or no room to be one. */
  | {
      readonly kind: 'unreachable';
      /** Null: why has been said on stderr. */
      readonly text: string | null;
    };

/** How long two that start at once may take to see which of them is the agent. */
const MEETING_LIMIT_MS = 10_000;
const MEETING_LOOK_MS = 100;

const NOTICE_CHARACTERS = 400;

/**
 * Reaches the agent, or becomes one for as long as a command lasts: the same evidence, slot, journal and
 * notices whether or not one runs. A lasting agent that is started meanwhile takes over; the connection
 * then ends, and the caller reaches that one.
 */
export async function reachAgent(setup: Setup, role: string): Promise<HostOutcome> {
  const { state } = setup.folders;
  const endAt = performance.now() + MEETING_LIMIT_MS;
  for (;;) {
    const contact = await contactAgent(state, role);
    if (contact.kind === 'connected') {
      return hostOf(contact);
    }
    if (contact.errorCode !== null) {
      return { kind: 'unreachable', text: texts.agentKeptOut(contact.errorCode) };
    }
    if (contact.text !== null) return { kind: 'unreachable', text: texts.agentInTheWay };
    const claim = await claimAgent(state, { version, passing: true });
    switch (claim.kind) {
      case 'claimed':
        return await beAgent(setup, claim, role);
      case 'failed':
        return { kind: 'unreachable', text: texts.notWritten(state, claim.errorCode) };
      case 'already-running':
        if (performance.now() > endAt) return { kind: 'unreachable', text: texts.agentInTheWay };
        await new Promise((resolve) => setTimeout(resolve, MEETING_LOOK_MS));
    }
  }
}

/** The agent that runs, once it was contacted. */
export function hostOf({
  connection,
  status,
}: Pick<AgentHost, 'connection' | 'status'>): AgentHost {
  return {
    kind: 'reached',
    connection,
    status,
    isOurs: false,
    onNotice: () => {},
    close: async () => connection.close(),
  };
}

/** Whether its agent has ended by now, or has made room for another. */
export async function isOver({ connection }: AgentHost): Promise<boolean> {
  const notYet = new Promise<null>((resolve) => setImmediate(() => resolve(null)));
  return (await Promise.race([connection.end, notYet])) !== null;
}

async function beAgent(setup: Setup, claim: AgentClaim, role: string): Promise<HostOutcome> {
  const { folders, preferences, timeScale } = setup;
  const warn = (sentence: string) => process.stderr.write(`${sentence}\n`);
  let takeNotice: (line: string) => void = warn;
  let agent: Agent | null = null;
  let ending: Promise<void> | null = null;
  const end = () => {
    ending ??= (async () => {
      await agent?.stop();
      await claim.release();
    })();
    return ending;
  };
  agent = await startAgent({
    folders,
    preferences,
    timeScale,
    version,
    writeLine: (notice) => tellOfSession(notice, (line) => takeNotice(line)),
    notifier: null,
    claim,
    watchSleep: null,
    onReplaced: () => void end(),
    onHandOver: () => void end(),
    tray: null,
    windows: null,
    onQuit: () => {},
    warn,
  });
  const contact = await contactAgent(folders.state, role);
  if (contact.kind === 'connected') {
    const { connection } = contact;
    return {
      ...hostOf(contact),
      isOurs: true,
      onNotice(take) {
        takeNotice = take;
      },
      async close() {
        connection.close();
        await end();
      },
    };
  }
  await end();
  // Where nothing listens our own agent has said why.
  return { kind: 'unreachable', text: contact.text === null ? null : texts.agentInTheWay };
}

/** Whoever asked sits here and is told what happens to single sessions; the command tells its own sum. */
function tellOfSession({ at, kind, session, body }: Notice, take: (line: string) => void): void {
  if (session === null || kind === 'overnight') return;
  take(`${formatClock(new Date(at))} ${cleanForeignText(body, NOTICE_CHARACTERS)}`);
}
