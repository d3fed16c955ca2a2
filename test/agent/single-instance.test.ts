import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Program } from '../program.ts';
import { isWatching, readRecords, test, until } from './agent-process.ts';
import { updateSession } from './night.ts';

const fast = { SANDY_TRAY_TIME_SCALE: '1000' };

describe.concurrent('one agent a folder', () => {
  test('of twenty that start at once, one stays and is named by the others', async ({
    program,
    startAgent,
  }) => {
    await program.addFleet({ sessions: [{ name: 'asa' }] });
    const agents = Array.from({ length: 20 }, () => startAgent());
    const ended = new Set<number>();
    for (const { pid, ended: end } of agents) void end.then(() => ended.add(pid));
    await until(() => ended.size === 19 && agents.some(isWatching));
    const [first] = agents.filter(({ pid }) => !ended.has(pid));
    const others = await Promise.all(
      agents.filter((agent) => agent !== first).map((agent) => agent.ended),
    );
    expect(others).toEqual(
      Array.from({ length: 19 }, () => ({
        code: 0,
        signal: null,
        stdout: `An agent is already running (pid ${first?.pid}).\n`,
        stderr: '',
      })),
    );
    expect(await agentPid(program)).toBe(first?.pid);
    expect(readRecords(program).filter(({ kind }) => kind === 'agent-started')).toHaveLength(1);
    expect(await first?.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(program.ownFolder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('whose socket a killed one left behind, with a client still on it', async ({
    program,
    startAgent,
  }) => {
    await program.addFleet();
    const first = startAgent();
    await until(() => isWatching(first));
    const watcher = program.run(['status', '--watch']);
    const asked = await program.run(['status', '--json']);
    expect(JSON.parse(asked.stdout).agent.pid).toBe(first.pid);
    await first.kill();
    expect(existsSync(join(program.ownFolder, 'agent.sock'))).toBe(true);
    expect(await watcher).toMatchObject({ code: 69 });
    const second = startAgent();
    await until(() => isWatching(second));
    expect(await agentPid(program)).toBe(second.pid);
    expect(await second.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(program.ownFolder, 'agent.sock'))).toBe(false);
  });

  test('and none where its lock names a process that came later under its number', async ({
    program,
    startAgent,
  }) => {
    await program.addFleet();
    const first = startAgent();
    await until(() => isWatching(first));
    await first.kill();
    const lock = join(program.ownFolder, 'agent.1');
    const { holder, info } = JSON.parse(readFileSync(lock, 'utf8'));
    // This very process lives, and began at another time than the holder.
    writeFileSync(lock, JSON.stringify({ holder: { ...holder, pid: process.pid }, info }));
    const second = startAgent();
    await until(() => isWatching(second));
    expect(await second.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  test('a command that can be none says why, and only that', async ({ program }) => {
    await program.addFleet({ sessions: [{ key: 'asa-1' }] });
    const ownFolder = join(program.folder, 'd'.repeat(120));
    const path = join(ownFolder, 'agent.sock');
    for (const args of [
      ['update', '--all', '--yes'],
      ['start', 'asa-1'],
    ]) {
      expect(await program.run(args, { ...fast, SANDY_TRAY_DIR: ownFolder })).toMatchObject({
        code: 69,
        stdout: '',
        stderr: `The path of the agent's socket is too long (${path.length} bytes, at most 107): ${path}. Set SANDY_TRAY_DIR to a shorter path.\n`,
      });
    }
  });

  test('goes on without a socket where its path is too long, and says so in a sentence', async ({
    program,
    startAgent,
  }) => {
    const { dir } = await program.addFleet({ sessions: [{ key: 'asa-1' }] });
    const ownFolder = join(program.folder, 'd'.repeat(120));
    const variables = { ...fast, SANDY_TRAY_DIR: ownFolder };
    const agent = startAgent({ variables });
    const there = { ...program, ownFolder };
    await until(() => readRecords(there).some(({ kind }) => kind === 'baseline'));
    updateSession(dir, 'asa-1');
    await until(() => agent.output.stdout.includes('Rolling restart complete'));
    const path = join(ownFolder, 'agent.sock');
    expect(agent.output.stderr).toBe(
      `The path of the agent's socket is too long (${path.length} bytes, at most 107): ${path}. Set SANDY_TRAY_DIR to a shorter path.\n`,
    );
    expect(await program.run(['run'], variables)).toMatchObject({
      code: 0,
      stdout: `An agent is already running (pid ${agent.pid}).\n`,
    });
    const { code, stdout } = await program.run(['status', '--json'], variables);
    expect({ code, agent: JSON.parse(stdout).agent }).toEqual({ code: 0, agent: null });
    expect(await agent.stop()).toMatchObject({ code: 0 });
    expect(readdirSync(program.folder).sort()).toEqual(['d'.repeat(120), 'fleet', 'home', 'shell']);
  });

  test('says in a sentence that something else is in the place of its socket', async ({
    program,
    startAgent,
  }) => {
    await program.addFleet();
    const path = join(program.ownFolder, 'agent.sock');
    mkdirSync(program.ownFolder);
    writeFileSync(path, 'mine');
    const agent = startAgent();
    await until(() => isWatching(agent));
    expect(await agent.stop()).toMatchObject({
      code: 0,
      stderr: `${path} is not a socket, so this program did not make it. Move it away.\n`,
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });
});

async function agentPid(program: Program): Promise<number> {
  const { stdout } = await program.run(['status', '--json']);
  return JSON.parse(stdout).agent?.pid;
}
