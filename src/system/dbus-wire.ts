/**
 * One connection to a bus, from the socket to the end: the only file that knows the library. The library
 * is loaded when the first connection is made; what it does with a socket (greeting, framing, types) is
 * used, what it does above that (calls without a limit, reconnecting, objects) is not.
 */

import { createConnection as connectSocket } from 'node:net';
import type { DBusConnection } from 'dbus-native';

export interface WireMessage {
  readonly kind: 'call' | 'return' | 'error' | 'signal';
  readonly serial: number;
  readonly expectsReply: boolean;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly errorName: string;
  readonly replySerial: number;
  readonly sender: string;
  readonly signature: string;
  readonly body: readonly unknown[];
}

/** What is sent; what is left out is not in the message. */
export interface OutgoingMessage {
  readonly kind: WireMessage['kind'];
  readonly serial: number;
  readonly destination?: string;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  readonly replySerial?: number;
  readonly signature?: string;
  readonly body?: readonly unknown[];
  /** True: nobody is to be started for it. */
  readonly withoutStarting?: boolean;
}

export type SendOutcome = 'sent' | 'closed' | 'unsendable';

export interface Wire {
  /** Unsendable: the values don't fit the signature, or hold what D-Bus has no way to say. */
  readonly send: (message: OutgoingMessage) => SendOutcome;
  /** Sends what was given to `send` before, and closes; a bus that does not take it gets a second. */
  readonly close: () => void;
}

export interface WireListener {
  readonly onMessage: (message: WireMessage, wire: Wire) => void;
  /** Called once, whoever ended it. Nothing is received afterwards. */
  readonly onClosed: () => void;
}

/** Larger than anything that is meant for us; a bus that says more is not believed. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** A bus that takes nothing more is as good as gone; without a limit what waits would fill the memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

const CLOSING_LIMIT_MS = 1000;

const kinds = ['call', 'return', 'error', 'signal'] as const;
const NO_REPLY_EXPECTED = 1;
const NO_AUTO_START = 2;

/**
 * Starts to connect; what can be sent is sent once the bus has let us in. A socket that nobody listens
 * on, and one that greets us wrongly or sends what is no message, is closed. There is no limit for a bus
 * that says nothing: that is up to whoever waits for its first answer.
 */
export async function openWire(socketPath: string, listener: WireListener): Promise<Wire> {
  const { default: library } = await import('dbus-native');
  const socket = connectSocket({ path: socketPath });
  let closed = false;
  let closingTimer: NodeJS.Timeout | undefined;
  const endWire = () => {
    if (closed) return;
    closed = true;
    clearTimeout(closingTimer);
    socket.destroy();
    listener.onClosed();
  };
  const connection: DBusConnection = library.createConnection({
    stream: socket,
    // Nobody but the owner of this process is let in, by the kernel's word.
    authMethods: ['EXTERNAL'],
    plainValues: true,
    maxMessageSize: MAX_MESSAGE_BYTES,
  });
  for (const event of ['error', 'end', 'close']) connection.on(event, endWire);
  connection.on('message', (message) => {
    const kind = kinds[(message.type ?? 0) - 1];
    if (closed || kind === undefined) return;
    const received: WireMessage = {
      kind,
      serial: message.serial ?? 0,
      expectsReply: ((message.flags ?? 0) & NO_REPLY_EXPECTED) === 0,
      path: message.path ?? '',
      interface: message.interface ?? '',
      member: message.member ?? '',
      errorName: message.errorName ?? '',
      replySerial: message.replySerial ?? 0,
      sender: message.sender ?? '',
      signature: message.signature ?? '',
      body: message.body ?? [],
    };
    listener.onMessage(received, wire);
  });

  const wire: Wire = {
    send({ kind, withoutStarting = false, body, ...fields }) {
      if (closed) return 'closed';
      if (socket.writableLength > MAX_WAITING_BYTES) {
        endWire();
        return 'closed';
      }
      const isRequest = kind === 'call';
      try {
        connection.message({
          ...fields,
          ...(body === undefined ? {} : { body: [...body] }),
          type: kinds.indexOf(kind) + 1,
          flags: (isRequest ? 0 : NO_REPLY_EXPECTED) | (withoutStarting ? NO_AUTO_START : 0),
        });
        return 'sent';
      } catch {
        return 'unsendable';
      }
    },
    close() {
      if (closed) return;
      closingTimer ??= setTimeout(endWire, CLOSING_LIMIT_MS);
      connection.end();
    },
  };
  return wire;
}
