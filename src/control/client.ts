import { connect } from 'node:net';
import { type ConnectFailure, type ConnectOutcome, createConversation } from './conversation.ts';
import { createFrameDecoder } from './frame-decoder.ts';
import { encodeFrame, maxServerFrameBytes, protocolVersion } from './protocol.ts';
import { isSocketPathTooLong } from './socket-path.ts';

export interface ConnectOptions {
  readonly socketPath: string;
  /** What the client is for: `status`, `watch`, `shim` and the like. */
  readonly role: string;
  /** How long the agent has to take the connection and say hello. */
  readonly timeoutMs: number;
}

/** Connects to the agent and waits for its hello. Never throws, and leaves nothing open on failure. */
export function connectToAgent(options: ConnectOptions): Promise<ConnectOutcome> {
  const { socketPath, role, timeoutMs } = options;
  // Node 20 would connect to a shorter path. No agent can listen on this one.
  if (isSocketPathTooLong(socketPath, process.platform)) {
    return Promise.resolve({ kind: 'absent' });
  }
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const conversation = createConversation({
      send: (line) => {
        if (socket.writable) socket.write(line);
      },
      hangUp: () => socket.destroy(),
      settle: (outcome) => {
        clearTimeout(timer);
        if (outcome.kind !== 'connected') socket.destroy();
        resolve(outcome);
      },
    });
    const timer = setTimeout(() => conversation.fail({ kind: 'silent' }), timeoutMs);
    timer.unref();
    const decode = createFrameDecoder(maxServerFrameBytes);
    socket.on('data', (bytes: Buffer) => {
      const { frames, fault } = decode(bytes);
      for (const frame of frames) conversation.take(frame);
      if (fault !== null) conversation.takeJunk();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      conversation.fail(describeFailure(error.code ?? 'unknown'));
    });
    socket.once('close', () => {
      conversation.fail({ kind: 'silent' });
      conversation.finish({ kind: 'ended' });
    });
    socket.write(encodeFrame({ kind: 'hello', protocol: protocolVersion, role }));
  });
}

function describeFailure(errorCode: string): ConnectFailure {
  switch (errorCode) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ECONNREFUSED':
    case 'ENOTSOCK':
      return { kind: 'absent' };
    // EAGAIN: more wait already than it has taken (Linux). The others: it hung up on us.
    case 'EAGAIN':
    case 'ECONNRESET':
    case 'EPIPE':
      return { kind: 'silent' };
    default:
      return { kind: 'no-access', errorCode };
  }
}
