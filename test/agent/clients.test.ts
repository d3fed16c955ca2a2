import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { readCalls, setSession } from '../../fixtures/fake-sandy/fleet.mjs';
import { expectFine, find, test, until } from './running-agent.ts';

describe.concurrent('status', () => {
  test('through the agent costs no call of sandy', async ({ stage }) => {
    const { program } = stage;
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const agent = await stage.startAgent();
    await agent.sees(({ poll }) => poll.reason === 'idle', 'nothing to do');
    const calls = readCalls(fleet.dir).length;
    const [json, table] = await Promise.all([
      program.run(['status', '--json']),
      program.run(['status']),
    ]);
    expectFine(json);
    expectFine(table);
    expect(JSON.parse(json.stdout)).toEqual(agent.newest());
    expect(JSON.parse(json.stdout).agent).toMatchObject({
      pid: agent.pid,
      tray: 'off',
      troubles: [],
    });
    for (const { key } of fleet.sessions) expect(table.stdout).toContain(key);
    expect(readCalls(fleet.dir)).toHaveLength(calls);
    await agent.stop();
  });

  test('--watch shows each change and says when the agent is gone', async ({ stage }) => {
    stage.scale(20);
    stage.configure({ pollFullSeconds: 60 });
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    const table = stage.start(['status', '--watch']);
    await agent.seesState(alpha, 'detached');
    setSession(fleet.dir, alpha.record, { clients: 1 });
    const { sessions } = await agent.seesState(alpha, 'running');
    expect(sessions[0]?.attachedClients).toBe(1);
    await until(
      () => table.stdout().includes('running'),
      () => table.stdout(),
    );
    const leaver = stage.start(['status', '--watch', '--json']);
    await until(
      () => leaver.stdout().includes('\n'),
      () => 'a snapshot',
    );
    leaver.child.kill('SIGINT');
    expect(await leaver.ended).toEqual({ code: 0, signal: null });
    expect(leaver.stderr()).toBe('');
    await agent.stop();
    expect(await table.ended).toEqual({ code: 69, signal: null });
    expect(table.stderr()).toBe('The agent is gone. Start it again with: sandy-tray run\n');
    const late = await stage.program.run(['status', '--watch']);
    expect(late).toMatchObject({
      code: 69,
      stdout: '',
      stderr: 'No agent is running. Start one with: sandy-tray run\n',
    });
  });

  test('goes on alone beside an agent that hangs', async ({ stage }) => {
    const { program } = stage;
    const fleet = await stage.addFleet(['alpha']);
    const agent = await stage.startAgent();
    await agent.sees(({ poll }) => poll.reason === 'idle', 'nothing to do');
    const calls = readCalls(fleet.dir).length;
    agent.signal('SIGSTOP');
    const [status, again, ack] = await Promise.all([
      program.run(['status', '--json']),
      program.run(['run']),
      program.run(['ack', '--all']),
    ]);
    expect(status).toMatchObject({ code: 0, stderr: expect.stringContaining('does not answer') });
    expect(JSON.parse(status.stdout)).toMatchObject({
      agent: null,
      sessions: [{ imageStale: true }],
    });
    expect(readCalls(fleet.dir).length).toBeGreaterThan(calls);
    expect(again).toEqual({
      code: 0,
      signal: null,
      stdout: `An agent is already running (pid ${agent.pid}).\n`,
      stderr: '',
    });
    expect(ack.code).toBe(1);
    expect(ack.stderr).toContain('does not answer');
    agent.signal('SIGCONT');
    await agent.stop();
  });
});

describe.concurrent('ack', () => {
  test('without an agent claims to know no session that it does not', async ({ stage }) => {
    const fleet = await stage.addFleet(['alpha']);
    const { key } = find(fleet, 'alpha');
    expect((await stage.program.run(['status'])).stdout).toContain(key);
    expect(await stage.program.run(['ack', key])).toMatchObject({
      code: 0,
      stdout: 'Nothing waits to be acknowledged.\n',
      stderr: '',
    });
  });

  test('takes failures down by key, prefix, path or all, with an agent and without', async ({
    stage,
  }) => {
    stage.scale(20);
    const { program } = stage;
    const names = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
    // The last start, of alpha, never ends: the update lives until all are seen to be gone.
    const fleet = await stage.addFleet(
      names.map((name) =>
        name === 'alpha'
          ? { name, delays: { proxyMs: 3_600_000 } }
          : { name, start: 'refused' as const },
      ),
    );
    const first = await stage.startAgent();
    await stage.logs('baseline');
    stage.sandy(fleet, '--update-sessions', '--yes');
    await first.sees(({ failures }) => failures.length === 5, 'five failures');
    expect((await program.run(['status'])).code).toBe(3);
    const [alpha, bravo, charlie, delta] = names.map((name) => find(fleet, name));

    const acknowledge = async (...args: string[]) => {
      const ran = await program.run(['ack', ...args]);
      expectFine(ran);
      return ran.stdout;
    };
    expect(await acknowledge(alpha?.key ?? '')).toBe(`Acknowledged: ${alpha?.key}.\n`);
    expect(await acknowledge(bravo?.workspace ?? '')).toBe(`Acknowledged: ${bravo?.key}.\n`);
    expect(await acknowledge('bra')).toBe('Nothing waits to be acknowledged.\n');
    expect(await program.run(['ack', 'nobody'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no session "nobody".'),
    });
    await first.sees(({ failures }) => failures.length === 3, 'three failures');
    await first.stop();

    expect(await acknowledge('cha')).toBe(`Acknowledged: ${charlie?.key}.\n`);
    const second = await stage.startAgent();
    await second.sees(({ failures }) => failures.length === 2, 'two failures');
    await second.stop();
    expect(await acknowledge(delta?.workspace ?? '')).toBe(`Acknowledged: ${delta?.key}.\n`);
    expect(await acknowledge('--all')).toMatch(/^Acknowledged: echo-\w+\.\n$/);
    expect(await acknowledge('--all')).toBe('Nothing waits to be acknowledged.\n');
    const third = await stage.startAgent();
    await third.sees(({ poll }) => poll.reason === 'overdue' || poll.reason === 'idle', 'a look');
    expect(third.newest().failures).toEqual([]);
    const notices = await stage.noticesAtEnd(third);
    expect(notices.toSorted()).toEqual(names.map((name) => `late ${name}`));
  });
});

describe.concurrent('an agent that is asked to end', () => {
  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s does so', async (signal, { stage }) => {
    const { program } = stage;
    await stage.addFleet(['alpha']);
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    agent.signal(signal);
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    expect(agent.stderr()).toBe('');
    expect(existsSync(join(program.ownFolder, 'agent.sock'))).toBe(false);
    const log = await stage.readLog();
    expect(log.at(-1)).toMatchObject({
      kind: 'agent-stopped',
      notice: false,
      text: `The agent stopped (pid ${agent.pid}).`,
    });
    const plain = await program.run(['log']);
    expectFine(plain);
    expect(plain.stdout.trimEnd().split('\n')).toHaveLength(log.length);
  });

  test('at once, before its first look has ended, ends too', async ({ stage }) => {
    const fleet = await stage.addFleet(['alpha'], {
      commands: { '--print-state': { output: 'hang' } },
    });
    const agent = await stage.startAgent({ watched: false });
    await until(
      () => readCalls(fleet.dir).some(({ argv }) => argv[0] === '--print-state'),
      () => 'a look',
    );
    await agent.stop();
    expect((await stage.readLog()).map(({ kind }) => kind)).toEqual([
      'agent-started',
      'agent-stopped',
    ]);
  });
});
