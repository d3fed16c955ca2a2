import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { sessionOf } from '../../fixtures/fake-sandy/fleet.mjs';
import type { Ask } from '../../src/agent/asks.ts';
import type { AskAnswer } from '../../src/agent/operator.ts';
import { connectToAgent } from '../../src/control/client.ts';
import type { AgentConnection } from '../../src/control/conversation.ts';
import { nameSocket } from '../../src/control/socket-path.ts';
import type { RunOutcome } from '../../src/store/run-record.ts';
import { changingCalls } from './asking.ts';
import { find, test, until } from './running-agent.ts';

const LIMIT_MS = 120_000;
const CYCLES = 50;

async function request(agent: AgentConnection, name: string, body: unknown): Promise<unknown> {
  const outcome = await agent.request(name, body, LIMIT_MS);
  if (outcome.kind !== 'answered' || !outcome.ok) throw new Error(JSON.stringify(outcome));
  return outcome.body;
}

/** Asks for something that is then done; gives its id. */
async function ask(agent: AgentConnection, op: Ask['op'], key: string): Promise<string> {
  const body = { op, keys: [key], idleForMinutes: null, rebuild: false };
  const by = { origin: 'menu', onTerminal: false };
  const answer = (await request(agent, 'ask', { ...body, ...by })) as AskAnswer;
  if (answer.kind !== 'running') throw new Error(JSON.stringify(answer));
  return answer.id;
}

async function kindOf(agent: AgentConnection, id: string): Promise<RunOutcome['kind']> {
  return ((await request(agent, 'await', { id })) as RunOutcome).kind;
}

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

function childrenOf(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.trim() !== '').length;
}

test.runIf(process.platform === 'linux')(
  'fifty starts, stops and cancellations leave nothing behind in the agent',
  { timeout: 400_000 },
  async ({ stage }) => {
    stage.scale(300);
    const fleet = await stage.addFleet([
      { name: 'alpha', lockPid: process.pid },
      { name: 'bravo', build: 'hangs' },
    ]);
    const [alpha, bravo] = [find(fleet, 'alpha'), find(fleet, 'bravo')];
    const { pid } = await stage.startAgent();
    const { ownFolder } = stage.program;
    const agent = await connectToAgent({
      socketPath: nameSocket(ownFolder),
      role: 'test',
      timeoutMs: LIMIT_MS,
    });
    if (agent.kind !== 'connected') throw new Error(agent.kind);
    onTestFinished(() => agent.close());
    expect(await kindOf(agent, await ask(agent, 'stop', alpha.key))).toBe('ok');

    let before = -1;
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const start = await ask(agent, 'start', alpha.key);
      // Every second start is called off while it is under way.
      const early = cycle % 2 === 0 ? await ask(agent, 'stop', alpha.key) : null;
      expect(await kindOf(agent, start)).toBe(early === null ? 'ok' : 'cancelled');
      expect(await kindOf(agent, early ?? (await ask(agent, 'stop', alpha.key)))).toBe('ok');
      if (cycle % 5 === 0) {
        const update = await ask(agent, 'update', bravo.key);
        expect(await request(agent, 'cancel', null)).toEqual({ kind: 'cancelled' });
        expect(await kindOf(agent, update)).toBe('cancelled');
      }
      if (cycle === 10) {
        await until(
          () => childrenOf(pid) === 0,
          () => 'an agent without children',
        );
        before = openFiles(pid);
      }
    }
    await until(
      () => childrenOf(pid) === 0 && openFiles(pid) <= before,
      () =>
        `no more than ${before} open files; there are ${openFiles(pid)}, and ${childrenOf(pid)} children`,
    );
    expect(sessionOf(fleet.dir, alpha.record)?.container).toBeNull();
    expect(sessionOf(fleet.dir, bravo.record)?.container?.id).toBe(bravo.container?.id);
    const asked = changingCalls(fleet).map(({ argv }) => argv[0]);
    expect(asked.filter((verb) => verb === '--start')).toHaveLength(CYCLES);
    expect(asked.filter((verb) => verb === '--stop')).toHaveLength(CYCLES + 1);
    await until(
      () => readdirSync(join(ownFolder, 'runs')).length === 50,
      () => `fifty run folders, not ${readdirSync(join(ownFolder, 'runs')).length}`,
    );
    expect(readdirSync(join(ownFolder, 'stops'))).toHaveLength(1);
  },
);
