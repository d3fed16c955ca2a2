import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Fleet } from '../../fixtures/fake-sandy/fleet.mjs';
import { parseLedger } from '../../src/store/ledger-entries.ts';
import { isAlive } from '../../src/system/process-identity.ts';
import type { Program } from '../program.ts';
import { type RunningAgent, type Stage, test, until } from './running-agent.ts';
import {
  addSlowFleet,
  askAgent,
  expectDoneOnce,
  expectRestartedOnce,
  KILLER,
  readOutput,
  readRuns,
  runsEnd,
  slotIsFree,
  slotIsTaken,
  updateCalls,
  updatesEnd,
} from './runs.ts';

const names = ['asa', 'bor'];

/** When the next agent comes: at once, or when the command that was left alone has ended. */
const nexts = ['at once', 'late'] as const;
type Next = (typeof nexts)[number];

interface Life {
  readonly stage: Stage;
  readonly fleet: Fleet;
  /** What every agent has printed. */
  readonly lines: string[];
}

async function begin(stage: Stage, given: readonly string[] = names): Promise<Life> {
  return { stage, fleet: await addSlowFleet(stage, given), lines: [] };
}

const startAgent = ({ stage }: Life, kill = ''): Promise<RunningAgent> =>
  stage.startAgent({ watched: false, preloads: [KILLER], variables: { KILL: kill } });

async function dies(life: Life, agent: RunningAgent): Promise<void> {
  expect(await agent.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(agent.stderr()).toBe('');
  life.lines.push(...agent.banners());
}

/** Nothing but the command is left alive; a life later its run is over, and all is told once. */
async function liveOn(life: Life, next: Next, keys = keysOf(life)): Promise<void> {
  const { stage, fleet } = life;
  if (next === 'late') await updatesEnd(fleet);
  const agent = await startAgent(life);
  const [run] = await runsEnd(stage.program);
  await slotIsFree(stage.program);
  await agent.stop();
  life.lines.push(...agent.banners());
  await expectDoneOnce(stage, fleet, keys);
  expectBannerOnce(life, `run:${run?.id}`, keys.length);
}

const keysOf = ({ fleet }: Life) => fleet.sessions.map(({ key }) => key);

/** A banner is shown once; where nobody can know whether it was, it is not shown again. */
function expectBannerOnce({ stage, lines }: Life, incident: string, count: number): void {
  const sum =
    count === 1 ? /complete: \S+ was restarted/ : `complete: ${count} restarted, 0 failed`;
  const shown = lines.filter((line) => line.match(sum));
  expect(lines).toEqual(shown);
  const step = stepInLedger(stage.program, `run-completed:${incident}`);
  if (step === 'intent') expect(shown.length).toBeLessThanOrEqual(1);
  else expect({ step, shown: shown.length }).toEqual({ step: 'shown', shown: 1 });
}

function stepInLedger({ ownFolder }: Program, id: string): string | undefined {
  const file = join(ownFolder, 'ledger.json');
  if (!existsSync(file)) return undefined;
  return parseLedger(JSON.parse(readFileSync(file, 'utf8')))?.entries.get(id)?.step;
}

describe.concurrent('an agent that is killed before its run is on disk', () => {
  test.for([
    'before 1 ^mkdirSync \\d{8}T',
    'after 1 ^mkdirSync \\d{8}T',
    'half 1 ^writeSync run\\.json',
    'before 1 ^renameSync run\\.json',
  ])('has started nothing: %s', async (kill, { stage }) => {
    const life = await begin(stage);
    const { program } = stage;
    const killed = await startAgent(life, kill);
    expect(await askAgent(program)).toBe(null);
    await dies(life, killed);
    const agent = await startAgent(life);
    expect(updateCalls(life.fleet)).toEqual([]);
    // Neither its lock nor what is left of its folder is in the way of the next ask.
    expect(await askAgent(program)).toMatchObject({ kind: 'running', joined: false });
    const [run] = await runsEnd(program);
    await agent.stop();
    life.lines.push(...agent.banners());
    await expectDoneOnce(stage, life.fleet, keysOf(life));
    expectBannerOnce(life, `run:${run?.id}`, 2);
  });
});

describe.concurrent('an agent that is killed at a step of its run', () => {
  // The record: asked, begun, its process noted, ended, its outcome.
  const ofRecord = [1, 2, 3, 4, 5].flatMap((count) =>
    ['before', 'after'].map((when) => `${when} ${count} ^renameSync run\\.json`),
  );
  test.for(
    [
      ...ofRecord.slice(1),
      'half 5 ^writeSync run\\.json',
      ...['before', 'after'].map((when) => `${when} 1 ^spawn --update-sessions`),
      // The log: the start of the agent, the first look, then that the run began.
      ...['before', 'half', 'after'].map((when) => `${when} 3 ^writeSync log\\.jsonl`),
      // The intent and the mark of the one banner.
      ...['before', 'after'].flatMap((when) => [
        `${when} 1 ^renameSync ledger`,
        `${when} 2 ^renameSync ledger`,
        `${when} 1 ^write \\d\\d:\\d\\d Rolling`,
      ]),
      ...['before', 'after'].map((when) => `${when} 1 ^truncate slot`),
    ].flatMap((kill) =>
      /[23] \^renameSync run|1 \^spawn/.test(kill)
        ? nexts.map((next) => [kill, next] as const)
        : [[kill, 'at once'] as const],
    ),
  )('%s, the next one comes %s', async ([kill, next], { stage }) => {
    const life = await begin(stage);
    const killed = await startAgent(life, kill);
    await askAgent(stage.program);
    await dies(life, killed);
    await liveOn(life, next);
  });
});

describe.concurrent('an agent that is killed while sandy is at it', () => {
  /** What the command has printed when its agent dies. */
  const moments: readonly (readonly [string, RegExp])[] = [
    ['building', /Refreshing images for/],
    ['planned', / ACTION\n/],
    ['restarting the first', /Restarting /],
    ['between two', / restarted in /],
    ['restarting the last', /Restarting [\s\S]*Restarting /],
    ['all restarted', /Summary/],
  ];
  test.for(moments.flatMap(([what, words]) => nexts.map((next) => [what, next, words] as const)))(
    '%s, the next one comes %s',
    async ([, next, words], { stage }) => {
      const life = await begin(stage);
      const killed = await startAgent(life);
      expect(await askAgent(stage.program)).toMatchObject({ kind: 'running', joined: false });
      await until(
        () => words.test(readOutput(stage.program)),
        () => readOutput(stage.program),
      );
      killed.signal('SIGKILL');
      await dies(life, killed);
      await liveOn(life, next);
    },
  );

  test('again and again: one command, one story', async ({ stage }) => {
    const life = await begin(stage, ['asa', 'bor', 'cyd']);
    const first = await startAgent(life);
    await askAgent(stage.program);
    let agent = first;
    for (const [, words] of moments) {
      await until(
        () => words.test(readOutput(stage.program)),
        () => readOutput(stage.program),
      );
      agent.signal('SIGKILL');
      await dies(life, agent);
      agent = await startAgent(life);
    }
    agent.signal('SIGKILL');
    await dies(life, agent);
    await liveOn(life, 'at once');
  });
});

describe.concurrent('an agent that has adopted a run', () => {
  test('ends when it is asked to; the next one can still cancel it', async ({ stage }) => {
    // Its build never ends: whoever waits for the command's end waits for ever.
    const fleet = await addSlowFleet(stage, [{ name: 'asa', build: 'hangs' }, 'bor']);
    const life: Life = { stage, fleet, lines: [] };
    const killed = await startAgent(life);
    await askAgent(stage.program);
    await until(
      () => /Refreshing images for asa/.test(readOutput(stage.program)),
      () => readOutput(stage.program),
    );
    killed.signal('SIGKILL');
    await dies(life, killed);
    const adopter = await startAgent(life);
    await slotIsTaken(stage.program, adopter.pid);
    // Time enough to look at the command for the first time.
    expect(await stage.program.run(['status'])).toMatchObject({ code: 0 });
    await adopter.stop();
    const [run] = readRuns(stage.program);
    const command = run?.steps[0]?.process ?? null;
    expect(command !== null && (await isAlive(command))).toBe(true);

    const last = await startAgent(life);
    const cancelled = await stage.program.run(['update', '--cancel']);
    expect(cancelled).toMatchObject({ code: 0, stderr: '' });
    expect((await runsEnd(stage.program))[0]?.outcome).toMatchObject({ kind: 'cancelled' });
    await slotIsFree(stage.program);
    await last.stop();
    expect(command !== null && (await isAlive(command))).toBe(false);
    const told = (await stage.readLog()).flatMap(({ kind }) => (/^run-/.test(kind) ? [kind] : []));
    expect(told).toEqual(['run-started', 'run-cancelled']);
    expectRestartedOnce(fleet, []);
  });
});

describe.concurrent('a run of several scopes', () => {
  const three = ['asa', 'bor', 'cyd'];
  test.for(
    [
      // Of each step: begun, its process noted, ended.
      ...['after 2', 'after 3', 'before 4', 'after 4', 'before 5', 'after 5'],
      ...['before 6', 'after 7', 'before 10', 'before 11'],
    ]
      .map((place) => `${place} ^renameSync run\\.json`)
      .concat(['before 2', 'after 2', 'before 3', 'after 3'].map((at) => `${at} ^spawn --update`)),
  )('is gone on with by the next agent: %s', async (kill, { stage }) => {
    const life = await begin(stage, three);
    // In another order than that of the fleet.
    const keys = [1, 2, 0].map((index) => keysOf(life)[index] ?? '');
    const killed = await startAgent(life, kill);
    await askAgent(stage.program, { keys });
    await dies(life, killed);
    await liveOn(life, 'at once');
    expect(readRuns(stage.program)[0]?.steps.map(({ key }) => key)).toEqual(keys);
  });

  test('whose folder goes while sandy is at it is waited for all the same', async ({ stage }) => {
    const life = await begin(stage, three);
    const [asa] = life.fleet.sessions;
    const keys = [asa?.key ?? ''];
    const killed = await startAgent(life);
    await askAgent(stage.program, { keys });
    await until(
      () => /Restarting /.test(readOutput(stage.program)),
      () => readOutput(stage.program),
    );
    killed.signal('SIGKILL');
    await dies(life, killed);
    rmSync(asa?.workspace ?? '', { recursive: true });
    await liveOn(life, 'at once', keys);
  });

  test('of which some only are asked for leaves the others alone', async ({ stage }) => {
    const life = await begin(stage, three);
    const keys = keysOf(life).slice(0, 2);
    const killed = await startAgent(life, 'after 2 ^spawn --update');
    await askAgent(stage.program, { keys });
    await dies(life, killed);
    await liveOn(life, 'late', keys);
  });
});

describe.concurrent('an update on a terminal without an agent', () => {
  test.for([
    ['SIGKILL', { code: null, signal: 'SIGKILL' }],
    // Only whoever waits leaves; it goes on.
    ['SIGINT', { code: 130, signal: null }],
  ] as const)('that ends by %s in the middle goes on', async ([signal, end], { stage }) => {
    const life = await begin(stage);
    const update = stage.start(['update', '--all', '--yes']);
    await until(
      () => /Restarting /.test(readOutput(stage.program)),
      () => `${update.stdout()}${update.stderr()}`,
    );
    update.child.kill(signal);
    expect(await update.ended).toEqual(end);
    const [run] = readRuns(stage.program);
    const command = run?.steps[0]?.process ?? null;
    expect(command !== null && (await isAlive(command))).toBe(true);
    await liveOn(life, 'at once');
  });

  test('is joined by the next update on a terminal', async ({ stage }) => {
    const life = await begin(stage);
    const first = stage.start(['update', '--all', '--yes']);
    await until(
      () => /Restarting /.test(readOutput(stage.program)),
      () => `${first.stdout()}${first.stderr()}`,
    );
    first.child.kill('SIGKILL');
    await first.ended;
    const second = stage.start(['update', '--all', '--yes', '--json']);
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.stderr()).toBe('');
    const done = JSON.parse(second.stdout().trimEnd().split('\n').at(-1) ?? '');
    const [run] = readRuns(stage.program);
    expect(done).toMatchObject({ event: 'done', id: run?.id, outcome: { kind: 'ok' } });
    await expectDoneOnce(stage, life.fleet, keysOf(life));
  });
});
