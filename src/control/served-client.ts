import type { Socket } from 'node:net';
import { createFrameDecoder } from './frame-decoder.ts';
import {
  type ClientFrame,
  encodeFrame,
  maxClientFrameBytes,
  protocolVersion,
  readClientFrame,
  readProtocol,
  type ServerHello,
} from './protocol.ts';
import { texts } from './texts.ts';

/** A client that has said hello. */
export interface ControlClient {
  /** Unlike that of any other client of this server. */
  readonly id: number;
  readonly role: string;
}

/** What a request came to; `text` is for a person. */
export interface Answer {
  readonly ok: boolean;
  readonly text: string;
  readonly body?: unknown;
}

/** What a client is served with. */
export interface Service {
  readonly id: number;
  readonly hello: ServerHello;
  /** The line of the newest snapshot; null before the first. */
  newestSnapshot(): Buffer | null;
  /** Null: there is no such request. Must not reject. */
  answer(name: string, body: unknown, client: ControlClient): Promise<Answer | null>;
  onGreeted(client: ControlClient): void;
  onGone(): void;
}

/** The server's hand on one client. */
export interface ServedClient {
  /** Says that there is a newer snapshot. */
  offerSnapshot(): void;
  drop(): void;
}

/** With this many requests unanswered, a client is not read any further. */
const MOST_UNANSWERED = 32;

/**
 * Speaks with one client until it goes. One that sends junk is dropped. One that doesn't read is not
 * read either, and gets the newest snapshot when it reads again instead of all that it has missed:
 * for such a client, at most one snapshot and a few replies wait in memory.
 */
export function serveClient(socket: Socket, service: Service): ServedClient {
  const decode = createFrameDecoder(maxClientFrameBytes);
  let client: ControlClient | null = null;
  let behind = false;
  let unanswered = 0;

  const send = (line: Buffer): void => {
    if (socket.writable) socket.write(line);
    regulate();
  };
  const regulate = (): void => {
    if (unanswered >= MOST_UNANSWERED || socket.writableNeedDrain) socket.pause();
    else socket.resume();
  };
  const offerSnapshot = (): void => {
    if (client === null) return;
    behind = socket.writableNeedDrain;
    const snapshot = behind ? null : service.newestSnapshot();
    if (snapshot !== null) send(snapshot);
  };

  const greet = (frame: object): void => {
    const protocol = readProtocol(frame);
    if (protocol !== null && protocol !== protocolVersion) {
      const text = texts.otherProtocol(protocol, protocolVersion);
      socket.write(encodeFrame({ kind: 'refused', text }));
      socket.destroySoon();
      return;
    }
    const read = readClientFrame(frame);
    if (read.kind !== 'frame' || read.frame.kind !== 'hello') {
      socket.destroy();
      return;
    }
    client = { id: service.id, role: read.frame.role };
    service.onGreeted(client);
    offerSnapshot();
  };
  const take = (frame: object, from: ControlClient): void => {
    const read = readClientFrame(frame);
    if (read.kind === 'unknown') return;
    if (read.kind === 'junk' || read.frame.kind === 'hello') socket.destroy();
    else void reply(read.frame, from);
  };
  const reply = async (
    { id, name, body }: ClientFrame & { readonly kind: 'request' },
    from: ControlClient,
  ): Promise<void> => {
    unanswered += 1;
    regulate();
    const answer = await service.answer(name, body, from);
    unanswered -= 1;
    const { ok, text, ...rest } = answer ?? { ok: false, text: texts.unknownRequest(name) };
    send(encodeFrame({ kind: 'reply', id, ok, text, ...rest }));
  };

  socket.on('data', (bytes: Buffer) => {
    const { frames, fault } = decode(bytes);
    for (const frame of frames) {
      if (!socket.writable) return;
      if (client === null) greet(frame);
      else take(frame, client);
    }
    if (fault !== null) socket.destroy();
  });
  socket.on('drain', () => {
    if (behind) offerSnapshot();
    regulate();
  });
  // A client that vanishes is no fault of ours; `close` follows.
  socket.on('error', () => {});
  socket.once('close', () => service.onGone());
  socket.write(encodeFrame(service.hello));
  return { offerSnapshot, drop: () => socket.destroy() };
}
