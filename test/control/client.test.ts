import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectToAgent } from '../../src/control/client.ts';
import type { AgentConnection } from '../../src/control/conversation.ts';
import { nameSocket } from '../../src/control/socket-path.ts';
import { bundleScript, startScript } from '../node-script.ts';
import { asNobody, canBeNobody } from '../other-user.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { makeFleet } from './fleets.ts';

const hello = { kind: 'hello', protocol: 1, pid: 1, version: '1', epoch: 'a', more: true };

function snapshot(epoch: string, rev: number) {
  const status = { ...makeFleet(1), epoch, rev, agent: null };
  return { kind: 'snapshot', epoch, rev, status };
}

/** A server that says whatever a test wants. */
interface Stub {
  readonly socketPath: string;
  readonly server: Server;
  readonly sockets: Socket[];
  say(...frames: readonly unknown[]): void;
}

async function serve(
  onConnection: (socket: Socket) => void,
  socketPath = nameSocket(makeScratchFolder()),
): Promise<Stub> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  }).listen(socketPath);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    socketPath,
    server,
    sockets,
    say: (...frames) => {
      const text = frames.map((frame) => `${JSON.stringify(frame)}\n`).join('');
      for (const socket of sockets) socket.write(text);
    },
  };
}

const say = (socket: Socket, frame: unknown) => socket.write(`${JSON.stringify(frame)}\n`);
const serveHello = () => serve((socket) => say(socket, hello));

function connectTo(socketPath: string, timeoutMs = 30_000) {
  return connectToAgent({ socketPath, role: 'status', timeoutMs });
}

async function greet({ socketPath }: Stub): Promise<AgentConnection> {
  const found = await connectTo(socketPath);
  if (found.kind !== 'connected') throw new Error(JSON.stringify(found));
  onTestFinished(() => found.close());
  return found;
}

describe('connecting', () => {
  it('finds nobody where there is no socket, no folder, no path', async () => {
    const folder = makeScratchFolder();
    writeFileSync(join(folder, 'file'), '');
    const paths = [
      nameSocket(folder),
      nameSocket(join(folder, 'missing')),
      join(folder, 'file'),
      join(folder, 'file', 'below'),
      join(folder, 'x'.repeat(200)),
    ];
    for (const path of paths) expect(await connectTo(path)).toEqual({ kind: 'absent' });
  });

  it('does not take what a path that is too long begins with for the agent', async () => {
    const folder = makeScratchFolder();
    // Node 20 listens on the first hundred bytes or so, and would connect to them; 24 refuses.
    const tooLong = join(folder, 'x'.repeat(200));
    await serve((socket) => say(socket, hello), tooLong).catch(() => null);
    expect(await connectTo(tooLong)).toEqual({ kind: 'absent' });
  });

  it.each([0, 2, 99])('goes no further with protocol %s', async (protocol) => {
    const stub = await serve((socket) => say(socket, { kind: 'hello', protocol, new: 'words' }));
    expect(await connectTo(stub.socketPath)).toEqual({ kind: 'unknown-protocol', protocol });
    await Promise.all(stub.sockets.map((socket) => once(socket.resume(), 'close')));
  });

  it.each([
    ['text', 'SSH-2.0-OpenSSH\r\n'],
    ['another frame first', `${JSON.stringify(snapshot('a', 1))}\n`],
    ['a hello that lacks the rest', '{"kind":"hello","protocol":1}\n'],
    ['a protocol that is no number', '{"kind":"hello","protocol":"1"}\n'],
    ['bytes', Buffer.from([0xff, 0x0a])],
  ])('goes no further with who speaks none: %s', async (_, junk) => {
    const { socketPath } = await serve((socket) => socket.write(junk));
    expect(await connectTo(socketPath)).toEqual({ kind: 'unknown-protocol', protocol: null });
  });

  it('waits for a hello as long as it is told to', async () => {
    const { socketPath } = await serve((socket) => socket.write('{"kind":"hel'));
    expect(await connectTo(socketPath, 50)).toEqual({ kind: 'silent' });
  });

  it('finds one silent that hangs up without a hello', async () => {
    const { socketPath } = await serve((socket) => socket.end());
    expect(await connectTo(socketPath)).toEqual({ kind: 'silent' });
  });
});

describe('a connection', () => {
  it('ignores what is replayed or reordered, and takes any of a new epoch', async () => {
    const stub = await serveHello();
    const connection = await greet(stub);
    const marks: [string, number, boolean][] = [
      ['a', 5, true],
      ['a', 4, false],
      ['a', 5, false],
      ['a', 7, true],
      ['a', 6, false],
      ['b', 1, true],
      ['a', 8, false],
      ['b', 1, false],
      ['b', 2, true],
    ];
    for (const [index, [epoch, rev, taken]] of marks.entries()) {
      const asked = connection.request('sync', null, 30_000);
      stub.say(snapshot(epoch, rev), { kind: 'reply', id: index + 1, ok: true, text: '' });
      // The reply comes after the snapshot: by now that has been taken or ignored.
      await asked;
      if (taken) {
        const { value } = await connection.snapshots.next();
        expect([value.epoch, value.rev]).toEqual([epoch, rev]);
      }
    }
    connection.close();
    expect(await connection.snapshots.next()).toEqual({ value: undefined, done: true });
  });

  it('hands only the newest to a reader that was busy', async () => {
    const stub = await serveHello();
    const connection = await greet(stub);
    const asked = connection.request('sync', null, 30_000);
    stub.say(snapshot('a', 1), snapshot('a', 2), snapshot('a', 3));
    stub.say({ kind: 'reply', id: 1, ok: true, text: '' });
    await asked;
    connection.close();
    const revs: number[] = [];
    for await (const { rev } of connection.snapshots) revs.push(rev);
    expect(revs).toEqual([3]);
    expect(await connection.end).toEqual({ kind: 'closed' });
  });

  it('ignores frames and fields that are new', async () => {
    const stub = await serveHello();
    const connection = await greet(stub);
    stub.say({ kind: 'weather', rev: 'x' }, { ...snapshot('a', 1), more: [] });
    const { value } = await connection.snapshots.next();
    expect(value.rev).toBe(1);
  });

  it.each([
    ['no status', { kind: 'snapshot', epoch: 'a', rev: 1 }],
    ['a status that can’t be shown', { kind: 'snapshot', epoch: 'a', rev: 1, status: {} }],
    ['a rev that is no number', { ...snapshot('a', 1), rev: '1' }],
    ['a second hello', hello],
    ['a frame of no kind', {}],
    ['no frame', 1],
  ])('ends at junk: %s', async (_, junk) => {
    const stub = await serveHello();
    const connection = await greet(stub);
    const asked = connection.request('wait', null, 30_000);
    stub.say(junk);
    expect(await connection.end).toEqual({ kind: 'junk' });
    expect(await asked).toEqual({ kind: 'lost' });
    expect(await connection.snapshots.next()).toMatchObject({ done: true });
  });

  it('says why it was refused', async () => {
    const stub = await serveHello();
    const connection = await greet(stub);
    stub.say({ kind: 'refused', text: 'too many' });
    expect(await connection.end).toEqual({ kind: 'refused', text: 'too many' });
  });

  it('ends with its agent', async () => {
    const stub = await serveHello();
    const connection = await greet(stub);
    const asked = connection.request('wait', null, 30_000);
    for (const socket of stub.sockets) socket.destroy();
    expect(await connection.end).toEqual({ kind: 'ended' });
    expect(await asked).toEqual({ kind: 'lost' });
  });

  it('tells a request that gets no answer, and one that can’t be sent', async () => {
    const stub = await serveHello();
    const connection = await greet(stub);
    expect(await connection.request('wait', null, 50)).toEqual({ kind: 'silent' });
    // An answer that comes too late is nobody's.
    stub.say({ kind: 'reply', id: 1, ok: true, text: '' }, snapshot('a', 1));
    await connection.snapshots.next();
    const large = 'x'.repeat(64 * 1024);
    expect(await connection.request('update', large, 30_000)).toEqual({ kind: 'too-large' });
  });
});

describe('a process that connects', () => {
  let client = '';
  beforeAll(async () => {
    const bundle = await bundleScript(join(import.meta.dirname, 'client-script.ts'));
    client = bundle.file;
    return bundle.remove;
  });

  it('ends by itself, whatever it found, long before its limit', async () => {
    const stubs = [
      await serveHello(),
      await serve((socket) => say(socket, { ...hello, protocol: 99 })),
      await serve((socket) => socket.end()),
    ];
    const paths = [...stubs.map(({ socketPath }) => socketPath), nameSocket(makeScratchFolder())];
    const kinds = ['connected', 'unknown-protocol', 'silent', 'absent'];
    for (const [index, path] of paths.entries()) {
      const script = startScript(client, [path, '3600000']);
      expect(await script.hear()).toMatchObject({ kind: kinds[index] });
      expect(await script.ended).toBe(0);
    }
  });

  it.skipIf(!canBeNobody)('is told that it may not', async () => {
    // The socket is in a closed folder; the script must be readable.
    const stub = await serveHello();
    const script = startScript(await bundleOpen(), [stub.socketPath, '3600000'], asNobody);
    expect(await script.hear()).toEqual({ kind: 'no-access', errorCode: 'EACCES' });
    expect(await script.ended).toBe(0);
  });

  /** The script where another user can read it. */
  async function bundleOpen(): Promise<string> {
    const path = `/tmp/sandy-tray-open-${process.pid}.mjs`;
    onTestFinished(() => rmSync(path, { force: true }));
    await build({ entryPoints: [client], outfile: path, logLevel: 'error' });
    return path;
  }

  it.skipIf(process.platform !== 'linux')(
    'finds a stopped agent silent, also when its queue is full',
    async () => {
      const socketPath = nameSocket(makeScratchFolder());
      const script = join(makeScratchFolder(), 'stub.mjs');
      writeFileSync(
        script,
        `import { createServer } from 'node:net';
         createServer(() => {}).listen({ path: process.argv[2], backlog: 1 }, () => console.log(1));
         process.stdin.resume();`,
      );
      const stub = startScript(script, [socketPath]);
      await stub.hear();
      stub.child.kill('SIGSTOP');
      const tries = Array.from({ length: 5 }, () => connectTo(socketPath, 300));
      expect(await Promise.all(tries)).toEqual(tries.map(() => ({ kind: 'silent' })));
    },
  );

  it('loads nothing heavy for it', async () => {
    const { metafile } = await build({
      entryPoints: [resolve(import.meta.dirname, '../../src/control/client.ts')],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      metafile: true,
    });
    const packages = Object.keys(metafile.inputs).flatMap(
      (file) => /node_modules\/([^/]+)/.exec(file)?.[1] ?? [],
    );
    expect([...new Set(packages)]).toEqual(['zod']);
  });
});
