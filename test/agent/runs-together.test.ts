import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { type Fleet, readCalls, sessionsOf, setSession } from '../../fixtures/fake-sandy/fleet.mjs';
import { find, type Stage, test, until } from './running-agent.ts';
import {
  addSlowFleet,
  askAgent,
  expectRestartedOnce,
  readOutput,
  readRuns,
  runsEnd,
  slotIsFree,
  updateCalls,
} from './runs.ts';

const BUSY = 75;

/** What somebody who asked was told; `id` is that of the run that does what they asked for. */
interface Told {
  readonly who: string;
  readonly scope: 'fleet' | 'asa';
  readonly kind: 'running' | 'busy';
  readonly joined: boolean | null;
  readonly id: string | null;
}

type Asker = (stage: Stage, fleet: Fleet) => Promise<Told>;

/** A command on a terminal; it waits for the end. */
const byCommand =
  (scope: Told['scope']): Asker =>
  async (stage) => {
    const what = scope === 'fleet' ? '--all' : scope;
    const command = stage.start(['update', what, '--yes', '--json']);
    const { code } = await command.ended;
    const events = command
      .stdout()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const who = `command ${scope}`;
    if (code === BUSY) {
      expect(events).toEqual([{ event: 'busy', kind: 'busy', text: expect.any(String) }]);
      return { who, scope, kind: 'busy', joined: null, id: null };
    }
    expect({ code, stderr: command.stderr() }).toEqual({ code: 0, stderr: '' });
    expect(events.at(-1)).toMatchObject({ event: 'done', outcome: { kind: 'ok' } });
    expect(events[0]).toMatchObject({ event: 'started', id: events.at(-1).id });
    return { who, scope, kind: 'running', joined: events[0].joined, id: events[0].id };
  };

/** An ask on the socket; it waits for no end. */
const bySocket =
  (scope: Told['scope']): Asker =>
  async ({ program }, fleet) => {
    const keys = scope === 'fleet' ? null : [find(fleet, scope).key];
    const answer = await askAgent(program, { keys });
    expect(['running', 'busy']).toContain(answer?.kind);
    return { who: `socket ${scope}`, scope, joined: null, id: null, ...answer } as Told;
  };

const ROUNDS = 10;

/** mulberry32: the same orders each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffle<T>(given: readonly T[], random: () => number): readonly T[] {
  return given
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** Asks at the same time, in this order; gives what each was told, and the one run that came of it. */
async function askTogether(stage: Stage, fleet: Fleet, askers: readonly Asker[]) {
  const { program } = stage;
  const before = readRuns(program).length;
  const told = await Promise.all(askers.map((ask) => ask(stage, fleet)));
  const runs = await runsEnd(program, before + 1);
  await slotIsFree(program);
  const story = JSON.stringify(told);
  expect(readRuns(program), story).toHaveLength(before + 1);
  const run = runs.at(-1);
  expect(run?.outcome?.kind, story).toBe('ok');
  const isFleet = run?.keys === null;
  for (const one of told) {
    // Whoever asked for what is covered is in it; who asked for more is told to come again.
    const covered = isFleet || one.scope === 'asa';
    expect(one, story).toMatchObject({
      kind: covered ? 'running' : 'busy',
      ...(covered ? { id: run?.id } : {}),
    });
  }
  expect(told.filter(({ joined }) => joined === false).length, story).toBe(1);
  return { told, run, isFleet };
}

/** Not two of them were alive at any moment, and there were as many as runs. */
function expectOneAtATime(fleet: Fleet, count: number): void {
  const calls = [...updateCalls(fleet)].sort((a, b) => a.at - b.at);
  expect(calls).toHaveLength(count);
  for (const [index, { at }] of calls.entries()) {
    const last = calls[index - 1];
    if (last !== undefined) expect(last.exitedAt ?? Number.POSITIVE_INFINITY).toBeLessThan(at);
  }
}

function makeStale({ dir }: Fleet): void {
  for (const { record } of sessionsOf(dir)) setSession(dir, record, { stale: true });
}

describe.concurrent('those who ask at the same time', () => {
  test('an agent get one update, round after round', async ({ stage }) => {
    const fleet = await addSlowFleet(stage, ['asa', 'bor']);
    const agent = await stage.startAgent({ watched: false });
    const random = randomFrom(1);
    const firsts = { fleet: 0, asa: 0 };
    for (let round = 1; round <= ROUNDS; round += 1) {
      const commands = shuffle([byCommand('fleet'), byCommand('fleet')], random);
      // A command takes its time to start: in every second round the others wait for its run.
      const late: Asker = async (...args) => {
        await until(
          () => readRuns(stage.program).length === round,
          () => 'the run of a command',
        );
        return bySocket(random() < 0.5 ? 'fleet' : 'asa')(...args);
      };
      const sockets = shuffle([bySocket('fleet'), bySocket('asa')], random);
      const askers =
        round % 2 === 0
          ? [...commands, late, late]
          : shuffle([...commands, ...sockets, bySocket('asa')], random);
      const { isFleet } = await askTogether(stage, fleet, askers);
      firsts[isFleet ? 'fleet' : 'asa'] += 1;
      expectOneAtATime(fleet, round);
      makeStale(fleet);
    }
    // Both came first now and then, or half of this says nothing.
    expect(Math.min(firsts.fleet, firsts.asa), JSON.stringify(firsts)).toBeGreaterThan(0);
    await agent.stop();
  });

  test('without an agent get one update, round after round', async ({ stage }) => {
    const fleet = await addSlowFleet(stage, ['asa', 'bor']);
    const random = randomFrom(2);
    for (let round = 1; round <= ROUNDS / 2; round += 1) {
      const askers = [byCommand('fleet'), byCommand('fleet'), byCommand('asa')];
      await askTogether(stage, fleet, shuffle(askers, random));
      expectOneAtATime(fleet, round);
      makeStale(fleet);
    }
  });
});

describe.concurrent('a sandy that somebody else started', () => {
  test.for([
    ['--update-sessions', 'An update', { build: 'hangs' }],
    ['--start', 'A start', { start: 'timeout', running: false, supervisor: true }],
    ['--stop', 'A stop', { stop: 'ignored' }],
  ] as const)(
    '%s: nothing is started while it is alive',
    async ([verb, words, spec], { stage }) => {
      const fleet = await addSlowFleet(stage, [{ name: 'asa', ...spec }, 'bor'], {
        delays: { startTimeoutMs: 10_000_000 },
      });
      const { workspace } = find(fleet, 'asa');
      const scope = verb === '--update-sessions' ? ['--yes'] : ['--workspace', workspace];
      const foreign = stage.sandy(fleet, verb, ...scope);
      await until(
        () => /Refreshing|Starting|Stopping/.test(foreign.stdout()),
        () => foreign.stderr(),
      );
      const text = `${words} started elsewhere is running (pid ${foreign.pid}). Try again when it is over.`;
      const agent = await stage.startAgent({ watched: false });
      expect(await askAgent(stage.program)).toEqual({ kind: 'busy', text });
      const { key } = find(fleet, 'bor');
      expect(await askAgent(stage.program, { keys: [key] })).toEqual({ kind: 'busy', text });
      const ran = await stage.program.run(['update', '--all', '--yes']);
      expect(ran).toMatchObject({ code: BUSY, stdout: '', stderr: `${text}\n` });
      await agent.stop();
      // Nor without an agent.
      const alone = await stage.program.run(['update', 'bor', '--yes']);
      expect(alone).toMatchObject({ code: BUSY, stdout: '', stderr: `${text}\n` });
      expect(readRuns(stage.program)).toEqual([]);
      await slotIsFree(stage.program);
      expect(updateCalls(fleet)).toHaveLength(verb === '--update-sessions' ? 1 : 0);

      // What becomes of asa is not of interest here.
      foreign.child.kill('SIGKILL');
      await foreign.ended;
      expect(await stage.program.run(['update', 'bor', '--yes'])).toMatchObject({ code: 0 });
      const { workspace: other } = find(fleet, 'bor');
      const calls = readCalls(fleet.dir).filter(
        ({ by, argv }) => by !== null && argv.at(-1) === other,
      );
      expect(calls.map(({ argv, code }) => [argv[0], code])).toEqual([
        ['--stop', 0],
        ['--start', 0],
      ]);
    },
  );

  test('and that watches over a running session is in nobody’s way', async ({ stage }) => {
    const { folder, environment } = stage.program;
    const file = join(folder, 'sandy');
    writeFileSync(file, 'console.log("here"); setInterval(() => {}, 1 << 30);');
    // As it stays alive after `sandy --start` has ended, under that name.
    const state = join(folder, 'fleet');
    const watcher = spawn(process.execPath, [file, '--start', '--workspace', '/nowhere'], {
      env: { ...environment, FAKE_SANDY_STATE: state },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      watcher.kill('SIGKILL');
    });
    await new Promise((resolve) => watcher.stdout.once('data', resolve));
    const fleet = await addSlowFleet(stage, [{ name: 'asa', lockPid: watcher.pid ?? 0 }, 'bor']);
    const agent = await stage.startAgent({ watched: false });
    const { key } = find(fleet, 'bor');
    expect(await askAgent(stage.program, { keys: [key] })).toMatchObject({ kind: 'running' });
    await runsEnd(stage.program);
    await agent.stop();
    expect(readOutput(stage.program)).toContain('Restarted: 1');
    expectRestartedOnce(fleet, [key]);
  });
});
