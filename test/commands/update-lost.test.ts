import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import { nameSocket } from '../../src/control/socket-path.ts';
import { begin, finish, isCalled, killAgent } from '../agent/asking.ts';
import { test } from '../agent/running-agent.ts';

/** Takes a dead agent's place and never says a word. */
async function listenSilently(socketPath: string): Promise<void> {
  const peers = new Set<Socket>();
  const server = createServer((socket) => {
    peers.add(socket.on('error', () => {}));
  });
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const peer of peers) peer.destroy();
    server.close();
  });
}

describe.concurrent('with an agent that is gone and something silent in its place', () => {
  test('an update says so once, and gives up in the end', async ({ stage }) => {
    stage.scale(10);
    const fleet = await stage.addFleet([{ name: 'alpha', build: 'hangs' }]);
    const agent = await stage.startAgent();
    const update = begin(stage, 'update', '--all', '--yes');
    await isCalled(fleet, '--update-sessions');
    agent.signal('SIGSTOP');
    await listenSilently(nameSocket(stage.program.ownFolder));
    await killAgent(agent);
    const { code, stdout, stderr } = await finish(update);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nWhat it came to is not known\. See: sandy-tray status\n$/);
    expect(stderr).toBe(
      'An agent runs that does not answer, or is of another version, and nothing may start beside it. Restart it as sandy-tray doctor says, then try again.\n',
    );
  });
});
