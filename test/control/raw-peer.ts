import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** A client that says whatever a test wants, without the program's own code. */
export interface RawPeer {
  readonly socket: Socket;
  /** The next frame; null at the end of the connection. */
  hear(): Promise<Record<string, unknown> | null>;
  say(...frames: readonly unknown[]): void;
  readonly closed: Promise<unknown>;
}

export async function connectRaw(socketPath: string): Promise<RawPeer> {
  const socket = connect(socketPath);
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  // A server that drops us while we speak is what some tests want to see.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    closed,
    hear: async () => {
      const { value, done } = await lines.next();
      return done === true ? null : JSON.parse(value);
    },
    say: (...frames) => {
      socket.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
    },
  };
}
