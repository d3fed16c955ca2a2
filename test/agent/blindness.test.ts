import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import {
  readCalls,
  removeContainer,
  replaceContainer,
  setKnobs,
  setLock,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, stateOf, test, until } from './running-agent.ts';

const SCALE = 15;
const WINDOW_MS = 90_000 / SCALE;

describe.concurrent('docker away for longer than the window', () => {
  test.for(['blind', 'down'] as const)('(%s) takes nobody away', async (docker, { stage }) => {
    stage.scale(SCALE);
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    setKnobs(fleet.dir, { docker });
    setLock(fleet.dir, find(fleet, 'alpha').key, 'dead');
    const blind = await agent.sees(({ blindSince }) => blindSince !== null, 'docker away');
    expect(blind).toMatchObject({ docker: 'unreachable', badge: { state: 'unknown', count: 0 } });
    const asked = await stage.program.run(['status', '--json']);
    expect(asked.code).toBe(69);
    await pause(WINDOW_MS);
    expect(agent.newest().sessions.map(({ state }) => state)).toEqual(['detached', 'detached']);
    expect(agent.newest().blindSince).toBe(blind.blindSince);
    setKnobs(fleet.dir, { docker: 'up' });
    const sighted = await agent.sees(({ blindSince }) => blindSince === null, 'docker back');
    expect(sighted).toMatchObject({ docker: 'ok', failures: [], run: null });
    expect(sighted.sessions.map(({ state }) => state)).toEqual(['detached', 'detached']);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
    const kinds = (await stage.readLog()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'slept')).toEqual([
      'agent-started',
      'baseline',
      'blind',
      'sighted',
      'agent-stopped',
    ]);
  });

  test('freezes the window of a session that is missing', async ({ stage }) => {
    stage.scale(SCALE);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    const cron = stage.sandy(fleet, '--update-sessions', '--yes');
    await until(
      () => cron.stdout().includes('Refreshing images'),
      () => `the update: ${cron.stderr()}`,
    );
    removeContainer(fleet.dir, alpha.record);
    setLock(fleet.dir, alpha.key, 'free');
    await stage.logs('vanished', alpha);
    setKnobs(fleet.dir, { docker: 'blind' });
    await stage.logs('blind');
    const polls = readCalls(fleet.dir).length;
    await pause(WINDOW_MS);
    expect(readCalls(fleet.dir).length).toBeGreaterThan(polls);
    expect(agent.newest().failures).toEqual([]);
    setKnobs(fleet.dir, { docker: 'up' });
    await stage.logs('sighted');
    for (const look of await agent.looksAgain(2)) expect(stateOf(look, alpha)).toBe('missing');
    replaceContainer(fleet.dir, alpha.record, { updatedAt: '2026-01-02T03:04:01Z' });
    await stage.logs('restarted', alpha);
    cron.child.kill();
    await stage.logs('run-completed');
    expect(await stage.noticesAtEnd(agent)).toEqual(['run-completed']);
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
        reason: expect.stringContaining('Update & restart it.'),
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
