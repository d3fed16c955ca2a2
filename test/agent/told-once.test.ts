/** What a person sees of the banners of agents that are killed, sleep, or lose what they knew. */

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { type Fleet, removeContainer, replaceContainer } from '../../fixtures/fake-sandy/fleet.mjs';
import { type ServerStandIn, startServer } from '../notify/server-stand-in.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { startBus } from '../system/bus-stand-in.ts';
import { find, type RunningAgent, type Stage, test, until } from './running-agent.ts';

const KILLING = resolve(import.meta.dirname, '../kill-preload.mjs');
const SHIFTING = resolve(import.meta.dirname, 'shifted-clock-preload.mjs');
const WINDOW_MS = 10_000 / 20;
const DAY_MS = 86_400_000;
/** Two sessions in one digest. */
const BOTH = /^\d\d:\d\d (alpha-.*\n.* bravo-|bravo-.*\n.* alpha-)[^\n]*$/;

interface Scene {
  readonly stage: Stage;
  readonly fleet: Fleet;
  readonly server: ServerStandIn;
  readonly start: (variables?: Readonly<Record<string, string>>) => Promise<RunningAgent>;
}

/** Sessions, a desktop that shows banners, and how to start an agent between them. */
async function prepare(stage: Stage): Promise<Scene> {
  const bus = await startBus(makeScratchFolder());
  const server = await startServer(bus.variables);
  stage.scale(20);
  stage.configure({
    returnWindowSeconds: 10,
    settleSeconds: 5,
    pollFullSeconds: 60,
    notify: { ended: true },
  });
  const fleet = await stage.addFleet(['alpha', 'bravo', 'charlie']);
  const start = (variables = {}) =>
    stage.startAgent({
      variables: { ...bus.variables, ...variables },
      preloads: [KILLING, ...('CLOCK_SHIFT_FILE' in variables ? [SHIFTING] : [])],
    });
  return { stage, fleet, server, start };
}

/** An agent that saw all sessions and ended; what happens now is for the next one to find. */
async function leaveBaseline({ stage, start }: Scene): Promise<void> {
  const agent = await start();
  await stage.logs('baseline');
  await stage.saved();
  await agent.stop();
}

async function restart({ stage, fleet }: Scene, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const args = ['--update-sessions', '--yes', '--workspace', find(fleet, name).workspace];
    expect((await stage.sandy(fleet, ...args).ended).code).toBe(0);
  }
}

function quit({ fleet }: Scene, ...names: readonly string[]): void {
  for (const name of names) removeContainer(fleet.dir, find(fleet, name).record);
}

const bodiesOf = ({ notified }: ServerStandIn) => notified.map(({ body }) => body);

async function shows({ server }: Scene, count: number): Promise<void> {
  await until(
    () => server.notified.length >= count,
    () => `${count} banners: ${JSON.stringify(server.notified)}`,
  );
}

/** Lives until the step at which it is killed. */
async function dies({ start }: Scene, KILL: string): Promise<void> {
  const agent = await start({ KILL });
  expect((await agent.ended).signal).toBe('SIGKILL');
}

async function kill(agent: RunningAgent): Promise<void> {
  agent.signal('SIGKILL');
  await agent.ended;
}

/** The steps around a banner, and how often it is seen after a second life. */
const steps = [
  ['before its intent is written', 'before 1 ^renameSync ledger', 1],
  ['after its intent was written', 'after 1 ^renameSync ledger', 0],
  ['before its mark is written', 'before 2 ^renameSync ledger', 1],
  ['after its mark was written', 'after 2 ^renameSync ledger', 1],
] as const;

describe('an agent that is killed', () => {
  test.for(steps)('%s shows a sum no second time', async ([, KILL, times], { stage }) => {
    const scene = await prepare(stage);
    await leaveBaseline(scene);
    await restart(scene, 'alpha', 'bravo');
    await dies(scene, KILL);
    const agent = await scene.start();
    const { lastRun } = await agent.sees((status) => status.lastRun !== null, 'the sum');
    await agent.looksAgain(1);
    // Where nobody saw the banner the menu has it.
    expect(lastRun?.seen).toBe(false);
    await agent.stop();
    expect(bodiesOf(scene.server)).toHaveLength(times);
    for (const body of bodiesOf(scene.server)) expect(body).toMatch(/^2 restarted, 0 failed/);
  });

  test.for(steps)('%s shows a digest no second time', async ([, KILL, times], { stage }) => {
    const scene = await prepare(stage);
    await leaveBaseline(scene);
    quit(scene, 'alpha', 'bravo');
    await dies(scene, KILL);
    const agent = await scene.start();
    await agent.seesState(find(scene.fleet, 'alpha'), 'ended');
    await agent.seesState(find(scene.fleet, 'bravo'), 'ended');
    await agent.stop();
    expect(bodiesOf(scene.server)).toHaveLength(times);
    // All of it, or nothing.
    for (const body of bodiesOf(scene.server)) expect(body).toMatch(BOTH);
  });
});

describe('an agent', () => {
  test('whose ledger can’t be read repeats nothing, and loses nothing new', async ({ stage }) => {
    const scene = await prepare(stage);
    await leaveBaseline(scene);
    const first = await scene.start();
    quit(scene, 'charlie');
    await shows(scene, 1);
    await first.stop();
    writeFileSync(join(stage.program.ownFolder, 'ledger.json'), '{"format":1,');
    quit(scene, 'alpha', 'bravo');
    const second = await scene.start();
    await shows(scene, 2);
    await second.looksAgain(1);
    second.signal('SIGTERM');
    expect((await second.ended).code).toBe(0);
    expect(second.stderr()).toMatch(/^\S+ledger\.json .*\n$/);
    expect(bodiesOf(scene.server)).toEqual([
      expect.stringMatching(/^charlie-\w+ ended/),
      expect.stringMatching(BOTH),
    ]);
  });

  test('whose clock is set back repeats nothing, and loses nothing new', async ({ stage }) => {
    const scene = await prepare(stage);
    const CLOCK_SHIFT_FILE = join(stage.program.folder, 'clock-shift');
    const first = await scene.start({ CLOCK_SHIFT_FILE });
    await stage.logs('baseline');
    await restart(scene, 'alpha');
    await shows(scene, 1);
    writeFileSync(CLOCK_SHIFT_FILE, String(-DAY_MS / 2));
    await first.looksAgain(2);
    await restart(scene, 'bravo');
    await shows(scene, 2);
    await kill(first);
    const second = await scene.start({ CLOCK_SHIFT_FILE });
    await second.looksAgain(1);
    await restart(scene, 'charlie');
    await shows(scene, 3);
    await second.looksAgain(1);
    await second.stop();
    const names = bodiesOf(scene.server).map((body) => /^\w+/.exec(body)?.[0]);
    expect(names).toEqual(['alpha', 'bravo', 'charlie']);
  });

  test('that slept twice tells each time in one banner what happened', async ({ stage }) => {
    const scene = await prepare(stage);
    const agent = await scene.start();
    await stage.logs('baseline');
    for (const night of [1, 2]) {
      agent.signal('SIGSTOP');
      for (const name of ['alpha', 'bravo']) {
        const updatedAt = new Date(Date.now() - (3 - night) * 60_000).toISOString();
        replaceContainer(scene.fleet.dir, find(scene.fleet, name).record, { updatedAt });
      }
      await pause(WINDOW_MS);
      agent.signal('SIGCONT');
      await shows(scene, night);
      await agent.looksAgain(2);
    }
    await agent.stop();
    expect(bodiesOf(scene.server)).toEqual(
      Array(2).fill(expect.stringMatching(/^2 restarted, 0 failed/)),
    );
  });
});
