import { describe, expect } from 'vitest';
import {
  type Call,
  type Fleet,
  type SessionSpec,
  setKnobs,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { ask, begin, finish, readOutcome } from './asking.ts';
import { find, type RunningAgent, type Spawned, type Stage, test, until } from './running-agent.ts';
import { addSlowFleet, askAgent, readOutput, readRuns, runsEnd, updateCalls } from './runs.ts';

const BUSY = 75;

/** sandy as it was called to update this one session; null: not yet. */
function callFor(fleet: Fleet, name: string) {
  const { workspace } = find(fleet, name);
  return updateCalls(fleet).find(({ argv }) => argv.includes(workspace)) ?? null;
}

async function isAsked(fleet: Fleet, name: string): Promise<Call> {
  const call = await until(
    () => callFor(fleet, name),
    () => `the update of ${name}`,
  );
  return call as Call;
}

async function isOver({ program }: Stage, step: number): Promise<void> {
  await until(
    () => readRuns(program)[0]?.steps[step]?.endedAt ?? null,
    () => readOutput(program),
  );
}

interface Met {
  readonly fleet: Fleet;
  readonly agent: RunningAgent;
  readonly foreign: Spawned;
}

/** An update of cyd begins while the first of our two steps is at work, and goes on when that is over. */
async function meetAnother(stage: Stage): Promise<Met> {
  const fleet = await addSlowFleet(stage, [
    { name: 'asa', delays: { buildMs: 40_000 } },
    'bor',
    { name: 'cyd', build: 'hangs' },
  ]);
  const agent = await stage.startAgent();
  const keys = ['asa', 'bor'].map((name) => find(fleet, name).key);
  expect(await askAgent(stage.program, { keys })).toMatchObject({ kind: 'running' });
  await isAsked(fleet, 'asa');
  const { workspace } = find(fleet, 'cyd');
  const foreign = stage.sandy(fleet, '--update-sessions', '--yes', '--workspace', workspace);
  await isAsked(fleet, 'cyd');
  await isOver(stage, 0);
  // Time in which the second step would have begun.
  await agent.looksAgain(3);
  expect(callFor(fleet, 'bor')).toBeNull();
  return { fleet, agent, foreign };
}

/** Ends it, and gives when. */
async function end({ child, ended }: Spawned): Promise<number> {
  const at = Date.now();
  child.kill('SIGKILL');
  await ended;
  return at;
}

describe.concurrent('a second step that finds somebody else at work', () => {
  test('begins when that is over', async ({ stage }) => {
    const { fleet, agent, foreign } = await meetAnother(stage);
    const at = await end(foreign);
    const [run] = await runsEnd(stage.program);
    await agent.stop();
    expect(run?.outcome).toMatchObject({ kind: 'ok' });
    expect(callFor(fleet, 'bor')?.at).toBeGreaterThanOrEqual(at);
  });

  test('is begun by the next agent when that is over', async ({ stage }) => {
    const { fleet, agent, foreign } = await meetAnother(stage);
    await agent.stop();
    expect(readRuns(stage.program)[0]?.steps[1]).toMatchObject({ startedAt: null, endedAt: null });
    const next = await stage.startAgent();
    await next.looksAgain(3);
    expect(callFor(fleet, 'bor')).toBeNull();
    const at = await end(foreign);
    const [run] = await runsEnd(stage.program);
    await next.stop();
    expect(run?.outcome).toMatchObject({ kind: 'ok' });
    expect(callFor(fleet, 'bor')?.at).toBeGreaterThanOrEqual(at);
  });

  test('is cancelled without waiting for that', async ({ stage }) => {
    const { fleet, agent, foreign } = await meetAnother(stage);
    const asked = await ask(stage, 'update', '--cancel');
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    const [run] = await runsEnd(stage.program);
    await agent.stop();
    const [asa, bor] = [find(fleet, 'asa').key, find(fleet, 'bor').key];
    expect(run?.outcome).toMatchObject({
      kind: 'cancelled',
      restarted: [asa],
      failed: [{ key: bor, reason: 'was not tried' }],
    });
    expect(foreign.child.exitCode).toBeNull();
    await end(foreign);
    expect(callFor(fleet, 'bor')).toBeNull();
  });
});

describe.concurrent('a first step', () => {
  test('that somebody kills keeps the second from being tried', async ({ stage }) => {
    const fleet = await addSlowFleet(stage, [{ name: 'asa', build: 'hangs' }, 'bor']);
    const agent = await stage.startAgent({ watched: false });
    const update = begin(stage, 'update', 'asa', 'bor', '--yes', '--json');
    const { pid } = await isAsked(fleet, 'asa');
    await until(
      () => readRuns(stage.program)[0]?.steps[0]?.process ?? null,
      () => 'its process',
    );
    process.kill(pid, 'SIGKILL');
    const asked = await finish(update);
    await agent.stop();
    expect(asked.code).toBe(1);
    expect(readOutcome(asked)).toMatchObject({
      kind: 'failed',
      text: expect.stringContaining('SIGKILL'),
      restarted: [],
      failed: [{ key: find(fleet, 'bor').key, reason: 'was not tried' }],
    });
    expect(callFor(fleet, 'bor')).toBeNull();
  });

  /** The first one ends by itself, with code 1; the second one is at work. */
  async function failFirst(stage: Stage, bor: SessionSpec) {
    const trouble = { delayMs: 40_000, exitCode: 1, stderr: 'no space left\n' };
    const fleet = await addSlowFleet(stage, ['asa', bor], {
      commands: { '--update-sessions': trouble },
    });
    const agent = await stage.startAgent({ watched: false });
    const update = begin(stage, 'update', 'asa', 'bor', '--yes', '--json');
    await isAsked(fleet, 'asa');
    // It has read what is wrong with it already; the next one shall be well.
    setKnobs(fleet.dir, { commands: { '--update-sessions': {} } });
    await isAsked(fleet, 'bor');
    return { fleet, agent, update };
  }

  test('that fails by itself does not keep the second from being done', async ({ stage }) => {
    const { fleet, agent, update } = await failFirst(stage, { name: 'bor' });
    const asked = await finish(update);
    await agent.stop();
    expect(asked.code).toBe(1);
    expect(readOutcome(asked)).toMatchObject({
      kind: 'failed',
      text: expect.stringContaining('no space left'),
      restarted: [find(fleet, 'bor').key],
    });
    expect(callFor(fleet, 'asa')?.code).toBe(1);
    expect(callFor(fleet, 'bor')?.code).toBe(0);
  });

  test('that failed answers no retry while the second is at work', async ({ stage }) => {
    const { fleet, agent, update } = await failFirst(stage, { name: 'bor', build: 'hangs' });
    const early = await ask(stage, 'update', 'asa', '--yes');
    expect(early).toMatchObject({ code: BUSY, stdout: '' });
    // What is still to come of it can be waited for.
    const waiting = begin(stage, 'update', 'bor', '--yes', '--json');
    await until(
      () => waiting.stdout().includes('"started"'),
      () => waiting.stderr(),
    );
    expect(waiting.stdout()).toContain('"joined":true');
    expect(await ask(stage, 'update', '--cancel')).toMatchObject({ code: 0 });
    await update.ended;
    await waiting.ended;
    const late = await ask(stage, 'update', 'asa', '--yes', '--json');
    await agent.stop();
    expect(late.code).toBe(0);
    expect(readOutcome(late).restarted).toEqual([find(fleet, 'asa').key]);
  });
});

describe.concurrent('an update that only waits for a session to come back', () => {
  test('tells whoever asks that it is busy, long before they give up', async ({ stage }) => {
    await addSlowFleet(stage, [{ name: 'asa', start: 'claimed' }, 'bor']);
    // A minute until it is late.
    stage.scale(10);
    const agent = await stage.startAgent({ watched: false });
    const update = begin(stage, 'update', 'asa', '--yes', '--json');
    await isOver(stage, 0);
    expect(await ask(stage, 'stop', 'bor')).toMatchObject({ code: BUSY, stdout: '' });
    update.child.kill('SIGKILL');
    await update.ended;
    await agent.stop();
    expect(readRuns(stage.program)).toMatchObject([{ op: 'update', endedAt: null }]);
  });
});
