import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  readEvents,
  replaceContainer,
  setKnobs,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { expectFine, find, stateOf, test, until } from './running-agent.ts';

const UPDATED = '2026-01-02T03:04:01Z';

describe.concurrent('an update from outside', () => {
  test('of five, one late and one lost, is told by four notices', async ({ stage }) => {
    stage.scale(10);
    stage.configure({ watchMinutes: 2 });
    // Sandy takes the newest session first: delta comes before bravo.
    const fleet = await stage.addFleet([
      'alpha',
      { name: 'bravo', start: 'timeout', delays: { startTimeoutMs: 60_000 } },
      'charlie',
      { name: 'delta', start: 'refused' },
      'echo',
    ]);
    const [bravo, delta] = [find(fleet, 'bravo'), find(fleet, 'delta')];
    const agent = await stage.startAgent();
    await agent.sees((status) => status.checkedAt !== null, 'a first look');
    expect(agent.newest()).toMatchObject({ badge: { state: 'stale', count: 5 }, lastRun: null });

    const cron = stage.sandy(fleet, '--update-sessions', '--yes');
    await stage.logs('late', bravo);
    setSession(fleet.dir, bravo.record, { inner: 'up' });
    await stage.logs('back', bravo);
    const { text } = await stage.logs('run-completed');
    expect(text).toBe('Rolling restart complete: 4 restarted, 1 failed.');
    await stage.logs('down', delta);
    expect((await cron.ended).code).toBe(1);

    const status = await agent.sees(
      ({ failures, lastRun, sessions }) =>
        lastRun !== null &&
        stateOf({ sessions }, delta) === 'down' &&
        failures.length === 1 &&
        sessions.every(({ imageStale }) => imageStale !== true),
      'the images looked at again',
    );
    expect(status.badge).toEqual({ state: 'attention', count: 1 });
    expect(status.failures).toMatchObject([{ key: delta.key, kind: 'late' }]);
    expect(status.lastRun).toMatchObject({
      origin: 'outside',
      phase: 'done',
      failed: [{ key: delta.key, reason: 'did not come back' }],
    });
    expect(status.lastRun?.restarted.toSorted()).toEqual(
      ['alpha', 'bravo', 'charlie', 'echo'].map((name) => find(fleet, name).key),
    );
    expectFine(await stage.program.run(['ack', 'delta']));
    await agent.sees(({ failures }) => failures.length === 0, 'the failure acknowledged');
    expect(stateOf(agent.newest(), delta)).toBe('down');

    expect(agent.banners().map((line) => line.replace(/^\d\d:\d\d /, ''))).toEqual([
      expect.stringMatching(
        /^delta-\w+ did not come back: it went away for an update and is not back after \d min( \d+ s)?\.$/,
      ),
      expect.stringMatching(
        /^bravo-\w+ did not come back: it is still starting after \d min( \d+ s)?\.$/,
      ),
      expect.stringMatching(/^bravo-\w+ is back after \d min( \d+ s)?\.$/),
      expect.stringMatching(
        /^Rolling restart complete, 1 failed: delta-\w+ did not come back\. 4 restarted, 1 failed, .*\d\.$/,
      ),
    ]);
    expect(await stage.noticesAtEnd(agent)).toEqual([
      'late delta',
      'late bravo',
      'back bravo',
      'run-completed',
    ]);
    const log = await stage.readLog();
    expect(log.filter(({ kind }) => kind === 'restarted')).toHaveLength(4);
    expect(log.filter(({ kind }) => kind === 'down')).toMatchObject([{ key: delta.key }]);
  });

  test('shorter than any look is summed up all the same', async ({ stage }) => {
    stage.scale(30);
    stage.configure({ pollFullSeconds: 60 });
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    replaceContainer(fleet.dir, find(fleet, 'alpha').record, { updatedAt: UPDATED });
    await stage.logs('run-completed');
    expect(await stage.noticesAtEnd(agent)).toEqual(['run-completed']);
    expect(agent.banners()).toEqual([
      expect.stringMatching(/Rolling restart complete: alpha-\w+ was restarted for updates, /),
    ]);
    const kinds = (await stage.readLog()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'slept')).toEqual([
      'agent-started',
      'baseline',
      'restarted',
      'run-completed',
      'agent-stopped',
    ]);
  });

  test('that begins a start which does not end says so in its alarm', async ({ stage }) => {
    stage.scale(15);
    const fleet = await stage.addFleet([{ name: 'alpha', delays: { proxyMs: 3_600_000 } }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    stage.sandy(fleet, '--update-sessions', '--yes');
    const { text, notice } = await stage.logs('late', alpha);
    expect({ text, notice }).toEqual({
      text: expect.stringMatching(
        / did not come back: it is still starting after \d min( \d+ s)?\.$/,
      ),
      notice: true,
    });
    const { sessions } = await agent.seesState(alpha, 'overdue');
    expect(sessions[0]?.reason).toBe(text);
    expect(await stage.noticesAtEnd(agent)).toEqual(['late alpha']);
  });

  test('whose start has ended without a session is no start in progress', async ({ stage }) => {
    stage.scale(15);
    // The lock is taken long enough for a look to see it, and free again long before the alarm. The
    // start after it keeps the update alive.
    const fleet = await stage.addFleet([
      { name: 'bravo', delays: { proxyMs: 3_600_000 } },
      { name: 'alpha', start: 'refused', delays: { proxyMs: 15_000 } },
    ]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    stage.sandy(fleet, '--update-sessions', '--yes');
    const { text } = await stage.logs('late', alpha);
    expect(text).toMatch(/it went away for an update and is not back after \d min( \d+ s)?\.$/);
    const notices = await stage.noticesAtEnd(agent);
    expect(notices.filter((notice) => notice !== 'late bravo')).toEqual(['late alpha']);
  });

  test('that outlasts the watch is down until it answers', async ({ stage }) => {
    stage.scale(20);
    stage.configure({ watchMinutes: 2, pollFullSeconds: 60 });
    const fleet = await stage.addFleet([
      { name: 'alpha', start: 'timeout', delays: { startTimeoutMs: 0 } },
    ]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    stage.sandy(fleet, '--update-sessions', '--yes');
    await stage.logs('down', alpha);
    const { imagesCheckedAt } = await agent.seesState(alpha, 'down');
    const later = await agent.sees(
      (status) => status.imagesCheckedAt !== imagesCheckedAt,
      'another look at the same container',
    );
    expect(stateOf(later, alpha)).toBe('down');
    setSession(fleet.dir, alpha.record, { inner: 'up' });
    expect((await stage.logs('back', alpha)).text).toBe(`${alpha.key} is back.`);
    await agent.seesState(alpha, 'detached');
    const notices = await stage.noticesAtEnd(agent);
    expect(notices.filter((notice) => notice !== 'run-completed')).toEqual([
      'late alpha',
      'back alpha',
    ]);
    const downs = (await stage.readLog()).filter(({ kind }) => kind === 'down');
    expect(downs).toMatchObject([{ notice: false }]);
  });

  test('scoped to its workspace is evidence, however it names it', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet([{ name: 'alpha', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    const link = join(stage.program.folder, 'link');
    symlinkSync(alpha.workspace, link);
    // From where the stage runs sandy.
    const cron = stage.sandy(fleet, '--update-sessions', '--yes', '--workspace', './link/');
    await until(
      () => cron.stdout().includes('Refreshing images'),
      () => `the update: ${cron.stderr()}`,
    );
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('late', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual(['late alpha']);
  });

  test('scoped to another workspace is no evidence', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const [alpha, bravo] = [find(fleet, 'alpha'), find(fleet, 'bravo')];
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    const cron = stage.sandy(fleet, '--update-sessions', '--yes', '--workspace', bravo.workspace);
    await until(
      () => cron.stdout().includes('Refreshing images'),
      () => `the update: ${cron.stderr()}`,
    );
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('ended', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });

  test('that is only a dry run is no evidence', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    const check = stage.sandy(fleet, '--update-sessions', '--dry-run');
    await until(
      () => check.stdout().includes('Refreshing images'),
      () => `the dry run: ${check.stderr()}`,
    );
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('ended', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });

  test('of all that still builds is evidence for one that goes meanwhile', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    const cron = stage.sandy(fleet, '--update-sessions', '--yes');
    await until(
      () => cron.stdout().includes('Refreshing images'),
      () => `the update: ${cron.stderr()}`,
    );
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('late', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual(['late alpha']);
  });
});

describe.concurrent('what happened while no agent ran', () => {
  test('is summed up once at the next start', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', 'bravo', 'charlie']);
    const first = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    expect(await stage.noticesAtEnd(first)).toEqual([]);
    const cron = stage.sandy(fleet, '--update-sessions', '--yes');
    expect((await cron.ended).code).toBe(0);

    const second = await stage.startAgent({ watched: false });
    await stage.logs('run-completed');
    expect(await stage.noticesAtEnd(second)).toEqual(['run-completed']);
    const third = await stage.startAgent();
    await third.sees(({ poll }) => poll.reason === 'idle', 'a look');
    expect(await stage.noticesAtEnd(third)).toEqual(['run-completed']);
    expect([...second.banners(), ...third.banners()]).toEqual([
      expect.stringContaining('Rolling restart complete: 3 restarted, 0 failed, '),
    ]);
  });

  test('and is older than a day is in the log only', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha']);
    const first = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    await first.stop();
    // A day is 72 minutes here.
    const longAgo = new Date(Date.now() - 2 * 3_600_000).toISOString();
    setKnobs(fleet.dir, { extraFields: { container: { started_at: longAgo } } });
    replaceContainer(fleet.dir, find(fleet, 'alpha').record, {
      updatedAt: `${longAgo.slice(0, 19)}Z`,
    });
    const second = await stage.startAgent({ watched: false });
    await stage.logs('run-completed');
    expect(await stage.noticesAtEnd(second)).toEqual([]);
    expect(second.banners()).toEqual([]);
  });

  test('is not known at a first start, whatever the fleet looks like', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet([
      { name: 'alpha', updatedAt: UPDATED },
      { name: 'bravo', inner: 'gone' },
      { name: 'charlie', inner: 3_600_000, startedAt: Date.now() },
      { name: 'delta', running: false },
      { name: 'echo', lock: 'dead' },
      { name: 'foxtrot', lock: 'free' },
      { name: 'golf', running: false, lock: 'held' },
      { name: 'hotel', workspaceMissing: true },
    ]);
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    const status = await agent.sees(({ checkedAt }) => checkedAt !== null, 'a first look');
    expect(status.sessions.map(({ state }) => state)).toEqual([
      'detached',
      'ending',
      'starting',
      'detached',
      'detached',
      'detached',
    ]);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
    expect(agent.banners()).toEqual([]);
    const kinds = (await stage.readLog()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'slept')).toEqual([
      'agent-started',
      'baseline',
      'agent-stopped',
    ]);
    expect(readEvents(fleet.dir).every(({ why }) => why === 'seeded')).toBe(true);
  });
});
