import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { isWatching, test, until } from './agent-process.ts';

const floodBytes = 100 * 1024 * 1024;

/** Far less than one flood; a process that reads a stream needs some room for what has just come. */
const mostGrowthKb = 40 * 1024;

/** What a stranger sends, and what it hears besides the hello. */
const strangers: readonly [string, (socket: Socket) => Promise<void>, string][] = [
  ['noise', (socket) => send(socket, randomBytes(100_000)), ''],
  ['no hello', (socket) => send(socket, line({ kind: 'request', id: 1, name: 'refresh' })), ''],
  ['a list', (socket) => send(socket, line([1, 2, 3])), ''],
  ['depth', (socket) => send(socket, `${'['.repeat(50_000)}\n`), ''],
  ['a hello of 100 MB', flood, ''],
  [
    'an old protocol',
    (socket) => send(socket, line({ kind: 'hello', protocol: 0, role: 'x' })),
    'This agent is newer (protocol 1, not 0). Start this command again.',
  ],
  [
    'a future protocol',
    (socket) => send(socket, line({ kind: 'hello', protocol: 99, role: 'x' })),
    'This agent is older (protocol 1, not 99). Restart the agent.',
  ],
];

describe('an agent whose socket strangers use', () => {
  test('hangs up on each, stays small, and answers', async ({ program, startAgent }) => {
    await program.addFleet({ sessions: [{ name: 'asa' }] });
    const agent = startAgent();
    await until(() => isWatching(agent));
    const path = join(program.ownFolder, 'agent.sock');
    const ask = async () => {
      const { code, stdout, stderr } = await program.run(['status', '--json']);
      const { agent: health, sessions } = JSON.parse(stdout);
      return { code, stderr, pid: health?.pid, sessions: sessions.length };
    };
    await until(() =>
      readFileSync(join(program.ownFolder, 'log.jsonl'), 'utf8').includes('baseline'),
    );
    const well = { code: 0, stderr: '', pid: agent.pid, sessions: 1 };
    expect(await ask()).toEqual(well);
    const before = peakKb(agent.pid);
    // One that says nothing and stays, all the while.
    const silent = connect(path);
    await once(silent, 'data');
    for (const [what, speak, answer] of strangers) {
      const heard = await hear(path, speak);
      expect(heard.includes('"kind":"snapshot"'), what).toBe(false);
      if (answer !== '') expect(heard, what).toContain(JSON.stringify(answer));
    }
    await Promise.all(Array.from({ length: 10 }, () => hear(path, flood)));
    expect(await ask()).toEqual(well);
    expect(peakKb(agent.pid) - before).toBeLessThan(mostGrowthKb);
    // Well greeted and then bad: a request of 100 MB, and requests whose answers it never reads.
    const greeted = (socket: Socket) =>
      send(socket, line({ kind: 'hello', protocol: 1, role: 'x' }));
    await hear(path, async (socket) => {
      await greeted(socket);
      await flood(socket);
    });
    const deaf = connect(path);
    await once(deaf, 'data');
    deaf.on('error', () => {});
    deaf.pause();
    deaf.write(line({ kind: 'hello', protocol: 1, role: 'x' }));
    for (let id = 1; id <= 20_000; id += 1)
      deaf.write(line({ kind: 'request', id, name: 'x'.repeat(1_000) }));
    expect(await ask()).toEqual(well);
    expect(peakKb(agent.pid) - before).toBeLessThan(mostGrowthKb);
    for (const socket of [silent, deaf]) socket.destroy();
    expect(await agent.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});

function line(frame: unknown): string {
  return `${JSON.stringify(frame)}\n`;
}

async function send(socket: Socket, bytes: string | Buffer): Promise<void> {
  if (!socket.write(bytes) && !socket.destroyed) {
    await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
  }
}

/** Stops when the other end has had enough. */
async function flood(socket: Socket): Promise<void> {
  const part = Buffer.alloc(64 * 1024, 'x');
  for (let sent = 0; sent < floodBytes && !socket.destroyed; sent += part.length) {
    await send(socket, part);
  }
}

/** All that the agent said until it hung up. */
async function hear(path: string, speak: (socket: Socket) => Promise<void>): Promise<string> {
  const socket = connect(path);
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
  // Being hung up on in the middle of a word is what should come.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  await speak(socket);
  await closed;
  return heard;
}

/** The most memory that a process has had at once. */
function peakKb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
