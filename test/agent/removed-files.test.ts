import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Fleet, NO_DELAYS } from '../../fixtures/fake-sandy/fleet.mjs';
import type { Program } from '../program.ts';
import { type AgentProcess, isWatching, readSaved, test, until } from './agent-process.ts';
import { updateSession } from './night.ts';

const variables = { SANDY_TRAY_TIME_SCALE: '300' };

async function addFleet(program: Program): Promise<Fleet> {
  const fleet = await program.addFleet({
    delays: NO_DELAYS,
    sessions: [{ key: 'asa-1', workspace: '/nowhere/asa' }],
  });
  Object.assign(program.environment, { PATH: `${fleet.dockerFolder}:/usr/bin:/bin` });
  return fleet;
}

function summaries({ output }: AgentProcess): number {
  return output.stdout.match(/Rolling restart complete/g)?.length ?? 0;
}

async function askAgent(program: Program) {
  const { stdout } = await program.run(['status', '--json'], variables);
  return JSON.parse(stdout).agent;
}

const isBaselined = (program: Program) => readSaved(program)?.baselined === true;

describe.concurrent('an agent whose folder is removed', () => {
  test('makes it anew, is found there, and tells what comes', async ({ program, startAgent }) => {
    const { dir } = await addFleet(program);
    const agent = startAgent({ variables });
    await until(() => isWatching(agent) && isBaselined(program));
    // The agent may be writing into it.
    rmSync(program.ownFolder, { recursive: true, maxRetries: 20, retryDelay: 10 });
    await until(() =>
      ['agent.sock', 'agent.1', 'state.json'].every((name) =>
        existsSync(join(program.ownFolder, name)),
      ),
    );
    expect(await askAgent(program)).toMatchObject({ pid: agent.pid, troubles: [] });
    expect(await program.run(['run'], variables)).toMatchObject({
      code: 0,
      stdout: `An agent is already running (pid ${agent.pid}).\n`,
    });
    expect(statSync(program.ownFolder).mode & 0o777).toBe(0o700);
    updateSession(dir, 'asa-1');
    await until(() => summaries(agent) === 1);
    expect(await agent.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(summaries(agent)).toBe(1);
  });

  test('makes way for an agent that came first', async ({ program, startAgent }) => {
    await addFleet(program);
    const first = startAgent({ variables });
    await until(() => isWatching(first) && isBaselined(program));
    // It must not see that its folder is gone before the second one has come.
    process.kill(first.pid, 'SIGSTOP');
    // The agent may be writing into it.
    rmSync(program.ownFolder, { recursive: true, maxRetries: 20, retryDelay: 10 });
    const second = startAgent({ variables });
    await until(() => isWatching(second));
    process.kill(first.pid, 'SIGCONT');
    expect(await first.ended).toMatchObject({
      code: 0,
      stderr: `Another agent (pid ${second.pid}) has the state folder now, which was removed meanwhile; this one ends.\n`,
    });
    // Its end took the socket with it, which the other one makes again.
    await until(() => existsSync(join(program.ownFolder, 'agent.sock')));
    expect((await askAgent(program)).pid).toBe(second.pid);
    expect(await second.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});

/** A folder in the place of a file can't be written over, nor read. */
describe.concurrent('an agent that finds a folder in the place of', () => {
  const names = ['config.json', 'ledger.json', 'state.json', 'log.jsonl'] as const;

  test.for(names)(
    '%s when it starts goes on and says so once',
    async (name, { program, startAgent }) => {
      const { dir } = await addFleet(program);
      const path = join(program.ownFolder, name);
      mkdirSync(path, { recursive: true });
      const agent = startAgent({ variables });
      await until(() => isWatching(agent) && isBaselined(program));
      updateSession(dir, 'asa-1');
      await until(() => summaries(agent) === 1);
      const { code, stderr } = await agent.stop();
      expect(code).toBe(0);
      const said = stderr.trimEnd().split('\n');
      expect(said).toHaveLength(1);
      expect(said[0]).toContain(name === 'log.jsonl' ? "The log can't be written (EISDIR)" : path);
      // What was there is kept: where it was, or beside it.
      const kept = ['config.json', 'log.jsonl'].includes(name) ? path : `${path}.bad`;
      expect(statSync(kept).isDirectory()).toBe(true);
    },
  );

  test.for(names)(
    '%s while it runs goes on and says so once',
    async (name, { program, startAgent }) => {
      const { dir } = await addFleet(program);
      const agent = startAgent({ variables });
      await until(() => isWatching(agent) && isBaselined(program));
      updateSession(dir, 'asa-1');
      await until(() => summaries(agent) === 1);
      const path = join(program.ownFolder, name);
      if (!existsSync(path)) writeFileSync(path, '{}');
      renameSync(path, `${path}.before`);
      mkdirSync(path);
      updateSession(dir, 'asa-1');
      await until(() => summaries(agent) === 2);
      // A state is kept elsewhere and made anew; what is never taken away lasts. A save that fell between
      // the two steps may still be said to have failed when the notice is already there.
      const lasting = ['ledger.json', 'log.jsonl'].includes(name) ? 1 : 0;
      while ((await askAgent(program)).troubles.length !== lasting);
      const { code, stderr } = await agent.stop();
      expect(code).toBe(0);
      const said = stderr.split('\n').filter(Boolean);
      expect(new Set(said).size).toBe(said.length);
      // A save may fall between the two steps that put the folder there, and is then said to have failed.
      expect(said.length, stderr).toBeLessThanOrEqual(name === 'state.json' ? 2 : 1);
      expect(said.at(-1)).toContain(
        ['ledger.json', 'log.jsonl'].includes(name) ? "can't be written (EISDIR)" : path,
      );
    },
  );
});
