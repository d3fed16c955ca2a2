import { describe, expect } from 'vitest';
import { replaceContainer, setKnobs, setLock } from '../../fixtures/fake-sandy/fleet.mjs';
import { find, takeAway, test, until } from './running-agent.ts';

const UPDATED = '2026-01-02T03:04:01Z';

describe.concurrent('an agent that is killed', () => {
  test('finds the same session in a new container: one row, told once', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const first = await stage.startAgent();
    const before = await first.sees(({ checkedAt }) => checkedAt !== null, 'a look');
    await stage.saved();
    first.signal('SIGKILL');
    await first.ended;
    replaceContainer(fleet.dir, alpha.record, { updatedAt: UPDATED });
    const second = await stage.startAgent();
    await stage.logs('run-completed');
    const after = await second.sees(({ lastRun }) => lastRun !== null, 'the sum');
    expect(after.sessions.map(({ key }) => key)).toEqual([alpha.key]);
    expect(after.sessions[0]?.updatedAt).toBe('2026-01-02T03:04:01.000Z');
    expect(after.epoch).not.toBe(before.epoch);
    await until(
      () => second.banners().length === 1,
      () => 'the notice',
    );
    second.signal('SIGKILL');
    await second.ended;
    const third = await stage.startAgent();
    await third.sees(({ poll }) => poll.reason === 'idle', 'a look');
    expect(third.newest().lastRun).toEqual(after.lastRun);
    expect(await stage.noticesAtEnd(third)).toEqual(['run-completed']);
    expect((await stage.readLog()).filter(({ kind }) => kind === 'restarted')).toHaveLength(1);
    expect(third.banners()).toEqual([]);
  });

  test('keeps a failure pinned, does not tell it again, and goes on to its end', async ({
    stage,
  }) => {
    stage.scale(20);
    stage.configure({ watchMinutes: 3 });
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const first = await stage.startAgent();
    await stage.logs('baseline');
    await takeAway(stage, fleet, alpha);
    const alarmed = await first.seesState(alpha, 'overdue');
    await until(
      () => first.banners().length === 1,
      () => 'the alarm',
    );
    first.signal('SIGKILL');
    await first.ended;
    const second = await stage.startAgent();
    await stage.logs('down', alpha);
    await second.seesState(alpha, 'down');
    expect(second.newest().failures).toMatchObject([{ key: alpha.key, kind: 'late' }]);
    expect(alarmed.failures).toMatchObject([{ key: alpha.key, kind: 'late' }]);
    replaceContainer(fleet.dir, alpha.record, { updatedAt: UPDATED });
    expect(await stage.noticesAtEnd(second)).toEqual(['late alpha']);
    expect(second.banners()).toEqual([]);
    const third = await stage.startAgent();
    await stage.logs('back', alpha);
    await third.seesState(alpha, 'detached');
    expect(await stage.noticesAtEnd(third)).toEqual(['late alpha', 'back alpha']);
  });

  test('is seen as another life by whoever watches', async ({ stage }) => {
    await stage.addFleet(['alpha']);
    const first = await stage.startAgent();
    await first.sees(({ checkedAt }) => checkedAt !== null, 'a look');
    const { epoch, rev, agent } = first.newest();
    first.signal('SIGKILL');
    await first.ended;
    const second = await stage.startAgent();
    await second.sees(({ agent: now }) => now?.pid !== agent?.pid, 'the next life');
    expect(second.newest().epoch).not.toBe(epoch);
    expect(rev).toBeGreaterThan(0);
    await second.stop();
  });
});

describe.concurrent('a reboot', () => {
  test('leaves sessions without supervisors and raises no alarm', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const before = await stage.startAgent({ watched: false });
    await stage.saved();
    before.signal('SIGKILL');
    await before.ended;
    setKnobs(fleet.dir, { docker: 'down' });
    for (const { key } of fleet.sessions) setLock(fleet.dir, key, 'dead');

    const agent = await stage.startAgent();
    await agent.sees(({ blindSince }) => blindSince !== null, 'docker not there yet');
    setKnobs(fleet.dir, { docker: 'up' });
    const status = await agent.sees(({ docker }) => docker === 'ok', 'docker there');
    for (const session of status.sessions) {
      expect(session).toMatchObject({
        state: 'detached',
        health: ['supervisor-lost'],
        reason: expect.stringContaining('Stop it, then start it again.'),
      });
    }
    expect(status.sessions).toHaveLength(2);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
    const kinds = (await stage.readLog()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'slept')).toEqual([
      'agent-started',
      'baseline',
      'agent-started',
      'blind',
      'sighted',
      'agent-stopped',
    ]);
  });
});
