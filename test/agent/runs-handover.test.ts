import { describe, expect } from 'vitest';
import { type Stage, test, until } from './running-agent.ts';
import {
  addSlowFleet,
  expectDoneOnce,
  expectRestartedOnce,
  readOutput,
  readRuns,
  runsEnd,
  slotIsFree,
  updateCalls,
} from './runs.ts';

/** When the lasting agent is started: what the command has printed, or nothing that it waits for. */
const moments: readonly (readonly [string, RegExp])[] = [
  ['as soon as it is on disk', /^/],
  ['while images are built', /Refreshing images/],
  ['while the first is restarted', /Restarting /],
  ['while the last is restarted', /(Restarting [\s\S]*){2}/],
  ['when all are restarted', /Summary/],
];

async function reaches({ program }: Stage, words: RegExp, say: () => string): Promise<void> {
  await until(
    () => readRuns(program).length > 0 && words.test(readOutput(program)),
    () => say(),
  );
}

describe.concurrent('an agent that is started while an update on a terminal is its own', () => {
  test.for(moments)('%s: takes over', async ([, words], { stage }) => {
    const fleet = await addSlowFleet(stage, ['asa', 'bor']);
    const keys = fleet.sessions.map(({ key }) => key);
    const update = stage.start(['update', '--all', '--yes']);
    await reaches(stage, words, () => `${update.stdout()}${update.stderr()}`);
    const agent = await stage.startAgent();
    expect({ ...(await update.ended), stderr: update.stderr() }).toEqual({
      code: 0,
      signal: null,
      stderr: '',
    });
    expect(update.stdout()).toMatch(/2 restarted, 0 failed/);
    const [run] = await runsEnd(stage.program);
    await slotIsFree(stage.program);
    // It watches on, as the one agent that there is.
    await agent.sees(({ lastRun }) => lastRun?.id === run?.id, 'the run that is over');
    expect(agent.newest().agent).toMatchObject({ pid: agent.pid });
    await agent.stop();
    await expectDoneOnce(stage, fleet, keys);
  });

  test('waits for as long as it takes to make room, and says so once', async ({ stage }) => {
    await addSlowFleet(stage, [{ name: 'asa', build: 'hangs' }]);
    const update = stage.start(['update', '--all', '--yes']);
    await reaches(stage, /Refreshing/, () => `${update.stdout()}${update.stderr()}`);
    // It can answer nothing.
    update.child.kill('SIGSTOP');
    const agent = stage.start(['run']);
    const words = `Another sandy-tray command (pid ${update.pid}) is the agent for as long as it lasts; waiting for it to make room.\n`;
    await until(
      () => agent.stderr() === words,
      () => `the reason to wait: ${agent.stdout()}${agent.stderr()}`,
    );
    update.child.kill('SIGCONT');
    await until(
      () => agent.stdout().startsWith(`Watching (pid ${agent.pid}).`),
      () => `the agent: ${agent.stdout()}${agent.stderr()}`,
    );
    expect(agent.stderr()).toBe(words);
    expect(await stage.program.run(['update', '--cancel'])).toMatchObject({ code: 0, stderr: '' });
    expect(await update.ended).toEqual({ code: 1, signal: null });
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
  });

  test('need not wait for its end', async ({ stage }) => {
    const fleet = await addSlowFleet(stage, [{ name: 'asa', build: 'hangs' }]);
    const update = stage.start(['update', '--all', '--yes']);
    await reaches(stage, /Refreshing/, () => `${update.stdout()}${update.stderr()}`);
    const agent = await stage.startAgent({ watched: false });
    expect(updateCalls(fleet)).toMatchObject([{ exitedAt: null }]);
    expect(update.child.exitCode).toBe(null);
    expect(await stage.program.run(['update', '--cancel'])).toMatchObject({ code: 0, stderr: '' });
    expect(await update.ended).toEqual({ code: 1, signal: null });
    expect(update.stdout()).toMatch(/Cancelled; 0 restarted before/);
    await agent.stop();
    expect(readRuns(stage.program)[0]?.outcome?.kind).toBe('cancelled');
    expectRestartedOnce(fleet, []);
  });

  test('answers those who joined it too', async ({ stage }) => {
    const fleet = await addSlowFleet(stage, ['asa', 'bor']);
    const update = stage.start(['update', '--all', '--yes', '--json']);
    await reaches(stage, /Refreshing/, () => `${update.stdout()}${update.stderr()}`);
    const joiner = stage.start(['update', 'asa', '--yes', '--json']);
    await until(
      () => joiner.stdout().includes('"started"'),
      () => `${joiner.stdout()}${joiner.stderr()}`,
    );
    const agent = await stage.startAgent({ watched: false });
    const outcomes = [];
    for (const command of [update, joiner]) {
      expect({ ...(await command.ended), stderr: command.stderr() }).toEqual({
        code: 0,
        signal: null,
        stderr: '',
      });
      outcomes.push(JSON.parse(command.stdout().trimEnd().split('\n').at(-1) ?? ''));
    }
    expect(outcomes[0]).toMatchObject({ event: 'done', outcome: { kind: 'ok' } });
    expect(outcomes[1]).toEqual(outcomes[0]);
    await agent.stop();
    await expectDoneOnce(
      stage,
      fleet,
      fleet.sessions.map(({ key }) => key),
    );
  });
});
