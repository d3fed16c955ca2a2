import { describe, expect, test } from 'vitest';
import { newModel } from '../../src/fleet/model.ts';
import { windowsFrom } from '../../src/fleet/windows.ts';
import {
  absent,
  allNotices,
  anUpdate,
  defaultWindows,
  held,
  listed,
  sighting,
  WatchedFleet,
} from './watched-fleet.ts';

const a = listed('a');
const b = listed('b');

function watched(): WatchedFleet {
  const fleet = new WatchedFleet();
  fleet.look([a, b]);
  fleet.look([a, b]);
  fleet.effects.length = 0;
  return fleet;
}

describe('answers out of order', () => {
  test.each([
    ['the same answer again', 0],
    ['an older one', -1],
  ])('%s changes nothing', (_, offset) => {
    const fleet = watched();
    const { model } = fleet;
    fleet.at += 1000;
    const effects = fleet.send({
      kind: 'polled',
      id: fleet.lastPollId + offset,
      monoMs: fleet.monoMs + 1000,
      tookMs: 100,
      mode: 'full',
      observation: sighting([]),
    });
    expect(effects).toEqual([]);
    expect(fleet.model).toBe(model);
  });
});

describe('rows that are not running', () => {
  const hours = (count: number) => count * 3_600_000;

  test('go 24 h after they ended', () => {
    const fleet = watched();
    fleet.keepLooking(100_000, [absent('a'), b]);
    const endedAt = fleet.at;
    while (fleet.at < endedAt + hours(23)) fleet.look([absent('a'), b], { afterMs: 900_000 });
    expect(fleet.session('a').state).toBe('ended');
    while (fleet.at < endedAt + hours(24.3)) fleet.look([absent('a'), b], { afterMs: 900_000 });
    expect(fleet.view.sessions.map(({ key }) => key)).toEqual(['b']);
  });

  test('stay while their failure waits for a person', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(1000_000, [absent('a'), b]);
    const endedAt = fleet.at;
    while (fleet.at < endedAt + hours(50)) fleet.look([absent('a'), b], { afterMs: 900_000 });
    expect(fleet.session('a').state).toBe('down');
    fleet.send({ kind: 'acknowledged', key: 'a' });
    fleet.look([absent('a'), b]);
    expect(fleet.view.sessions.map(({ key }) => key)).toEqual(['b']);
  });

  test('go when their sandbox is missing from two sighted looks, not from one bad look', () => {
    const fleet = watched();
    fleet.keepLooking(100_000, [absent('a'), b]);
    fleet.look([b]);
    fleet.lookBlindly();
    fleet.look([absent('a'), b]);
    fleet.look([b]);
    expect(fleet.session('a').state).toBe('ended');
    fleet.lookBlindly();
    fleet.look([b]);
    expect(fleet.view.sessions.map(({ key }) => key)).toEqual(['b']);
  });

  test('one that is away stays, sandbox or not', () => {
    const fleet = watched();
    fleet.keepLooking(30_000, [b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('one that comes back after it was forgotten is new', () => {
    const fleet = watched();
    fleet.keepLooking(100_000, [absent('a'), b]);
    fleet.keepLooking(3000, [b]);
    fleet.look([listed('a', { life: 2 }), b]);
    expect(fleet.story.at(-1)).toBe('started a');
  });
});

describe('two workspaces that claim one key', () => {
  const other = { ...absent('a', held(101)), workspace: '/ws/elsewhere' };

  test('the row says so, once, and nothing acts on it', () => {
    const fleet = watched();
    fleet.keepLooking(3000, [a, b, other]);
    expect(fleet.story).toEqual(['conflict a']);
    expect(fleet.session('a')).toMatchObject({ health: ['conflict'], actions: [] });
    expect(fleet.session('b').health).toEqual([]);
    fleet.look([a, b]);
    expect(fleet.session('a').health).toEqual([]);
  });

  test('the same sandbox named twice is none', () => {
    const fleet = watched();
    fleet.look([a, b, absent('a', held(101))]);
    expect(fleet.session('a').health).toEqual([]);
  });
});

test('where a dead life is still listed beside the new one, the new one counts', () => {
  const fleet = watched();
  const a2 = listed('a', { life: 2, updated: true });
  fleet.look([a2, listed('a', { clients: null }), b]);
  expect(fleet.session('a').state).toBe('detached');
  expect(fleet.story).toEqual(['restarted a']);
});

describe('a poll out of turn', () => {
  const pollOf = (fleet: WatchedFleet) => {
    const { mode, reason } = fleet.view.poll;
    return `${reason} ${mode}`;
  };

  test.each([
    [{ kind: 'hinted' }, 'hint light'],
    [{ kind: 'woke' }, 'wake full'],
    [{ kind: 'refresh-asked' }, 'refresh full'],
    [{ kind: 'run-ended', end: { kind: 'done' } }, 'run-ended full'],
    [{ kind: 'run-step-failed', key: 'a', step: 'stop' }, 'hint light'],
  ] as const)('%j wants one: %s', (message, wanted) => {
    const fleet = watched();
    expect(pollOf(fleet)).toBe('idle full');
    fleet.send(message);
    expect(pollOf(fleet)).toBe(wanted);
    fleet.look([a, b], { mode: wanted.endsWith('full') ? 'full' : 'light' });
    expect(pollOf(fleet)).toBe('idle full');
  });

  test('a restart that our run announces wants a light one, once', () => {
    const fleet = watched();
    fleet.send({ kind: 'run-began', id: 'r1', origin: 'cli', scope: 'fleet', log: null });
    const before = pollOf(fleet);
    fleet.send({ kind: 'run-restarting', key: 'a' });
    expect(pollOf(fleet)).toBe('hint light');
    fleet.look([a, b], { mode: 'light' });
    fleet.send({ kind: 'run-restarting', key: 'a' });
    expect(pollOf(fleet)).not.toBe('hint light');
    expect(before).not.toBe('hint light');
  });

  test('the first poll is wanted from the start', () => {
    expect(pollOf(new WatchedFleet())).toBe('start full');
  });

  test('a light look does not meet a wish for a full one, but a full one meets a hint', () => {
    const fleet = watched();
    fleet.send({ kind: 'refresh-asked' });
    fleet.look([a, b], { mode: 'light' });
    expect(pollOf(fleet)).toBe('refresh full');
    fleet.send({ kind: 'hinted' });
    fleet.look([a, b], { mode: 'full' });
    expect(pollOf(fleet)).toBe('idle full');
  });

  test('a blind poll meets it too: nobody would be helped by a storm', () => {
    const fleet = watched();
    fleet.send({ kind: 'refresh-asked' });
    fleet.send({ kind: 'hinted' });
    fleet.lookBlindly();
    expect(pollOf(fleet)).toBe('blind light');
  });

  test.each(['hinted', 'refresh-asked'] as const)(
    'a poll that was in flight when it was %s may have missed the change',
    (kind) => {
      const fleet = watched();
      fleet.at += 700;
      fleet.send({ kind });
      // It took 400 ms and ended 300 ms after the wish.
      fleet.look([a, b], { afterMs: 1000, wallMs: 300, tookMs: 400 });
      expect(pollOf(fleet)).not.toBe('idle full');
      fleet.look([a, b], { tookMs: 400 });
      expect(pollOf(fleet)).toBe('idle full');
    },
  );

  test('a clock that was set back does not make it wish for ever', () => {
    const fleet = watched();
    fleet.send({ kind: 'refresh-asked' });
    fleet.look([a, b], { wallMs: -3_600_000 });
    expect(pollOf(fleet)).toBe('idle full');
  });
});

test('shims that wait are counted by key until they leave', () => {
  const fleet = watched();
  fleet.send({ kind: 'waiters-changed', key: 'a', count: 2 });
  expect(fleet.session('a').waitingShims).toBe(2);
  expect(fleet.session('b').waitingShims).toBe(0);
  fleet.send({ kind: 'waiters-changed', key: 'a', count: 0 });
  expect(fleet.session('a').waitingShims).toBe(0);
});

test('other settings hold from the next look on', () => {
  const fleet = watched();
  fleet.processes = [anUpdate];
  fleet.keepLooking(20_000, [absent('a'), b]);
  const settings = {
    pollFullSeconds: 900,
    returnWindowSeconds: 10,
    watchMinutes: 1,
    settleSeconds: 5,
  };
  fleet.send({
    kind: 'settings-changed',
    windows: windowsFrom(settings, 1),
    notify: { ...allNotices, late: false },
    quiet: { hours: null, failuresPass: true },
  });
  fleet.look([absent('a'), b]);
  expect(fleet.story).toEqual(['vanished a', 'late a']);
  fleet.keepLooking(40_000, [absent('a'), b]);
  expect(fleet.session('a').state).toBe('down');
});

test('a time that runs faster divides every window, and texts say real durations', () => {
  const fast = windowsFrom(
    { pollFullSeconds: 900, returnWindowSeconds: 90, watchMinutes: 15, settleSeconds: 60 },
    60,
  );
  expect(fast.returnMs).toBe(defaultWindows.returnMs / 60);
  expect(fast.poll.fullMs).toBe(defaultWindows.poll.fullMs / 60);
  const fleet = new WatchedFleet(newModel(fast, allNotices));
  fleet.processes = [anUpdate];
  const details = { afterMs: 25, tookMs: 10 };
  fleet.look([a], details);
  for (let count = 0; count < 60; count += 1) fleet.look([absent('a')], details);
  expect(fleet.session('a').state).toBe('missing');
  fleet.look([absent('a')], details);
  expect(fleet.session('a').state).toBe('overdue');
  expect(fleet.view.failures[0]?.text).toContain('1 min 30 s');
});

test('a sandy that is gone from the machine is shown as none', () => {
  const fleet = watched();
  fleet.send({ kind: 'sandy-found', sandy: null });
  expect(fleet.view.sandy).toBe(null);
  expect(fleet.session('a').actions).toEqual([]);
});
