import { createNewestOnly } from './newest-only.ts';
import {
  encodeFrame,
  maxClientFrameBytes,
  protocolVersion,
  readProtocol,
  readServerFrame,
  type ServerFrame,
  type ServerHello,
} from './protocol.ts';
import { noSnapshots, type SnapshotStamp, takeSnapshot } from './snapshot-order.ts';
import { readStatusDocument, type StatusDocument } from './status-document.ts';

export interface Snapshot extends SnapshotStamp {
  readonly status: StatusDocument;
}

/** What a request came to. */
export type RequestOutcome =
  | {
      readonly kind: 'answered';
      readonly ok: boolean;
      /** For a person. */
      readonly text: string;
      readonly body: unknown;
    }
  /** Nothing came within the limit; it may still be done. */
  | { readonly kind: 'silent' }
  /** The connection ended first; nobody knows whether it was done. */
  | { readonly kind: 'lost' }
  /** Longer than the agent takes; nothing was sent. */
  | { readonly kind: 'too-large' };

/** Why a connection is over: we closed it, the agent did, it refused us, or it spoke junk. */
export type ConnectionEnd =
  | { readonly kind: 'closed' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'junk' };

export interface AgentConnection {
  readonly kind: 'connected';
  readonly hello: ServerHello;
  /**
   * Every snapshot that is newer than those before it; a slow reader gets only the newest. For one
   * reader. Ends with the connection.
   */
  readonly snapshots: AsyncIterableIterator<Snapshot>;
  readonly end: Promise<ConnectionEnd>;
  request(name: string, body: unknown, limitMs: number): Promise<RequestOutcome>;
  close(): void;
}

/** A connection, or why there is none: each of them means to go on without an agent. */
export type ConnectOutcome =
  | AgentConnection
  /** Nobody listens. */
  | { readonly kind: 'absent' }
  /** Another version of the agent; null: whatever listens there is no agent. */
  | { readonly kind: 'unknown-protocol'; readonly protocol: number | null }
  /** Somebody listens and says no hello: it hangs, or is just ending. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'no-access'; readonly errorCode: string };

export type ConnectFailure = Exclude<ConnectOutcome, AgentConnection>;

/** What a conversation does to its socket and to whoever asked for it. */
export interface Line {
  send(line: Buffer): void;
  hangUp(): void;
  /** Called once. */
  settle(outcome: ConnectOutcome): void;
}

/** What its socket tells a conversation. */
export interface Conversation {
  /** There will be no connection; without effect once there is one. */
  fail(outcome: ConnectFailure): void;
  take(frame: object): void;
  takeJunk(): void;
  /** The first reason counts. */
  finish(end: ConnectionEnd): void;
}

/** The client's side of the protocol: first a hello, then snapshots and replies. */
export function createConversation(line: Line): Conversation {
  const snapshots = createNewestOnly<Snapshot>();
  const pending = new Map<number, (outcome: RequestOutcome) => void>();
  let phase: 'greeting' | 'talking' | 'over' = 'greeting';
  let order = noSnapshots;
  let lastId = 0;
  let reportEnd: (end: ConnectionEnd) => void = () => {};
  const end = new Promise<ConnectionEnd>((resolve) => {
    reportEnd = resolve;
  });

  const fail = (outcome: ConnectFailure): void => {
    if (phase !== 'greeting') return;
    phase = 'over';
    line.settle(outcome);
  };
  const finish = (reason: ConnectionEnd): void => {
    if (phase !== 'talking') return;
    phase = 'over';
    line.hangUp();
    for (const settle of [...pending.values()]) settle({ kind: 'lost' });
    snapshots.finish();
    reportEnd(reason);
  };
  const request: AgentConnection['request'] = (name, body, limitMs) => {
    const id = lastId + 1;
    const frame = encodeFrame({ kind: 'request', id, name, body });
    if (frame.length > maxClientFrameBytes) return Promise.resolve({ kind: 'too-large' });
    if (phase !== 'talking') return Promise.resolve({ kind: 'lost' });
    lastId = id;
    return new Promise((resolve) => {
      const settle = (outcome: RequestOutcome): void => {
        clearTimeout(timer);
        pending.delete(id);
        resolve(outcome);
      };
      const timer = setTimeout(() => settle({ kind: 'silent' }), limitMs);
      timer.unref();
      pending.set(id, settle);
      line.send(frame);
    });
  };

  const greet = (first: object): void => {
    const protocol = readProtocol(first);
    const read = readServerFrame(first);
    if (protocol !== protocolVersion) {
      fail({ kind: 'unknown-protocol', protocol });
    } else if (read.kind !== 'frame' || read.frame.kind !== 'hello') {
      fail({ kind: 'unknown-protocol', protocol: null });
    } else {
      phase = 'talking';
      const close = () => finish({ kind: 'closed' });
      const { frame: hello } = read;
      line.settle({ kind: 'connected', hello, snapshots: snapshots.read(), end, request, close });
    }
  };
  const takeNewer = ({ epoch, rev, status }: ServerFrame & { readonly kind: 'snapshot' }): void => {
    const next = takeSnapshot(order, { epoch, rev });
    if (next === null) return;
    const document = readStatusDocument(status);
    if (document === null) {
      finish({ kind: 'junk' });
    } else {
      order = next;
      snapshots.put({ epoch, rev, status: document });
    }
  };
  const hear = (frame: ServerFrame): void => {
    switch (frame.kind) {
      case 'hello':
        finish({ kind: 'junk' });
        break;
      case 'snapshot':
        takeNewer(frame);
        break;
      case 'reply': {
        const { id, ok, text, body } = frame;
        pending.get(id)?.({ kind: 'answered', ok, text, body });
        break;
      }
      case 'refused':
        finish({ kind: 'refused', text: frame.text });
        break;
      default:
        frame satisfies never;
    }
  };

  return {
    fail,
    finish,
    take: (frame) => {
      if (phase === 'over') return;
      if (phase === 'greeting') {
        greet(frame);
        return;
      }
      const read = readServerFrame(frame);
      if (read.kind === 'junk') finish({ kind: 'junk' });
      else if (read.kind === 'frame') hear(read.frame);
    },
    takeJunk: () => {
      fail({ kind: 'unknown-protocol', protocol: null });
      finish({ kind: 'junk' });
    },
  };
}
