import { describe, expect } from 'vitest';
import {
  agentExits,
  removeContainer,
  removeSession,
  setLock,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, stateOf, test } from './running-agent.ts';

describe.concurrent('a stop by hand', () => {
  test('ends a session without a notice', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    const { text } = await stage.logs('ended', alpha);
    expect(text).toBe(`${alpha.key} ended; nothing says that it was an update.`);
    const status = await agent.seesState(alpha, 'ended');
    expect(status).toMatchObject({ failures: [], run: null, badge: { state: 'stale', count: 1 } });
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
    expect(agent.banners()).toEqual([]);
  });

  test('is told where a person wants that', async ({ stage }) => {
    stage.scale(30);
    stage.configure({ notify: { ended: true } });
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('ended', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual(['ended alpha']);
    expect(agent.banners()).toEqual([expect.stringContaining(`${alpha.key} ended`)]);
  });

  test('and a start at once is a return and nothing more', async ({ stage }) => {
    stage.scale(8);
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('vanished', alpha);
    await stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
    const { text } = await stage.logs('returned', alpha);
    expect(text).toBe(`${alpha.key} was restarted, not for an update.`);
    await agent.seesState(alpha, 'detached');
    expect(agent.newest()).toMatchObject({ run: null, lastRun: null });
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
    const kinds = (await stage.readLog()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'slept')).toEqual([
      'agent-started',
      'baseline',
      'vanished',
      'returned',
      'agent-stopped',
    ]);
  });

  test('and a start later is a start', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('ended', alpha);
    await stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
    await stage.logs('started', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });

  test('whose supervisor keeps the lock is no start in progress', async ({ stage }) => {
    stage.scale(20);
    stage.configure({ pollFullSeconds: 60 });
    const fleet = await stage.addFleet([{ name: 'alpha', delays: { lockLingersMs: 3_600_000 } }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('vanished', alpha);
    await agent.sees(
      ({ sessions }) => sessions[0]?.reason === 'It is not listed any more; nothing yet says why.',
      'that nobody knows why',
    );
    setLock(fleet.dir, alpha.key, 'free');
    await stage.logs('ended', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });

  test('whose lock stays held for good is explained and then ended', async ({ stage }) => {
    stage.scale(20);
    stage.configure({ pollFullSeconds: 60 });
    const fleet = await stage.addFleet([{ name: 'alpha', delays: { lockLingersMs: 3_600_000 } }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await agent.sees(
      ({ sessions }) => sessions[0]?.reason?.includes('old supervisor is alive') === true,
      'why it may not be listed',
    );
    await stage.logs('ended', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });

  test('and a sandbox that is removed leave no row', async ({ stage }) => {
    stage.scale(30);
    stage.configure({ pollFullSeconds: 60 });
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('ended', alpha);
    removeSession(fleet.dir, alpha.record);
    await agent.sees((status) => stateOf(status, alpha) === null, 'the row gone');
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
    const after = await stage.program.run(['status', '--json']);
    expect(JSON.parse(after.stdout).sessions).toMatchObject([{ key: find(fleet, 'bravo').key }]);
  });
});

describe.concurrent('an agent inside that quits', () => {
  test('ends its session', async ({ stage }) => {
    stage.scale(20);
    stage.configure({ pollFullSeconds: 60 });
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    setSession(fleet.dir, alpha.record, { inner: 'gone' });
    await agent.seesState(alpha, 'ending');
    // By the second of them it has given no answer for 15 s.
    await agent.looksAgain(2);
    removeContainer(fleet.dir, alpha.record);
    setLock(fleet.dir, alpha.key, 'free');
    const { text } = await stage.logs('quit', alpha);
    expect(text).toBe(`${alpha.key} ended: the agent inside quit.`);
    const status = await agent.seesState(alpha, 'ended');
    expect(status.sessions[0]).toMatchObject({ reason: 'The agent inside quit.' });
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });

  test.for([
    ['an old sandy that does not look after it', { version: '1.2.0' }, 'held'],
    ['its supervisor gone', {}, 'dead'],
  ] as const)('with %s is a zombie', async ([, knobs, lock], { stage }) => {
    stage.scale(20);
    stage.configure({ pollFullSeconds: 60 });
    const fleet = await stage.addFleet(['alpha'], knobs);
    const alpha = find(fleet, 'alpha');
    if (lock === 'dead') setLock(fleet.dir, alpha.key, 'dead');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    await agentExits(fleet.dir, alpha.record);
    const ending = await agent.seesState(alpha, 'ending');
    expect(ending.sessions[0]).toMatchObject({ attachedClients: null, health: [] });
    const zombie = await agent.sees(
      ({ sessions }) => sessions[0]?.health.includes('zombie') === true,
      'a zombie',
    );
    expect(zombie).toMatchObject({ failures: [], sessions: [{ state: 'ending' }] });
    expect(zombie.sessions[0]?.reason).toMatch(/Stop it, then start it again/);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
    expect(agent.banners()).toEqual([]);
  });
});
