import type { AgentClaim } from '../control/agent-lock.ts';
import { type ControlServer, type ServerOptions, startServer } from '../control/server.ts';

export interface PresenceParts {
  readonly claim: AgentClaim;
  readonly server: ServerOptions;
  /** There is a new server, which has nothing to show yet. */
  readonly onListening: () => void;
  /** Why clients can't reach this agent; null: they can. */
  readonly onTrouble: (sentence: string | null) => void;
  /** Another agent has the folder now, after somebody removed it or our lock in it. */
  readonly onReplaced: (pid: number) => void;
}

/** What makes this process the one agent that others find: the folder's lock, and the socket. */
export interface Presence {
  /** Null while there is none. */
  readonly server: () => ControlServer | null;
  /**
   * Takes lock and socket where they are missing: there was no room for them, or somebody removed them.
   * To be called now and then.
   */
  readonly keep: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export function createPresence(parts: PresenceParts): Presence {
  const { claim, onListening, onTrouble, onReplaced } = parts;
  let server: ControlServer | null = null;
  let keeping: Promise<void> | null = null;
  let stopped = false;

  const listen = async () => {
    const outcome = await startServer(parts.server);
    if (outcome.kind !== 'listening') return onTrouble(outcome.text);
    server = outcome;
    onTrouble(null);
    onListening();
  };
  const keepBoth = async () => {
    const replacedBy = await claim.renew();
    if (replacedBy !== null) return onReplaced(replacedBy);
    if (server?.isThere() === true) return;
    await server?.close();
    server = null;
    await listen();
  };
  return {
    server: () => server,
    keep() {
      if (stopped) return Promise.resolve();
      keeping ??= keepBoth().finally(() => {
        keeping = null;
      });
      return keeping;
    },
    async stop() {
      stopped = true;
      await keeping;
      await server?.close();
    },
  };
}
