import { chmodSync, lstatSync } from 'node:fs';
import { chmod, lstat, mkdir, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import type { FleetView } from '../fleet/view.ts';
import { errorCodeOf } from '../system/files.ts';
import { connectToAgent } from './client.ts';
import { encodeFrame, protocolVersion } from './protocol.ts';
import {
  type Answer,
  type ControlClient,
  type ServedClient,
  serveClient,
} from './served-client.ts';
import { isSocketPathTooLong, maxSocketPathBytes } from './socket-path.ts';
import type { AgentHealth, StatusDocument } from './status-document.ts';
import { texts } from './texts.ts';

/** One life of the agent. */
export interface AgentIdentity {
  readonly pid: number;
  readonly version: string;
  /** Random per start. */
  readonly epoch: string;
  /** ISO, as in `status --json`. */
  readonly startedAt: string;
}

export interface ServerOptions {
  readonly socketPath: string;
  readonly identity: AgentIdentity;
  /** Answers a request; null where there is none of this name. Must not reject. */
  onRequest(name: string, body: unknown, client: ControlClient): Promise<Answer | null>;
  /** Whenever a client has said hello or has gone: all that are there now. */
  onClientsChanged(clients: readonly ControlClient[]): void;
}

export interface ControlServer {
  readonly kind: 'listening';
  /**
   * Shows the fleet to every client. `rev` must grow. It costs nothing while nobody listens, and one
   * serialisation however many do.
   */
  publish(rev: number, fleet: FleetView, health: AgentHealth): void;
  /** False: somebody removed the socket, so that no new client finds it. */
  isThere(): boolean;
  /**
   * Drops every client and removes the socket. Node removes it by its path: close before you give
   * up the agent's lock, or the next agent's socket may go instead.
   */
  close(): Promise<void>;
}

/** A server, or why there is none. `text` is a sentence for the person. */
export type ServerOutcome =
  | ControlServer
  | { readonly kind: 'path-too-long'; readonly text: string }
  | { readonly kind: 'unsafe-folder'; readonly text: string }
  | { readonly kind: 'in-use'; readonly text: string }
  | { readonly kind: 'failed'; readonly errorCode: string; readonly text: string };

/** Nobody has so many terminals; it only bounds what a runaway program of the same user can take. */
const MOST_CLIENTS = 512;

/** How long whoever holds an existing socket has to say hello. */
const PROBE_LIMIT_MS = 1_000;

/**
 * Listens on the agent's socket, for this user only: the folder is closed to others (0700) before
 * the socket is there, and the socket itself is 0600. A socket that somebody answers on is never
 * removed; one that nobody answers on is. The caller holds the agent's lock, since two starters
 * could each find the same dead socket.
 */
export async function startServer(options: ServerOptions): Promise<ServerOutcome> {
  const { socketPath } = options;
  if (isSocketPathTooLong(socketPath, process.platform)) {
    const text = texts.pathTooLong(socketPath, maxSocketPathBytes(process.platform));
    return { kind: 'path-too-long', text };
  }
  try {
    const trouble = await closeFolder(dirname(socketPath));
    if (trouble !== null) return { kind: 'unsafe-folder', text: trouble };
    const probe = await connectToAgent({ socketPath, role: 'probe', timeoutMs: PROBE_LIMIT_MS });
    if (probe.kind === 'connected') probe.close();
    if (probe.kind !== 'absent') return { kind: 'in-use', text: texts.inUse(socketPath) };
    if (!(await removeDeadSocket(socketPath))) {
      return { kind: 'failed', errorCode: 'ENOTSOCK', text: texts.notSocket(socketPath) };
    }
    return await listen(options);
  } catch (error) {
    const errorCode = errorCodeOf(error);
    if (errorCode === 'EADDRINUSE') return { kind: 'in-use', text: texts.inUse(socketPath) };
    return { kind: 'failed', errorCode, text: texts.notListening(socketPath, errorCode) };
  }
}

/** Null once the folder is there, ours and closed to others; else a sentence. */
async function closeFolder(folder: string): Promise<string | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(folder);
  if (uid !== process.getuid?.()) return texts.foreignFolder(folder);
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
  return null;
}

/** Whether the place is free now. Whatever else than a socket is there was put there by a person. */
async function removeDeadSocket(path: string): Promise<boolean> {
  try {
    if (!(await lstat(path)).isSocket()) return false;
    await rm(path, { force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

async function listen(options: ServerOptions): Promise<ControlServer> {
  const { socketPath, identity } = options;
  const { pid, version, epoch } = identity;
  const hello = { kind: 'hello', protocol: protocolVersion, pid, version, epoch } as const;
  const served = new Map<number, ServedClient>();
  const greeted = new Map<number, ControlClient>();
  let count = 0;
  let newest: StatusDocument | null = null;
  let line: Buffer | null = null;

  const newestSnapshot = (): Buffer | null => {
    if (newest !== null && line === null) {
      line = encodeFrame({ kind: 'snapshot', epoch, rev: newest.rev, status: newest });
    }
    return line;
  };
  const server = createServer((socket) => {
    count += 1;
    const id = count;
    const client = serveClient(socket, {
      id,
      hello,
      newestSnapshot,
      answer: options.onRequest,
      onGreeted: (greeting) => {
        greeted.set(id, greeting);
        options.onClientsChanged([...greeted.values()]);
      },
      onGone: () => {
        served.delete(id);
        if (greeted.delete(id)) options.onClientsChanged([...greeted.values()]);
      },
    });
    served.set(id, client);
  });
  server.maxConnections = MOST_CLIENTS;
  await bind(server, socketPath);
  const bound = identifyFile(socketPath);
  return {
    kind: 'listening',
    publish: (rev, fleet, health) => {
      const { startedAt } = identity;
      newest = { ...fleet, epoch, rev, agent: { pid, version, startedAt, ...health } };
      line = null;
      for (const client of served.values()) client.offerSnapshot();
    },
    isThere: () => identifyFile(socketPath) === bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of served.values()) client.drop();
      }),
  };
}

/** Tells a file from any that takes its place; null: it isn't there. */
function identifyFile(path: string): string | null {
  try {
    const { dev, ino, birthtimeMs } = lstatSync(path);
    return `${dev} ${ino} ${birthtimeMs}`;
  } catch {
    return null;
  }
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      // Without a file to spare a client can't be accepted; that must not end the agent.
      server.on('error', () => {});
      resolve();
    });
    server.listen(path);
    // Node binds before it returns, so that no turn of the loop sees the socket open to others.
    if (server.listening) chmodSync(path, 0o600);
  });
}
