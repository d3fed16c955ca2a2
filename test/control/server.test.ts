import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectToAgent } from '../../src/control/client.ts';
import type { AgentConnection, Snapshot } from '../../src/control/conversation.ts';
import type { ControlClient } from '../../src/control/served-client.ts';
import { type ControlServer, type ServerOptions, startServer } from '../../src/control/server.ts';
import { isSocketPathTooLong, nameSocket } from '../../src/control/socket-path.ts';
import { asNobody, canBeNobody } from '../other-user.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { makeFleet } from './fleets.ts';
import { connectRaw } from './raw-peer.ts';

const startedAt = '2026-11-29T12:00:00.000Z';
const identity = { pid: 4711, version: '1.2.3', epoch: 'epoch-1', startedAt };
const health = { tray: 'off', troubles: [] };
const hello = { kind: 'hello', protocol: 1, pid: 4711, version: '1.2.3', epoch: 'epoch-1' };

interface Rig {
  readonly socketPath: string;
  readonly server: ControlServer;
}

async function listen(more: Partial<ServerOptions> = {}): Promise<Rig> {
  const socketPath = more.socketPath ?? nameSocket(makeScratchFolder());
  const server = await startServer({
    socketPath,
    identity,
    onRequest: async (name, body) => (name === 'echo' ? { ok: true, text: 'heard', body } : null),
    onClientsChanged: () => {},
    ...more,
  });
  if (server.kind !== 'listening') throw new Error(JSON.stringify(server));
  onTestFinished(() => server.close());
  return { socketPath, server };
}

async function greet(socketPath: string, role = 'status'): Promise<AgentConnection> {
  const found = await connectToAgent({ socketPath, role, timeoutMs: 30_000 });
  if (found.kind !== 'connected') throw new Error(JSON.stringify(found));
  onTestFinished(() => found.close());
  return found;
}

async function nextSnapshot(connection: AgentConnection): Promise<Snapshot> {
  const { value } = await connection.snapshots.next();
  return value;
}

/** Proves that a server still serves. */
async function expectAlive({ socketPath }: Rig): Promise<void> {
  const connection = await greet(socketPath);
  expect(await connection.request('echo', 'x', 30_000)).toMatchObject({ ok: true, body: 'x' });
  connection.close();
}

describe('publishing', () => {
  it('gives a new client the newest snapshot at once, and everybody the next ones', async () => {
    const { socketPath, server } = await listen();
    server.publish(1, makeFleet(1), health);
    server.publish(2, makeFleet(2), { tray: 'shown', troubles: ['disk'] });
    const [one, two] = [await greet(socketPath), await greet(socketPath)];
    expect(one.hello).toEqual(hello);
    const status = {
      ...makeFleet(2),
      epoch: 'epoch-1',
      rev: 2,
      agent: { pid: 4711, version: '1.2.3', startedAt, tray: 'shown', troubles: ['disk'] },
    };
    for (const connection of [one, two]) {
      expect(await nextSnapshot(connection)).toEqual({ epoch: 'epoch-1', rev: 2, status });
    }
    server.publish(3, makeFleet(3), health);
    for (const connection of [one, two]) {
      expect(await nextSnapshot(connection)).toMatchObject({ rev: 3 });
    }
  });

  it('gives a client that came before the first snapshot that one', async () => {
    const { socketPath, server } = await listen();
    const connection = await greet(socketPath);
    server.publish(1, makeFleet(1), health);
    expect(await nextSnapshot(connection)).toMatchObject({ rev: 1 });
  });

  it('serialises nothing while nobody listens, and once for all who do', async () => {
    const { socketPath, server } = await listen();
    let reads = 0;
    const fleet = makeFleet(1);
    const sessions = new Proxy(fleet.sessions, {
      get: (target, key) => {
        if (key === 'length') reads += 1;
        return Reflect.get(target, key);
      },
    });
    server.publish(1, { ...fleet, sessions }, health);
    expect(reads).toBe(0);
    const first = await greet(socketPath);
    await nextSnapshot(first);
    const readsForOne = reads;
    expect(readsForOne).toBeGreaterThan(0);
    const second = await greet(socketPath);
    await nextSnapshot(second);
    expect(reads).toBe(readsForOne);
  });

  it('carries a fleet of 5,000 sessions', async () => {
    const { socketPath, server } = await listen();
    server.publish(1, makeFleet(5_000, 1_000), health);
    const { status } = await nextSnapshot(await greet(socketPath));
    expect(status.sessions).toHaveLength(5_000);
  });

  it('gives a reader that fell behind the newest one, and not all that it missed', async () => {
    const { socketPath, server } = await listen();
    const slow = await connectRaw(socketPath);
    expect(await slow.hear()).toEqual(hello);
    slow.say({ kind: 'hello', protocol: 1, role: 'watch' });
    server.publish(1, makeFleet(1), health);
    expect(await slow.hear()).toMatchObject({ rev: 1 });
    slow.socket.pause();
    const quick = await greet(socketPath);
    for (let rev = 2; rev <= 60; rev += 1) {
      server.publish(rev, makeFleet(100, 10_000), health);
      let seen = 0;
      while (seen < rev) seen = (await nextSnapshot(quick)).rev;
    }
    slow.socket.resume();
    const revs: unknown[] = [];
    while (revs.at(-1) !== 60) revs.push((await slow.hear())?.rev);
    // One was under way when it stopped reading, and the newest is all that waits.
    expect(revs.length).toBeLessThanOrEqual(3);
  });
});

describe('clients', () => {
  it('are told of as they come and go', async () => {
    const changes: (readonly ControlClient[])[] = [];
    let wake: () => void = () => {};
    const { socketPath } = await listen({
      onClientsChanged: (clients) => {
        changes.push(clients);
        wake();
      },
    });
    const change = async (): Promise<readonly ControlClient[]> => {
      if (changes.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return changes.shift() ?? [];
    };
    // One that says nothing is no client.
    await connectRaw(socketPath);
    const shim = await greet(socketPath, 'shim');
    const [first] = await change();
    expect(first?.role).toBe('shim');
    await greet(socketPath, 'of the future');
    const both = await change();
    expect(both.map(({ role }) => role)).toEqual(['shim', 'of the future']);
    shim.close();
    expect(await change()).toEqual([both[1]]);
  });

  it('get answers to what they ask, each to its own question', async () => {
    const asked: unknown[] = [];
    const gates = new Map<unknown, () => void>();
    const { socketPath } = await listen({
      onRequest: async (name, body, client) => {
        asked.push([name, body, client.role]);
        await new Promise<void>((resolve) => gates.set(body, resolve));
        if (body === 'second') gates.get('first')?.();
        return { ok: body === 'first', text: `about ${body}` };
      },
    });
    const connection = await greet(socketPath, 'shim');
    const first = connection.request('ack', 'first', 30_000);
    const second = connection.request('ack', 'second', 30_000);
    const third = connection.request('ack', 'third', 30_000);
    while (gates.size < 3) await new Promise((resolve) => setImmediate(resolve));
    gates.get('second')?.();
    expect(await second).toEqual({
      kind: 'answered',
      ok: false,
      text: 'about second',
      body: undefined,
    });
    expect(await first).toMatchObject({ ok: true, text: 'about first' });
    expect(asked).toEqual(['first', 'second', 'third'].map((body) => ['ack', body, 'shim']));
    connection.close();
    expect(await third).toEqual({ kind: 'lost' });
    expect(await connection.request('ack', 'fourth', 30_000)).toEqual({ kind: 'lost' });
  });

  it('are told that there is no such request', async () => {
    const { socketPath } = await listen();
    const connection = await greet(socketPath);
    const outcome = await connection.request('dance\u001b[2J', null, 30_000);
    expect(outcome).toMatchObject({ kind: 'answered', ok: false });
    expect(outcome.kind === 'answered' && outcome.text).toContain('no request "dance"');
  });

  it.each([0, 2, 99, -1])('of protocol %s are told so, and nothing else', async (protocol) => {
    const rig = await listen();
    rig.server.publish(1, makeFleet(1), health);
    const peer = await connectRaw(rig.socketPath);
    expect(await peer.hear()).toEqual(hello);
    peer.say({ kind: 'hello', protocol, of: 'another time' }, { kind: 'request', id: 1 });
    expect(await peer.hear()).toMatchObject({ kind: 'refused', text: expect.any(String) });
    expect(await peer.hear()).toBeNull();
    await peer.closed;
    await expectAlive(rig);
  });

  it('may say more than this version knows', async () => {
    const { socketPath } = await listen();
    const peer = await connectRaw(socketPath);
    await peer.hear();
    peer.say(
      { kind: 'hello', protocol: 1, role: 'status', colour: 'blue' },
      { kind: 'wave', id: 'x' },
      { kind: 'request', id: 7, name: 'echo', body: [1], more: null },
    );
    const reply = { kind: 'reply', id: 7, ok: true, text: 'heard', body: [1] };
    expect(await peer.hear()).toEqual(reply);
  });
});

describe('a client that speaks junk', () => {
  const greeting = '{"kind":"hello","protocol":1,"role":"status"}\n';

  it.each([
    ['text', 'GET / HTTP/1.1\r\n\r\n'],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x0a])],
    ['a deep frame', `{"a":${'['.repeat(60_000)}\n`],
    ['a frame that is too long', `{"kind":"hello","a":"${'x'.repeat(64 * 1024)}"}\n`],
    ['a frame of no kind', '{"protocol":1}\n'],
    ['a request before its hello', '{"kind":"request","id":1,"name":"echo"}\n'],
    ['a hello without a role', '{"kind":"hello","protocol":1}\n'],
    ['a protocol that is no number', '{"kind":"hello","protocol":"1","role":"x"}\n'],
    ['junk after its hello', `${greeting}junk\n`],
    ['two hellos', `${greeting}${greeting}`],
    ['a request without a name', `${greeting}{"kind":"request","id":1}\n`],
    ['a request without a number', `${greeting}{"kind":"request","id":"1","name":"echo"}\n`],
  ])('is dropped: %s', async (_, junk) => {
    const rig = await listen();
    const peer = await connectRaw(rig.socketPath);
    await peer.hear();
    peer.socket.write(junk);
    await peer.closed;
    await expectAlive(rig);
  });

  it('is dropped at the first bytes too many of 100 MB', async () => {
    const rig = await listen();
    const peer = await connectRaw(rig.socketPath);
    const megabyte = Buffer.alloc(1024 * 1024, 0x61);
    for (let count = 0; count < 100 && peer.socket.writable; count += 1) {
      if (!peer.socket.write(megabyte)) {
        await Promise.race([once(peer.socket, 'drain').catch(() => {}), peer.closed]);
      }
    }
    await peer.closed;
    // What the server took and what the system held on the way, and not a large part of the flood.
    expect(peer.socket.bytesWritten).toBeLessThan(4 * 1024 * 1024);
    await expectAlive(rig);
  });

  it('holds nothing up with half a frame', async () => {
    const rig = await listen();
    const peer = await connectRaw(rig.socketPath);
    await peer.hear();
    peer.socket.write('{"kind":"hello","proto');
    await expectAlive(rig);
    peer.socket.write('col":1,"role":"late"}\n{"kind":"request","id":1,"name":"echo"}\n');
    expect(await peer.hear()).toMatchObject({ kind: 'reply', id: 1 });
  });

  it('is not read further while its requests wait', async () => {
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    const rig = await listen({
      onRequest: async (name, body) => {
        if (name === 'echo') return { ok: true, text: '', body };
        asked += 1;
        await gate;
        return { ok: true, text: 'x'.repeat(1_000) };
      },
    });
    const peer = await connectRaw(rig.socketPath);
    await peer.hear();
    peer.socket.write(greeting);
    const request = '{"kind":"request","id":1,"name":"wait"}\n';
    const many = 40_000;
    peer.socket.write(request.repeat(many));
    const other = await greet(rig.socketPath);
    for (let turn = 0; turn < 50; turn += 1) await other.request('echo', turn, 30_000);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(4_000);
    open();
    for (let count = 0; count < many; count += 1) {
      expect(await peer.hear()).toMatchObject({ kind: 'reply' });
    }
    expect(asked).toBe(many);
  });
});

describe('the socket', () => {
  it('is for this user only, in a folder for this user only', async () => {
    const folder = join(makeScratchFolder(), 'state');
    mkdirSync(folder, { mode: 0o755 });
    const { socketPath } = await listen({ socketPath: nameSocket(folder) });
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.skipIf(!canBeNobody)('lets no other user in, even where the folder would', async () => {
    const outer = makeScratchFolder();
    const folder = join(outer, 'state');
    const { socketPath } = await listen({ socketPath: nameSocket(folder) });
    const script = `require('net').connect(process.argv[1])
      .on('connect', () => { console.log('in'); process.exit(); })
      .on('error', (error) => console.log(error.code))`;
    const args = ['-e', script, socketPath];
    const knock = () => spawnSync(process.execPath, args, { ...asNobody, encoding: 'utf8' }).stdout;
    chmodSync(outer, 0o755);
    expect(knock()).toBe('EACCES\n');
    chmodSync(folder, 0o755);
    expect(knock()).toBe('EACCES\n');
  });

  it('is not taken from an agent that answers on it', async () => {
    const rig = await listen();
    const second = await startServer({
      socketPath: rig.socketPath,
      identity,
      onRequest: async () => null,
      onClientsChanged: () => {},
    });
    expect(second).toMatchObject({ kind: 'in-use', text: expect.stringContaining(rig.socketPath) });
    await expectAlive(rig);
  });

  it('is not taken from whoever accepts and says nothing', async () => {
    const socketPath = nameSocket(makeScratchFolder());
    const mute = createServer(() => {}).listen(socketPath);
    await once(mute, 'listening');
    const outcome = await startServer({
      socketPath,
      identity,
      onRequest: async () => null,
      onClientsChanged: () => {},
    });
    expect(outcome.kind).toBe('in-use');
    expect(existsSync(socketPath)).toBe(true);
    mute.close();
  });

  it('goes with its server, and so do the clients', async () => {
    const { socketPath, server } = await listen();
    const connection = await greet(socketPath);
    const peer = await connectRaw(socketPath);
    await server.close();
    expect(await connection.end).toEqual({ kind: 'ended' });
    await peer.closed;
    expect(existsSync(socketPath)).toBe(false);
  });

  it('does not take the place of a file', async () => {
    const socketPath = nameSocket(makeScratchFolder());
    writeFileSync(socketPath, 'mine');
    const outcome = await startServer({
      socketPath,
      identity,
      onRequest: async () => null,
      onClientsChanged: () => {},
    });
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'ENOTSOCK' });
    expect(readFileSync(socketPath, 'utf8')).toBe('mine');
  });

  it('can’t be below a file, and says so', async () => {
    const file = join(makeScratchFolder(), 'file');
    writeFileSync(file, '');
    const outcome = await startServer({
      socketPath: join(file, 'state', 'agent.sock'),
      identity,
      onRequest: async () => null,
      onClientsChanged: () => {},
    });
    expect(outcome).toMatchObject({ kind: 'failed', errorCode: 'ENOTDIR' });
  });

  it('can’t have a path that is too long, and says what to do', async () => {
    const folder = makeScratchFolder();
    const longest = join(folder, 'x'.repeat(106 - Buffer.byteLength(folder)));
    const options = { identity, onRequest: async () => null, onClientsChanged: () => {} };
    if (process.platform === 'linux') await listen({ socketPath: longest });
    const outcome = await startServer({ ...options, socketPath: `${longest}é` });
    expect(outcome).toMatchObject({
      kind: 'path-too-long',
      text: expect.stringMatching(/too long.* Set SANDY_TRAY_DIR to a shorter path\.$/),
    });
    expect(existsSync(`${longest}é`)).toBe(false);
  });

  it.each([
    ['linux', 107],
    ['darwin', 103],
  ] as const)('has room for a path of so many bytes on %s: %s', (platform, most) => {
    expect(isSocketPathTooLong('x'.repeat(most), platform)).toBe(false);
    expect(isSocketPathTooLong('x'.repeat(most + 1), platform)).toBe(true);
    expect(isSocketPathTooLong('é'.repeat(54), platform)).toBe(true);
  });
});
