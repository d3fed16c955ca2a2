import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import {
  type Fleet,
  livePids,
  lockOf,
  readEvents,
  sessionsOf,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { type Stage, stateOf, test, until } from './running-agent.ts';
import {
  addSlowFleet,
  askAgent,
  expectDoneOnce,
  readOutput,
  runsEnd,
  updateCalls,
} from './runs.ts';

const supervised = ['asa', 'bor', 'cyd'].map((name) => ({ name, supervisor: true }));

/** Every session's own process lives, in a group that is not the one that was signalled. */
function expectSupervised(fleet: Fleet, group: number): void {
  const alive = livePids(fleet.dir);
  for (const { key, supervisorPid } of sessionsOf(fleet.dir)) {
    const pid = supervisorPid ?? 0;
    expect(alive, key).toContain(pid);
    expect(lockOf(fleet.dir, key), key).toEqual({ held: true, pid: String(pid), alive: true });
    expect(groupOf(pid), key).not.toBe(group);
  }
}

function groupOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

/** A look of another process, later, shows all of them running. */
async function expectListed({ program }: Stage, fleet: Fleet): Promise<void> {
  const { stdout, stderr } = await program.run(['status', '--json']);
  expect(stderr).toBe('');
  const status = JSON.parse(stdout);
  for (const session of fleet.sessions) expect(stateOf(status, session)).toBe('detached');
  expect(status.failures).toEqual([]);
}

const endings = ({ dir }: Fleet) =>
  readEvents(dir).filter(({ why }) => why === 'inner-ended' || why === 'container-gone').length;

describe.concurrent('TERM to the whole process group of the agent', () => {
  test('after an update leaves every restarted session running', async ({ stage }) => {
    const fleet = await addSlowFleet(stage, supervised);
    const agent = await stage.startAgent({ watched: false, ownGroup: true });
    await askAgent(stage.program);
    await runsEnd(stage.program);
    const ended = endings(fleet);
    process.kill(-agent.pid, 'SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    expectSupervised(fleet, agent.pid);
    await expectListed(stage, fleet);
    expectSupervised(fleet, agent.pid);
    expect(endings(fleet)).toBe(ended);
    await expectDoneOnce(
      stage,
      fleet,
      fleet.sessions.map(({ key }) => key),
    );
  });

  test.for([
    ['building', /Refreshing images/],
    ['one is restarted', /Restarting /],
    ['the last one is restarted', /(Restarting [\s\S]*){3}/],
  ] as const)('while %s lets the update go on', async ([, words], { stage }) => {
    const fleet = await addSlowFleet(stage, supervised);
    const agent = await stage.startAgent({ watched: false, ownGroup: true });
    await askAgent(stage.program);
    await until(
      () => words.test(readOutput(stage.program)),
      () => readOutput(stage.program),
    );
    process.kill(-agent.pid, 'SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    const [call] = updateCalls(fleet);
    expect(call).toMatchObject({ pgid: call?.pid, sid: call?.pid });
    await until(
      () => updateCalls(fleet)[0]?.exitedAt != null,
      () => readOutput(stage.program),
    );
    expect(updateCalls(fleet)[0]?.code, readOutput(stage.program)).toBe(0);
    expectSupervised(fleet, agent.pid);
    const next = await stage.startAgent({ watched: false });
    await runsEnd(stage.program);
    await next.stop();
    await expectListed(stage, fleet);
    expectSupervised(fleet, agent.pid);
    await expectDoneOnce(
      stage,
      fleet,
      fleet.sessions.map(({ key }) => key),
    );
  });

  test.for(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    'that an update on a terminal is: %s lets the update go on',
    async (signal, { stage }) => {
      const fleet = await addSlowFleet(stage, supervised);
      const update = stage.start(['update', '--all', '--yes'], { ownGroup: true });
      await until(
        () => /Restarting /.test(readOutput(stage.program)),
        () => `${update.stdout()}${update.stderr()}`,
      );
      process.kill(-update.pid, signal);
      await update.ended;
      const next = await stage.startAgent({ watched: false });
      await runsEnd(stage.program);
      await next.stop();
      await expectListed(stage, fleet);
      expectSupervised(fleet, update.pid);
      await expectDoneOnce(
        stage,
        fleet,
        fleet.sessions.map(({ key }) => key),
      );
    },
  );
});
