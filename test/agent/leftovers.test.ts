import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Fleet } from '../../fixtures/fake-sandy/fleet.mjs';
import { ask, begin, finish, killAgent, readStatus } from './asking.ts';
import { find, type RunningAgent, type Stage, test, until } from './running-agent.ts';
import {
  addSlowFleet,
  askAgent,
  expectRestartedOnce,
  readOutput,
  readRuns,
  runsEnd,
  slotIsFree,
  updateCalls,
  updatesEnd,
} from './runs.ts';

const BUSY = 75;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Time enough to kill whoever waits, long before the first step is over. */
const slow = { name: 'asa', delays: { buildMs: 40_000 } };
/** Its step is over only when somebody ends it. */
const endless = { name: 'asa', build: 'hangs' } as const;

async function builds({ program }: Stage, name = 'asa'): Promise<void> {
  await until(
    () => readOutput(program).includes(`Refreshing images for ${name}`),
    () => readOutput(program),
  );
}

/** Two steps asked of an agent that is killed while the first one builds. */
async function leaveBuilding(stage: Stage, fleet: Fleet): Promise<void> {
  const killed = await stage.startAgent({ watched: false });
  const keys = ['asa', 'bor'].map((name) => find(fleet, name).key);
  expect(await askAgent(stage.program, { keys })).toMatchObject({ kind: 'running' });
  await builds(stage);
  await killAgent(killed);
}

/** The workspaces of the updates that sandy was asked for, by the names of their sessions. */
function updated(fleet: Fleet): readonly string[] {
  return updateCalls(fleet).map(({ argv }) => {
    const session = fleet.sessions.find(({ workspace }) => argv.includes(workspace));
    return session?.key.replace(/-\w+$/, '') ?? 'all';
  });
}

const exits = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) =>
  `${code}: ${stdout}${stderr}`;

/** Nothing is said to be at work, neither by a look without an agent nor by one that is started. */
async function expectQuiet(stage: Stage): Promise<void> {
  expect((await readStatus(stage)).run).toBeNull();
  const agent = await stage.startAgent();
  await slotIsFree(stage.program);
  expect(agent.newest().run).toBeNull();
  await agent.stop();
}

describe.concurrent('an update without an agent that is interrupted in its first step', () => {
  test.for(['SIGKILL', 'SIGINT'] as const)(
    'by %s keeps nobody out once sandy is done',
    async (signal, { stage }) => {
      const fleet = await addSlowFleet(stage, [slow, 'bor', 'cyd']);
      const update = begin(stage, 'update', 'asa', 'bor', '--yes');
      await builds(stage);
      update.child.kill(signal);
      await update.ended;
      await updatesEnd(fleet);
      expect(updated(fleet)).toEqual(['asa']);
      // The other step was wanted just now: whoever comes begins it, and may have to come again.
      const first = await ask(stage, 'stop', 'cyd');
      expect([0, BUSY], exits(first)).toContain(first.code);
      await until(
        () => updated(fleet).includes('bor'),
        () => exits(first),
      );
      await updatesEnd(fleet);
      if (first.code === BUSY) {
        const second = await ask(stage, 'stop', 'cyd');
        expect(second.code, exits(second)).toBe(0);
      }
      expect(updated(fleet)).toEqual(['asa', 'bor']);
      const [run] = await runsEnd(stage.program, 2);
      expect(run?.outcome).toMatchObject({ kind: 'ok', failed: [] });
      expect(run?.outcome?.restarted).toHaveLength(2);
      await expectQuiet(stage);
    },
  );

  test.for(['while it builds', 'once it is over'] as const)(
    'and cancelled %s keeps nobody out',
    async (when, { stage }) => {
      const isOver = when === 'once it is over';
      const fleet = await addSlowFleet(stage, [isOver ? slow : endless, 'bor', 'cyd']);
      const update = begin(stage, 'update', 'asa', 'bor', '--yes');
      await builds(stage);
      update.child.kill('SIGKILL');
      await update.ended;
      if (isOver) await updatesEnd(fleet);
      const cancelled = await ask(stage, 'update', '--cancel');
      expect(cancelled.code, exits(cancelled)).toBe(0);
      const stop = await ask(stage, 'stop', 'cyd');
      expect(stop.code, exits(stop)).toBe(0);
      expect(updated(fleet)).toEqual(['asa']);
      expect(readRuns(stage.program)[0]?.outcome).toMatchObject({ kind: 'cancelled' });
      await expectQuiet(stage);
    },
  );
});

describe.concurrent('an adopted update', () => {
  test.for(['at once', 'one after the other'] as const)(
    'that is cancelled twice, %s, begins nothing more',
    async (how, { stage }) => {
      const fleet = await addSlowFleet(stage, [endless, 'bor']);
      await leaveBuilding(stage, fleet);
      const agent = await stage.startAgent({ watched: false });
      const cancels = [begin(stage, 'update', '--cancel', '--json')];
      if (how === 'one after the other') await cancels[0]?.ended;
      cancels.push(begin(stage, 'update', '--cancel', '--json'));
      for (const cancel of cancels) {
        const { code, stdout } = await finish(cancel);
        expect({ code, event: JSON.parse(stdout).event }).toEqual({
          code: 0,
          event: expect.toBeOneOf(['cancelled', 'nothing']),
        });
      }
      const [run] = await runsEnd(stage.program);
      expect(run?.outcome).toMatchObject({ kind: 'cancelled', restarted: [] });
      await slotIsFree(stage.program);
      await agent.stop();
      expect(updated(fleet)).toEqual(['asa']);
      expectRestartedOnce(fleet, []);
    },
  );
});

/** As if all that is known of the one run had happened a day ago. */
function age({ program }: Stage): void {
  const [run] = readRuns(program);
  if (run === undefined) throw new Error('no run');
  const folder = join(program.ownFolder, 'runs', run.id);
  const path = join(folder, 'run.json');
  const text = readFileSync(path, 'utf8').replace(
    /("(?:askedAt|startedAt|endedAt)": )(\d+)/g,
    (_, name, at) => `${name}${Number(at) - DAY_MS}`,
  );
  writeFileSync(path, text);
  const ago = new Date(Date.now() - DAY_MS);
  utimesSync(join(folder, 'output.log'), ago, ago);
}

describe.concurrent('what was left of an update a day ago', () => {
  test.for([
    ['an agent', null],
    ['a stop', ['stop', 'cyd']],
    ['a dry run', ['update', '--all', '--dry-run']],
  ] as const)('is not begun by %s', async ([, command], { stage }) => {
    const fleet = await addSlowFleet(stage, [slow, 'bor', 'cyd']);
    await leaveBuilding(stage, fleet);
    await updatesEnd(fleet);
    age(stage);
    let agent: RunningAgent | null = null;
    if (command === null) {
      agent = await stage.startAgent({ watched: false });
    } else {
      const asked = await ask(stage, ...command);
      expect(asked.code, exits(asked)).toBe(0);
    }
    const [run] = await runsEnd(stage.program);
    await slotIsFree(stage.program);
    expect(run?.outcome).toMatchObject({
      kind: 'cancelled',
      failed: [{ key: find(fleet, 'bor').key, reason: 'was not tried' }],
    });
    expect(run?.steps[1]).toMatchObject({ startedAt: null });
    await agent?.stop();
    expect(updated(fleet).filter((name) => name === 'bor')).toEqual([]);
    await expectQuiet(stage);
  });
});
