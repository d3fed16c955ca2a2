import { describe, expect } from 'vitest';
import { replaceContainer, setKnobs, setSession } from '../../fixtures/fake-sandy/fleet.mjs';
import {
  ask,
  begin,
  callsOf,
  finish,
  killAgent,
  prepare,
  readFailures,
  readObjects,
  readStatus,
  takeAway,
} from './asking.ts';
import { test, until } from './running-agent.ts';

describe.concurrent('a start', () => {
  test('that fails is pinned until another one works', async ({ stage }) => {
    const { fleet, alpha, agent } = await prepare(stage);
    await takeAway(agent, fleet, alpha);
    setSession(fleet.dir, alpha.record, { start: 'refused' });
    const failed = await ask(stage, 'start', 'alpha', '--json');
    expect(failed.code).toBe(1);
    const text = `${alpha.key} could not be started: sandy ended with code 1. Its last words: “[sandy] Daemon startup was refused before it could launch (see the guidance above).”. Start it in a terminal: sandy-tray start ${alpha.key}`;
    expect(readObjects(failed)).toMatchObject([{ kind: 'start-failed', text, retryable: true }]);
    const pinned = await readFailures(stage);
    expect(pinned).toMatchObject([{ key: alpha.key, kind: 'start-failed', text }]);
    await killAgent(agent);
    const next = await stage.startAgent();
    expect(await readFailures(stage)).toEqual(pinned);

    expect((await ask(stage, 'start', 'alpha')).code).toBe(1);
    expect(callsOf(fleet, '--start')).toHaveLength(2);
    setSession(fleet.dir, alpha.record, { start: 'ok' });
    expect(await ask(stage, 'start', 'alpha')).toMatchObject({ code: 0, stderr: '' });
    expect(callsOf(fleet, '--start')).toHaveLength(3);
    expect((await readStatus(stage)).failures).toEqual([]);
    const log = await stage.readLog();
    expect(log.filter(({ kind }) => kind === 'start-failed')).toHaveLength(2);
    expect(next.newest().badge.state).not.toBe('attention');
  });

  test('that hangs is pinned when sandy gives it up', async ({ stage }) => {
    const { fleet, alpha, agent } = await prepare(stage, { startTimeoutMs: 60_000 });
    await takeAway(agent, fleet, alpha);
    setSession(fleet.dir, alpha.record, { start: 'timeout' });
    const failed = await ask(stage, 'start', 'alpha', '--json');
    expect(failed.code).toBe(1);
    expect(readObjects(failed)).toMatchObject([{ kind: 'start-failed' }]);
    expect(await readFailures(stage)).toMatchObject([{ key: alpha.key, kind: 'start-failed' }]);
    // It becomes ready after all.
    setSession(fleet.dir, alpha.record, { inner: 'up' });
    await agent.sees(({ failures }) => failures.length === 0, 'the failure gone');
  });

  test('that sandy only claims is pinned after 90 s', async ({ stage }) => {
    const { fleet, alpha, agent } = await prepare(stage);
    await takeAway(agent, fleet, alpha);
    setSession(fleet.dir, alpha.record, { start: 'claimed' });
    const failed = await ask(stage, 'start', 'alpha', '--json');
    expect(failed.code).toBe(1);
    expect(readObjects(failed)).toMatchObject([
      {
        kind: 'start-failed',
        text: expect.stringContaining('could not be started: sandy said that it had done it.'),
      },
    ]);
    expect(await readFailures(stage)).toMatchObject([{ kind: 'start-failed' }]);
    setSession(fleet.dir, alpha.record, { start: 'ok' });
    expect((await ask(stage, 'start', 'alpha')).code).toBe(0);
    expect(await readFailures(stage)).toEqual([]);
  });

  test('may take a moment to show after sandy said that it is done', async ({ stage }) => {
    const { fleet, alpha, agent } = await prepare(stage);
    await takeAway(agent, fleet, alpha);
    setSession(fleet.dir, alpha.record, { start: 'claimed' });
    const asked = begin(stage, 'start', 'alpha', '--json');
    const looksAfter = () => {
      const [start] = callsOf(fleet, '--start');
      const doneAt = start?.exitedAt ?? Number.POSITIVE_INFINITY;
      return callsOf(fleet, '--print-state').filter(
        ({ at, exitedAt }) => at > doneAt && exitedAt !== null,
      );
    };
    await until(
      () => looksAfter().length > 0,
      () => 'a look that saw nothing',
    );
    replaceContainer(fleet.dir, alpha.record);
    const { code, ...output } = await finish(asked);
    expect(readObjects(output)).toMatchObject([{ kind: 'ok' }]);
    expect(code).toBe(0);
    expect(await readFailures(stage)).toEqual([]);
  });

  test('without docker says that, and pins nothing', async ({ stage }) => {
    const { fleet, alpha, agent } = await prepare(stage);
    await takeAway(agent, fleet, alpha);
    setKnobs(fleet.dir, { docker: 'down' });
    const down = await ask(stage, 'start', 'alpha', '--json');
    expect(down.code).toBe(69);
    expect(readObjects(down)).toMatchObject([{ kind: 'docker-unreachable', retryable: true }]);
    expect(await ask(stage, 'start', 'alpha')).toMatchObject({
      code: 69,
      stderr: 'Docker cannot be reached. Start it and try again.\n',
    });
    expect(await readFailures(stage)).toEqual([]);
    setKnobs(fleet.dir, { docker: 'up' });
    expect((await ask(stage, 'start', 'alpha')).code).toBe(0);
  });
});
