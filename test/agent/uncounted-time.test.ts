import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import {
  readCalls,
  replaceContainer,
  setKnobs,
  setLock,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, stateOf, takeAway, test } from './running-agent.ts';

const SCALE = 12;
const WINDOW_MS = 90_000 / SCALE;
const DAY_MS = 86_400_000;

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
    const cron = await takeAway(stage, fleet, alpha);
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

describe.concurrent('time that the agent did not live', () => {
  test('spends no window: stopped and continued', async ({ stage }) => {
    stage.scale(SCALE);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    const cron = await takeAway(stage, fleet, alpha);
    agent.signal('SIGSTOP');
    await pause(WINDOW_MS);
    const continuedAt = new Date().toISOString();
    agent.signal('SIGCONT');
    const seen = await agent.sees(
      ({ checkedAt }) => checkedAt !== null && checkedAt > continuedAt,
      'a look after it went on',
    );
    expect(stateOf(seen, alpha)).toBe('missing');
    // Nor does the stopped time come back at the next looks.
    for (const look of await agent.looksAgain(2)) expect(stateOf(look, alpha)).toBe('missing');
    await stage.logs('slept');
    replaceContainer(fleet.dir, alpha.record, { updatedAt: '2026-01-02T03:04:01Z' });
    await stage.logs('restarted', alpha);
    cron.child.kill();
    await stage.logs('run-completed');
    expect(await stage.noticesAtEnd(agent)).toEqual(['run-completed']);
  });

  test('spends no window: killed and started again', async ({ stage }) => {
    stage.scale(SCALE);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const first = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    const cron = await takeAway(stage, fleet, alpha);
    first.signal('SIGKILL');
    await first.ended;
    await pause(WINDOW_MS);
    const agent = await stage.startAgent();
    const seen = await agent.sees(({ poll }) => poll.reason === 'missing', 'a look');
    expect(stateOf(seen, alpha)).toBe('missing');
    // What was known when it went is known still: its time runs on and ends in one alarm.
    await stage.logs('late', alpha);
    replaceContainer(fleet.dir, alpha.record, { updatedAt: '2026-01-02T03:04:01Z' });
    await stage.logs('back', alpha);
    cron.child.kill();
    expect(await stage.noticesAtEnd(agent)).toEqual(['late alpha', 'back alpha']);
    expect(first.banners()).toEqual([]);
  });

  test('nor does a clock that is set: no false alarm, and none lost', async ({ stage }) => {
    stage.scale(SCALE);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const shiftFile = join(stage.program.folder, 'clock-shift');
    const setClock = (shiftMs: number) => writeFileSync(shiftFile, String(shiftMs));
    setClock(0);
    const agent = await stage.startAgent({
      variables: { CLOCK_SHIFT_FILE: shiftFile },
      preloads: [join(import.meta.dirname, 'shifted-clock-preload.mjs')],
    });
    await stage.logs('baseline');
    const cron = await takeAway(stage, fleet, alpha);
    for (const days of [-1, 1, 0]) {
      const nowInDays = (iso: string | null) =>
        Math.round((Date.parse(iso ?? '') - Date.now()) / DAY_MS);
      setClock(days * DAY_MS);
      const seen = await agent.sees(
        ({ checkedAt }) => nowInDays(checkedAt) === days,
        `a look with the clock ${days} days off`,
      );
      expect(stateOf(seen, alpha)).toBe('missing');
    }
    const { text } = await stage.logs('late', alpha);
    expect(text).toMatch(/ is not back after \d min( \d+ s)?\.$/);
    replaceContainer(fleet.dir, alpha.record, { updatedAt: '2026-01-02T03:04:01Z' });
    await stage.logs('back', alpha);
    cron.child.kill();
    expect(await stage.noticesAtEnd(agent)).toEqual(['late alpha', 'back alpha']);
  });
});
