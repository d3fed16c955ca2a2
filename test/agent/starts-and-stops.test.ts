import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Fleet, readEvents, sessionOf, setSession } from '../../fixtures/fake-sandy/fleet.mjs';
import { readStopIntent } from '../../src/store/stop-intents.ts';
import {
  ask,
  begin,
  callsOf,
  changingCalls,
  finish,
  isCalled,
  prepare,
  readObjects,
  readStatus,
  TIME_SCALE,
  takeAway,
  verbs,
} from './asking.ts';
import { type RunningAgent, type StatusDocument, stateOf, test, until } from './running-agent.ts';

describe.concurrent('a start', () => {
  for (const agents of ['an agent', 'no agent']) {
    test(`is one start-up, however many ask for it with ${agents}`, async ({ stage }) => {
      // Long enough for three programs to come.
      const { fleet, alpha, agent } = await prepare(stage, { beforeLockMs: 90_000 });
      await takeAway(agent, fleet, alpha);
      if (agents === 'no agent') await agent.stop();
      const asked = await Promise.all([1, 2, 3].map(() => ask(stage, 'start', 'alpha', '--json')));
      const results = asked.map((one) => readObjects(one));
      expect(results).toEqual([results[0], results[0], results[0]]);
      expect(results[0]).toMatchObject([
        { key: alpha.key, kind: 'ok', text: null, retryable: false },
      ]);
      expect(asked.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(callsOf(fleet, '--start')).toHaveLength(1);
      expect(await ask(stage, 'start', 'alpha')).toMatchObject({
        code: 0,
        stdout: `${alpha.key} is running.\n`,
      });
      expect(callsOf(fleet, '--start')).toHaveLength(1);
    });
  }

  test('during an update is told what is busy', async ({ stage }) => {
    const { fleet, alpha, agent } = await prepare(stage, { buildMs: 300_000 });
    await takeAway(agent, fleet, alpha);
    const update = begin(stage, 'update', '--all', '--yes', '--json');
    await isCalled(fleet, '--update-sessions');
    for (const verb of ['start', 'stop']) {
      const target = verb === 'start' ? 'alpha' : 'bravo';
      const busy = await ask(stage, verb, target, '--json');
      expect(busy.code).toBe(75);
      expect(readObjects(busy)).toMatchObject([
        {
          kind: 'busy',
          text: expect.stringMatching(
            /^An update of all sessions has been running since \d\d:\d\d\. Try again when it is over\.$/,
          ),
          retryable: true,
        },
      ]);
    }
    const plain = await ask(stage, 'start', 'alpha');
    expect(plain).toMatchObject({ code: 75, stdout: '' });
    expect(plain.stderr).toContain('An update of all sessions has been running since ');
    expect((await update.ended).code).toBe(0);
    expect(verbs(fleet)).toEqual(['--update-sessions']);
  });

  test('that somebody makes with sandy itself keeps ours out', async ({ stage }) => {
    const { fleet, alpha, bravo, agent } = await prepare(stage, { beforeLockMs: 300_000 });
    await takeAway(agent, fleet, alpha);
    const theirs = stage.sandy(fleet, '--start', '--workspace', alpha.workspace);
    await isCalled(fleet, '--start');
    const busy = await ask(stage, 'stop', bravo.key, '--json');
    expect(busy.code).toBe(75);
    expect(readObjects(busy)).toMatchObject([
      {
        text: `A start started elsewhere is running (pid ${theirs.pid}). Try again when it is over.`,
      },
    ]);
    expect(callsOf(fleet, '--stop')).toEqual([]);
    expect((await theirs.ended).code).toBe(0);
  });

  for (const agents of ['an agent', 'no agent']) {
    test(`is stopped when it lands, when a stop was asked for meanwhile, with ${agents}`, async ({
      stage,
    }) => {
      const { fleet, alpha, agent } = await prepare(stage, {
        beforeLockMs: 60_000,
        innerMs: 30_000,
      });
      await takeAway(agent, fleet, alpha);
      if (agents === 'no agent') await agent.stop();
      const starter = begin(stage, 'start', 'alpha', '--json');
      await isCalled(fleet, '--start');
      const [stopper, waiter] = await Promise.all([
        ask(stage, 'stop', 'alpha', '--json'),
        ask(stage, 'stop', 'alpha'),
      ]);
      expect(waiter).toEqual({
        code: 0,
        stdout: `${alpha.key} is stopped.\n`,
        stderr: `${alpha.key} is being started; it is stopped when it lands.\n`,
      });
      const started = await finish(starter);
      expect(started.code).toBe(1);
      expect(readObjects(started)).toMatchObject([{ kind: 'cancelled', retryable: true }]);
      expect(stopper.code).toBe(0);
      expect(readObjects(stopper)).toMatchObject([{ kind: 'ok' }]);
      expect(verbs(fleet)).toEqual(['--start', '--stop']);
      const [start, stop] = changingCalls(fleet);
      expect(stop?.at).toBeGreaterThanOrEqual(start?.exitedAt ?? Number.POSITIVE_INFINITY);
      expect(sessionOf(fleet.dir, alpha.record)?.container).toBeNull();
      expectGoneTwice(fleet, stop?.exitedAt ?? 0);
      const status = await readStatus(stage);
      expect(stateOf(status, alpha)).toBe('stopped');
      expect(status.failures).toEqual([]);
      expect((await stage.readLog()).filter(({ notice }) => notice)).toEqual([]);
    });
  }
});

describe.concurrent('a session that nobody knows', () => {
  for (const [verb, name, kind] of [
    ['start', 'nobody', 'no-session'],
    ['stop', 'nobody', 'no-session'],
    ['start', 'al', 'ambiguous'],
    ['stop', 'al', 'ambiguous'],
    ['start', '.', 'no-session'],
  ] as const) {
    test(`is refused, for programs in an object: ${verb} ${name}`, async ({ stage }) => {
      const fleet = await stage.addFleet(['alpha', 'alpine']);
      const json = await ask(stage, verb, name, '--json');
      const plain = await ask(stage, verb, name);
      expect(plain).toMatchObject({ code: 2, stdout: '' });
      const [sentence, usage] = plain.stderr.split('\n');
      expect(usage).toBe(`Usage: sandy-tray ${verb} SESSION [--json]`);
      if (name === '.') {
        expect(sentence).toBe(
          `No session was ever seen in ${stage.program.folder}, and sandy may have something to ask. Start it in a terminal.`,
        );
      }
      expect(json).toMatchObject({ code: 2, stderr: plain.stderr });
      expect(readObjects(json)).toEqual([{ key: null, kind, text: sentence, retryable: false }]);
      expect(changingCalls(fleet)).toEqual([]);
    });
  }
});

/** The looks that ended after a stop and before anybody was told that it is gone. */
function expectGoneTwice(fleet: Fleet, stoppedAt: number): void {
  const looks = callsOf(fleet, '--print-state').filter(
    ({ at, exitedAt }) => at >= stoppedAt && exitedAt !== null,
  );
  expect(looks.length).toBeGreaterThanOrEqual(2);
  // Two seconds of this fleet's time.
  expect((looks.at(-1)?.exitedAt ?? 0) - (looks[0]?.at ?? 0)).toBeGreaterThanOrEqual(
    2_000 / TIME_SCALE,
  );
}

describe.concurrent('a stop', () => {
  test('is meant: nobody is alarmed, and it is over when two looks saw it gone', async ({
    stage,
  }) => {
    stage.configure({ pollFullSeconds: 60 });
    const { fleet, alpha, agent } = await prepare(stage);
    await agent.seesState(alpha, 'detached');
    expect(await ask(stage, 'stop', 'alpha', '--json')).toMatchObject({ code: 0, stderr: '' });
    const [stop] = callsOf(fleet, '--stop');
    expectGoneTwice(fleet, stop?.exitedAt ?? 0);
    await agent.seesState(alpha, 'stopped');
    // Written before sandy was asked.
    const folder = join(stage.program.ownFolder, 'stops');
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mtimeMs).toBeLessThanOrEqual(stop?.at ?? 0);
    expect(readStopIntent(stage.program.ownFolder, alpha.key)).toBeLessThanOrEqual(stop?.at ?? 0);
    await pauseFor(agent, 90_000);
    await agent.stop();
    const log = (await stage.readLog()).filter(({ key }) => key === alpha.key);
    expect(log.map(({ kind, notice }) => `${kind} ${notice}`)).toEqual(['stopped false']);
  });

  for (const moment of ['before sandy is asked', 'while sandy does it']) {
    test(`stays meant when its asker, which is the agent, dies ${moment}`, async ({ stage }) => {
      stage.configure({ pollFullSeconds: 60 });
      const { fleet, alpha, agent } = await prepare(stage, { preambleMs: 30_000 });
      await agent.seesState(alpha, 'detached');
      await agent.stop();
      const asker = begin(stage, 'stop', 'alpha');
      const folder = stage.program.ownFolder;
      await (moment === 'while sandy does it'
        ? isCalled(fleet, '--stop')
        : until(
            () => readStopIntent(folder, alpha.key) !== null,
            () => 'the note that it is meant',
          ));
      asker.child.kill('SIGKILL');
      await asker.ended;
      expect(readEvents(fleet.dir).filter(({ why }) => why === 'container-gone')).toEqual([]);
      expect(readStopIntent(folder, alpha.key)).not.toBeNull();
      const next = await stage.startAgent();
      await next.seesState(alpha, 'stopped');
      await until(
        () => readEvents(fleet.dir).some(({ why }) => why === 'container-gone'),
        () => 'the end of its container',
      );
      expect(verbs(fleet)).toEqual(['--stop']);
      await pauseFor(next, 90_000);
      const log = (await stage.readLog()).filter(({ key }) => key === alpha.key);
      expect(log.map(({ kind }) => kind)).toEqual(['stopped']);
    });
  }

  test('of one that ignores it says that it still runs', async ({ stage }) => {
    const { fleet, alpha, agent } = await prepare(stage, { stopLimitMs: 3_000 });
    await agent.seesState(alpha, 'detached');
    setSession(fleet.dir, alpha.record, { stop: 'ignored' });
    const asked = await ask(stage, 'stop', 'alpha', '--json');
    expect(asked.code).toBe(1);
    expect(readObjects(asked)).toMatchObject([
      {
        kind: 'failed',
        text: `${alpha.key} still runs after it was asked to stop: sandy ended with code 5. Its last words: “[sandy] The daemon session did not stop in time.”. Look at it with \`sandy-tray status\`.`,
      },
    ]);
    expect(stateOf(await readStatus(stage), alpha)).toBe('detached');
    // It is not to be taken for meant when it ends for another reason later.
    setSession(fleet.dir, alpha.record, { stop: 'ok' });
    expect((await ask(stage, 'stop', 'alpha')).code).toBe(0);
  });

  test('of one that does not run says so', async ({ stage }) => {
    const { fleet, alpha, agent } = await prepare(stage);
    await takeAway(agent, fleet, alpha);
    const asked = await ask(stage, 'stop', 'alpha', '--json');
    expect(asked.code).toBe(1);
    expect(readObjects(asked)).toMatchObject([
      { kind: 'refused', why: 'no-session', text: `${alpha.key} is not running.` },
    ]);
    expect(verbs(fleet)).toEqual([]);
  });
});

/** Waits for so much of the time that an agent counts. */
async function pauseFor(agent: RunningAgent, ms: number): Promise<void> {
  const from = agent.newest().poll.awakeMs;
  const isOver = ({ poll }: StatusDocument) => poll.awakeMs - from >= ms / TIME_SCALE;
  await agent.sees(isOver, 'enough time of the agent');
}
