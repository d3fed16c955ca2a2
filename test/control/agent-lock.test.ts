import { readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { claimAgent } from '../../src/control/agent-lock.ts';
import { connectToAgent } from '../../src/control/client.ts';
import { nameSocket } from '../../src/control/socket-path.ts';
import { bundleScript, type Script, startScript } from '../node-script.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

describe('claiming a state folder', () => {
  let agent = '';
  beforeAll(async () => {
    const bundle = await bundleScript(join(import.meta.dirname, 'agent-script.ts'));
    agent = bundle.file;
    return bundle.remove;
  });

  async function start(folder: string, ...more: readonly string[]): Promise<Script> {
    const script = startScript(agent, [folder, ...more]);
    expect(await script.hear()).toBe('ready');
    return script;
  }

  it('gives it to one of twenty, and tells the others who that is', async () => {
    const folder = makeScratchFolder();
    const agents = await Promise.all(Array.from({ length: 20 }, () => start(folder)));
    for (const script of agents) script.tell('go');
    const outcomes = await Promise.all(
      agents.map(async (script) => ({ pid: script.pid, outcome: await script.hear() })),
    );
    const claimed = outcomes.filter(({ outcome }) => (outcome as Claim).kind === 'claimed');
    expect(claimed).toHaveLength(1);
    const others = outcomes.filter((entry) => entry !== claimed[0]);
    expect(others.map(({ outcome }) => outcome)).toEqual(
      others.map(() => ({ kind: 'already-running', pid: claimed[0]?.pid, passing: false })),
    );
  });

  it('gives it to the next one after kill -9, whose socket then takes the dead one’s place', async () => {
    const folder = makeScratchFolder();
    for (let life = 1; life <= 3; life += 1) {
      const script = await start(folder, 'listen');
      script.tell('go');
      expect(await script.hear()).toEqual({ kind: 'claimed' });
      expect(await script.hear()).toEqual({ kind: 'listening' });
      const found = await connectToAgent(options(folder));
      expect(found).toMatchObject({ kind: 'connected', hello: { pid: script.pid } });
      if (found.kind === 'connected') found.close();
      expect(await claimAgent(folder, { version: '1', passing: false })).toEqual({
        kind: 'already-running',
        pid: script.pid,
        passing: false,
      });
      script.child.kill('SIGKILL');
      expect(await script.ended).toBe('SIGKILL');
      expect(statSync(nameSocket(folder)).isSocket()).toBe(true);
      expect(await connectToAgent(options(folder))).toEqual({ kind: 'absent' });
      expect(readdirSync(folder).sort()).toEqual([`agent.${life}`, 'agent.sock']);
    }
  });

  it('leaves it to an agent that answers although its lock file is gone', async () => {
    const folder = makeScratchFolder();
    const script = await start(folder, 'listen');
    script.tell('go');
    await script.hear();
    await script.hear();
    rmSync(join(folder, 'agent.1'));
    const already = { kind: 'already-running', pid: script.pid, passing: false };
    expect(await claimAgent(folder, { version: '1', passing: false })).toEqual(already);
    // The lock that was taken for the look has been given back.
    expect(await claimAgent(folder, { version: '1', passing: false })).toEqual(already);
    script.child.kill('SIGKILL');
    await script.ended;
    const claim = await claimAgent(folder, { version: '1', passing: false });
    expect(claim.kind).toBe('claimed');
    if (claim.kind === 'claimed') await claim.release();
  });

  it('leaves it to whatever else answers on the socket', async () => {
    const folder = makeScratchFolder();
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(nameSocket(folder), resolve));
    onTestFinished(() => {
      server.close();
    });
    expect(await claimAgent(folder, { version: '1', passing: false })).toEqual({
      kind: 'already-running',
      pid: null,
      passing: false,
    });
  });
});

interface Claim {
  readonly kind: string;
}

function options(folder: string) {
  return { socketPath: nameSocket(folder), role: 'status', timeoutMs: 10_000 };
}
