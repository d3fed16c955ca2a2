/** Buses for tests that have Node only: one that works, and some that do not. */

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import dbus from 'dbus-native';
import { onTestFinished, vi } from 'vitest';
import { type BusConnection, connectBus } from '../../src/system/dbus-connection.ts';

export interface Bus {
  readonly variables: Readonly<Record<string, string>>;
  /** Ends it with all its connections. */
  readonly kill: () => Promise<void>;
}

/** A bus that works, on a socket in a folder; the same folder gives the same address. */
export async function startBus(folder: string): Promise<Bus> {
  const socket = join(folder, 'bus');
  rmSync(socket, { force: true });
  const broker = dbus.createBroker();
  await new Promise<void>((settle, fail) => {
    broker.listen({ socket }, (error) => (error === null ? settle() : fail(error)));
  });
  let killed: Promise<void> | null = null;
  const kill = () => {
    killed ??= new Promise((settle) => broker.close(() => settle()));
    return killed;
  };
  onTestFinished(kill);
  return { variables: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` }, kill };
}

/** A bus that does with each connection what it is told to, from the first byte on. */
export async function startWrongBus(
  folder: string,
  treat: (socket: Socket, turn: number) => void,
): Promise<{ readonly variables: Readonly<Record<string, string>>; readonly turns: () => number }> {
  const path = join(folder, 'bus');
  const sockets = new Set<Socket>();
  let turns = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    turns += 1;
    treat(socket, turns);
  });
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((settle) => server.close(settle));
  });
  return {
    variables: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
    turns: () => turns,
  };
}

/** Lets a connection in, and hands over what it says then. */
export function letIn(socket: Socket, onMessage: (bytes: Buffer) => void): void {
  let isIn = false;
  socket.on('data', (bytes) => {
    if (isIn) return onMessage(bytes);
    const text = bytes.toString('latin1');
    if (text.includes('AUTH')) socket.write('OK 0123456789abcdef0123456789abcdef\r\n');
    const at = text.indexOf('BEGIN\r\n');
    if (at < 0) return;
    isIn = true;
    if (at + 7 < bytes.length) onMessage(bytes.subarray(at + 7));
  });
}

/** The answer to `Hello`, which is the first call. */
export function greet(socket: Socket): void {
  const body = Buffer.from('\x04\0\0\0:1.1\0', 'latin1');
  const fields = Buffer.from('\x05\x01u\0\x01\0\0\0\x08\x01g\0\x01s\0', 'latin1');
  const head = Buffer.alloc(16);
  head.write('l\x02\x01\x01', 'latin1');
  head.writeUInt32LE(body.length, 4);
  head.writeUInt32LE(1, 8);
  head.writeUInt32LE(fields.length, 12);
  const padding = Buffer.alloc((8 - (fields.length % 8)) % 8);
  socket.write(Buffer.concat([head, fields, padding, body]));
}

/** A connection that is closed with the test; its delays are a thousandth. */
export function connect(variables: Readonly<Record<string, string>>, scale = 1000): BusConnection {
  const bus = connectBus(variables, scale);
  onTestFinished(() => bus.close());
  return bus;
}

/** Settles once a connection is in a state. */
export function reach(bus: BusConnection, wanted: string): Promise<void> {
  return new Promise((settle) => {
    const check = (state: string) => {
      if (state !== wanted) return;
      stop();
      settle();
    };
    const stop = bus.onState(check);
    check(bus.state());
  });
}

/** Takes a name on the bus. */
export async function takeName(bus: BusConnection, name: string): Promise<void> {
  const outcome = await callBus(bus, 'RequestName', 'su', [name, 0]);
  if (outcome.kind !== 'returned') throw new Error(JSON.stringify(outcome));
}

/** Calls the bus itself. */
export function callBus(bus: BusConnection, member: string, signature = '', body: unknown[] = []) {
  return bus.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member,
    signature,
    body,
    limitMs: 5000,
  });
}

/** Waits until something is so; the limit only ends a test that hangs. */
export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 30_000, interval: 20 });
}
