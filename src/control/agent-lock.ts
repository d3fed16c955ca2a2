import * as z from 'zod/mini';
import { acquireLock, type HeldLock, type LockPlace, readLock } from '../system/lock-file.ts';
import { connectToAgent } from './client.ts';
import { nameSocket } from './socket-path.ts';

/** What the lock says about the agent that holds it. */
export interface AgentInfo {
  readonly version: string;
  /** Serves one command only, and makes room for a lasting agent when it is asked to. */
  readonly passing: boolean;
}

const infoSchema = z.object({ version: z.string(), passing: z.boolean() });

export interface AgentClaim {
  /**
   * Takes the lock again where it is not ours any more: its file was removed, or could not be made.
   * Gives the pid of another agent that has it instead, else null.
   */
  renew(): Promise<number | null>;
  /** Lets the next agent in. The server must be closed by then. */
  release(): Promise<unknown>;
}

export type ClaimOutcome =
  | ({ readonly kind: 'claimed' } & AgentClaim)
  /** `pid` is null where something else than an agent of this version answers on its socket. */
  | { readonly kind: 'already-running'; readonly pid: number | null; readonly passing: boolean }
  /** The disk is full or read-only, or the lock can't be read. */
  | ({ readonly kind: 'failed'; readonly errorCode: string } & AgentClaim);

/** How long whoever answers on the socket has to say who it is. */
const PROBE_LIMIT_MS = 1_000;

/**
 * Makes this process the only agent of a state folder. The lock decides; the socket is asked too,
 * for an agent that still answers although its lock file was removed by hand.
 */
export async function claimAgent(stateFolder: string, info: AgentInfo): Promise<ClaimOutcome> {
  const place = nameLock(stateFolder);
  const lock = await acquireLock(place, info);
  if (lock.kind === 'busy') {
    const { pid, info: holder } = lock.holder;
    return { kind: 'already-running', pid, passing: holder?.passing === true };
  }
  if (lock.kind === 'failed') return { ...lock, ...makeClaim(place, info, null) };
  const answering = await askSocket(nameSocket(stateFolder));
  if (answering === null) return { kind: 'claimed', ...makeClaim(place, info, lock) };
  await lock.release();
  return { kind: 'already-running', pid: answering.pid, passing: false };
}

export interface LastingAgent {
  readonly pid: number;
  /** Null: one that says nothing known of itself. */
  readonly version: string | null;
}

/** The lasting agent of a state folder; null: none runs, or nobody can tell. */
export async function findLastingAgent(stateFolder: string): Promise<LastingAgent | null> {
  const lock = await readLock(nameLock(stateFolder));
  if (lock.kind !== 'busy') return null;
  const { pid, info } = lock.holder;
  return info?.passing === true ? null : { pid, version: info?.version ?? null };
}

function nameLock(folder: string): LockPlace<AgentInfo> {
  return { folder, name: 'agent', infoSchema };
}

function makeClaim(
  place: LockPlace<AgentInfo>,
  info: AgentInfo,
  first: HeldLock<AgentInfo> | null,
): AgentClaim {
  let lock = first;
  return {
    async renew() {
      if (lock !== null && (await lock.isHeld())) return null;
      const again = await acquireLock(place, info);
      lock = again.kind === 'held' ? again : null;
      return again.kind === 'busy' ? again.holder.pid : null;
    },
    release: async () => lock?.release(),
  };
}

async function askSocket(socketPath: string): Promise<{ readonly pid: number | null } | null> {
  const probe = await connectToAgent({ socketPath, role: 'probe', timeoutMs: PROBE_LIMIT_MS });
  switch (probe.kind) {
    case 'connected':
      probe.close();
      return { pid: probe.hello.pid };
    case 'unknown-protocol':
    case 'silent':
      return { pid: null };
    // A socket that we may not touch makes the server fail, with a sentence of its own.
    case 'no-access':
    case 'absent':
      return null;
  }
}
