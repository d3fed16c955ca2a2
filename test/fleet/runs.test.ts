import { describe, expect, test } from 'vitest';
import type { KeyedReason, RunEnd } from '../../src/fleet/finished-run.ts';
import {
  absent,
  anUpdate,
  held,
  listed,
  startedAtOf,
  updatedAtOf,
  WatchedFleet,
} from './watched-fleet.ts';

type Skipped = readonly KeyedReason[];

const a = listed('a');
const b = listed('b');
const a2 = listed('a', { life: 2, updated: true });
const b3 = listed('b', { life: 3, updated: true });

function watched(): WatchedFleet {
  const fleet = new WatchedFleet();
  fleet.look([a, b]);
  fleet.look([a, b]);
  fleet.effects.length = 0;
  return fleet;
}

const isoOf = (stamp: string) => new Date(stamp.replace(' ', 'T').replace(' +0000 UTC', 'Z'));

describe('a run from outside', () => {
  test('is summed up once, by sandy’s own stamps', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(4000, [absent('a'), b]);
    expect(fleet.view.run).toMatchObject({
      origin: 'outside',
      scope: 'fleet',
      phase: 'restarting',
      current: 'a',
      progress: [0, null],
      endedAt: null,
    });
    fleet.keepLooking(3000, [a2, b]);
    expect(fleet.view.run).toMatchObject({
      phase: 'settling',
      restarted: ['a'],
      progress: [1, null],
    });
    fleet.keepLooking(3000, [a2, absent('b')]);
    expect(fleet.view.run).toMatchObject({ phase: 'restarting', current: 'b' });
    fleet.processes = [];
    fleet.keepLooking(300_000, [a2, b3]);
    expect(fleet.view.run).toBe(null);
    const { lastRun } = fleet.view;
    expect(lastRun).toMatchObject({
      origin: 'outside',
      scope: 'fleet',
      phase: 'done',
      startedAt: isoOf(updatedAtOf(2)).toISOString(),
      endedAt: isoOf(startedAtOf(3)).toISOString(),
      restarted: ['a', 'b'],
      skipped: [],
      failed: [],
      log: null,
    });
    expect(fleet.story.filter((line) => line.startsWith('run'))).toEqual(['run-completed!']);
    const told = fleet.told.find(({ event }) => event.kind === 'run-completed');
    expect(told?.event.text).toBe('Rolling restart complete: 2 restarted, 0 failed.');
    expect(told?.event.incident).toBe(`run:${lastRun?.startedAt}`);
    expect(told?.event.run).toEqual(fleet.model.lastRun);
  });

  test('is settled when nothing has vanished or returned for 60 s, not before', () => {
    const fleet = watched();
    fleet.look([a2, b]);
    fleet.keepLooking(59_000, [a2, b]);
    expect(fleet.view.run?.phase).toBe('settling');
    fleet.look([a2, b]);
    expect(fleet.view.run).toBe(null);
  });

  test('that showed in one sample only is settled as late as any other', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.look([absent('a'), b]);
    fleet.processes = [];
    fleet.keepLooking(59_000, [a, b]);
    expect(fleet.view.run?.phase).toBe('settling');
    fleet.look([a, b]);
    expect(fleet.view).toMatchObject({ run: null, lastRun: null });
  });

  test('stays open while somebody with evidence is missing for less than the window', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(2000, [absent('a'), absent('b')]);
    fleet.processes = [];
    fleet.keepLooking(80_000, [a2, absent('b')]);
    expect(fleet.view.run).toMatchObject({ restarted: ['a'], current: 'b' });
    // The alarm: now it is overdue, and the sum names it.
    fleet.keepLooking(20_000, [a2, absent('b')]);
    expect(fleet.view.run).toBe(null);
    expect(fleet.view.lastRun).toMatchObject({
      restarted: ['a'],
      failed: [{ key: 'b', reason: 'did not come back' }],
    });
    expect(fleet.told.at(-1)?.event.text).toBe('Rolling restart complete: 1 restarted, 1 failed.');
  });

  test('a closing look that finds its process alive keeps it open, and asks again', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.look([a2, b]);
    const asked = fleet.keepLooking(300_000, [a2, b]);
    expect(asked.filter(({ kind }) => kind === 'look-for-updates')).toHaveLength(5);
    expect(fleet.view.run?.restarted).toEqual(['a']);
    fleet.processes = [];
    fleet.keepLooking(60_000, [a2, b]);
    expect(fleet.view.lastRun?.restarted).toEqual(['a']);
  });

  test.each([
    ['a dry run', { ...anUpdate, dryRun: true }],
    ['one of ours', { ...anUpdate, ours: true }],
  ])('%s doesn’t keep it open', (_, process) => {
    const fleet = watched();
    fleet.processes = [process];
    fleet.look([a2, b]);
    fleet.keepLooking(60_000, [a2, b]);
    expect(fleet.view.run).toBe(null);
  });

  test.each<[string, readonly (typeof anUpdate)[] | undefined]>([
    ['a process that hangs for ever', [anUpdate]],
    ['an answer that never comes', undefined],
  ])('%s doesn’t keep the sum for ever', (_, processes) => {
    const fleet = watched();
    fleet.processes = processes;
    fleet.look([a2, b]);
    fleet.keepLooking(899_000, [a2, b]);
    expect(fleet.view.run).not.toBe(null);
    fleet.look([a2, b]);
    expect(fleet.view.lastRun?.restarted).toEqual(['a']);
  });

  test('of which nobody came back has no summary: its alarms tell it', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(3000, [absent('a'), absent('b')]);
    expect(fleet.view.run).not.toBe(null);
    fleet.processes = [];
    fleet.keepLooking(1000_000, [absent('a'), absent('b')], 2000);
    expect(fleet.view).toMatchObject({ run: null, lastRun: null });
    expect(fleet.story.filter((line) => line.endsWith('!'))).toEqual(['late a!', 'late b!']);
  });

  test('whose only session was late is told by its return, not again by a sum', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(120_000, [absent('a'), b]);
    fleet.processes = [];
    fleet.keepLooking(70_000, [a2, b]);
    expect(fleet.story.filter((line) => /!$|^run/.test(line))).toEqual([
      'late a!',
      'back a!',
      'run-completed',
    ]);
    expect(fleet.view.lastRun?.restarted).toEqual(['a']);
  });

  test('a late one among others has its place in their sum', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(120_000, [absent('a'), b]);
    fleet.look([a2, b]);
    fleet.look([a2, absent('b')]);
    fleet.processes = [];
    fleet.keepLooking(70_000, [a2, b3]);
    expect(fleet.story.at(-1)).toBe('run-completed!');
    expect(fleet.view.lastRun?.restarted).toEqual(['a', 'b']);
  });

  test('a session restarted twice counts once, by its newest life', () => {
    const fleet = watched();
    fleet.look([a2, b]);
    fleet.look([listed('a', { life: 4, updated: true }), b]);
    fleet.keepLooking(61_000, [listed('a', { life: 4, updated: true }), b]);
    expect(fleet.view.lastRun).toMatchObject({
      restarted: ['a'],
      startedAt: isoOf(updatedAtOf(4)).toISOString(),
    });
  });

  test.each([
    ['a stop and start by hand', [listed('a', { life: 2 }), b]],
    ['a start in progress by hand', [absent('a', held(999)), b]],
  ])('%s opens none', (_, seen) => {
    const fleet = watched();
    fleet.keepLooking(3000, seen);
    expect(fleet.view.run).toBe(null);
  });

  test('changes older than a day go to the log only', () => {
    const hours = (count: number) => {
      const fleet = watched();
      fleet.at += count * 3_600_000;
      fleet.look([a2, b3]);
      fleet.keepLooking(61_000, [a2, b3]);
      return fleet.story.at(-1);
    };
    expect(hours(23)).toBe('run-completed!');
    expect(hours(25)).toBe('run-completed');
  });

  test('after its end a full look asks what is stale now', () => {
    const fleet = watched();
    fleet.look([a2, b]);
    fleet.keepLooking(60_000, [a2, b]);
    expect(fleet.view.poll).toMatchObject({ mode: 'full', reason: 'run-ended', nextInMs: 0 });
  });

  test('no sum is made on the look after a gap', () => {
    const fleet = watched();
    fleet.look([a2, b]);
    fleet.keepLooking(59_000, [a2, b]);
    fleet.look([a2, b], { afterMs: 3_600_000 });
    expect(fleet.view.run).not.toBe(null);
    fleet.look([a2, b]);
    expect(fleet.view.run).toBe(null);
  });
});

describe('a run of ours', () => {
  const began = {
    kind: 'run-began',
    id: 'r1',
    origin: 'schedule',
    scope: ['a', 'b'],
    log: '/state/runs/r1/log',
  } as const;

  test('is shown as it goes, and summed up when it has ended and polls confirm it', () => {
    const fleet = watched();
    const startedAt = new Date(fleet.at).toISOString();
    expect(fleet.send(began)).toMatchObject([
      { kind: 'tell', notice: false, event: { kind: 'run-started', incident: 'run-started:r1' } },
    ]);
    expect(fleet.view.run).toMatchObject({
      id: 'r1',
      origin: 'schedule',
      scope: ['a', 'b'],
      phase: 'building',
      startedAt,
      log: '/state/runs/r1/log',
      current: null,
      progress: [0, null],
    });
    expect(fleet.view.badge).toEqual({ state: 'updating', count: null });
    fleet.send({ kind: 'run-planned', total: 2, skipped: [] });
    expect(fleet.view.badge).toEqual({ state: 'updating', count: 2 });
    fleet.keepLooking(600_000, [a, b], 20_000);
    expect(fleet.view.run?.phase).toBe('building');
    fleet.send({ kind: 'run-restarting', key: 'a' });
    expect(fleet.view.run).toMatchObject({ phase: 'restarting', current: 'a' });
    fleet.keepLooking(3000, [absent('a'), b]);
    fleet.look([a2, b]);
    expect(fleet.view.run).toMatchObject({ restarted: ['a'], progress: [1, 2] });
    expect(fleet.view.badge).toEqual({ state: 'updating', count: 1 });
    fleet.send({ kind: 'run-restarting', key: 'b' });
    fleet.keepLooking(3000, [a2, absent('b')]);
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    fleet.look([a2, absent('b')]);
    // Its child's exit is no success: `b` is not back.
    expect(fleet.view.run).not.toBe(null);
    fleet.look([a2, b3]);
    expect(fleet.view.run).toBe(null);
    expect(fleet.view.lastRun).toMatchObject({
      id: 'r1',
      origin: 'schedule',
      scope: ['a', 'b'],
      phase: 'done',
      startedAt,
      endedAt: new Date(fleet.at).toISOString(),
      restarted: ['a', 'b'],
      failed: [],
      log: '/state/runs/r1/log',
    });
    expect(fleet.told.at(-1)).toMatchObject({
      notice: true,
      event: { kind: 'run-completed', incident: 'run:r1' },
    });
  });

  test('does not end by being quiet: an image build may take its time', () => {
    const fleet = watched();
    fleet.send(began);
    fleet.keepLooking(3600_000, [a, b], 20_000);
    expect(fleet.view.run?.id).toBe('r1');
  });

  test('waits for its own sessions only; another’s restart is summed up by itself', () => {
    const fleet = watched();
    fleet.send({ ...began, scope: ['b'] });
    fleet.processes = [anUpdate];
    fleet.keepLooking(3000, [absent('a'), b]);
    fleet.send({ kind: 'run-restarting', key: 'b' });
    fleet.look([absent('a'), absent('b')]);
    expect(fleet.view.run).toMatchObject({ id: 'r1', current: 'b' });
    fleet.look([absent('a'), b3]);
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    fleet.look([absent('a'), b3]);
    expect(fleet.view.lastRun).toMatchObject({ id: 'r1', restarted: ['b'], failed: [] });
    fleet.look([absent('a'), b3]);
    expect(fleet.view.run).toMatchObject({ origin: 'outside', current: 'a' });
    fleet.processes = [];
    fleet.keepLooking(100_000, [listed('a', { life: 4, updated: true }), b3]);
    expect(fleet.view.lastRun).toMatchObject({ origin: 'outside', restarted: ['a'] });
  });

  test('names what it could not start', () => {
    const fleet = watched();
    fleet.send(began);
    fleet.send({ kind: 'run-restarting', key: 'a' });
    fleet.keepLooking(3000, [absent('a'), b]);
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'start' });
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    fleet.look([absent('a'), b]);
    expect(fleet.view.lastRun).toMatchObject({ restarted: [], failed: [{ key: 'a' }] });
  });

  test('an older failure is not its own', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(100_000, [absent('a'), b]);
    expect(fleet.view.failures).toHaveLength(1);
    fleet.processes = [];
    fleet.keepLooking(10_000, [absent('a'), b]);
    fleet.send(began);
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.view.lastRun?.failed).toEqual([]);
  });

  test('one from outside that still settles is summed up when ours begins', () => {
    const fleet = watched();
    fleet.look([a2, b]);
    expect(fleet.view.run?.origin).toBe('outside');
    fleet.send(began);
    expect(fleet.view.lastRun).toMatchObject({ origin: 'outside', restarted: ['a'] });
    expect(fleet.story).toEqual(['restarted a', 'run-completed!', 'run-started']);
    expect(fleet.view.run).toMatchObject({ id: 'r1', restarted: [] });
  });

  test('messages of a run that nobody began change nothing that is shown', () => {
    const fleet = watched();
    fleet.send({ kind: 'run-planned', total: 3, skipped: [] });
    fleet.send({ kind: 'run-restarting', key: 'nobody' });
    fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
    expect(fleet.view.run).toBe(null);
  });
});

test('two looks within a restart, one after it, or one at the end: the same sum', () => {
  const sumOf = (looks: readonly (readonly Parameters<WatchedFleet['look']>[0][number][])[]) => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    for (const seen of looks) fleet.look(seen);
    fleet.processes = [];
    fleet.keepLooking(100_000, looks.at(-1) ?? []);
    const { id: _, ...sum } = fleet.view.lastRun ?? { id: null };
    const completed = fleet.story.filter((line) => line.startsWith('run'));
    return { sum, completed };
  };
  const often = sumOf([
    [absent('a'), b],
    [absent('a'), b],
    [listed('a', { life: 2, updated: true, clients: null }), b],
    [a2, b],
    [a2, absent('b')],
    [a2, absent('b')],
    [a2, b3],
  ]);
  expect(often.completed).toEqual(['run-completed!']);
  expect(often.sum).toMatchObject({ restarted: ['a', 'b'] });
  expect(
    sumOf([
      [absent('a'), b],
      [a2, b],
      [a2, b3],
    ]),
  ).toEqual(often);
  expect(
    sumOf([
      [a2, b],
      [a2, b3],
    ]),
  ).toEqual(often);
  expect(sumOf([[a2, b3]])).toEqual(often);
});

describe('our run whose command failed before anything was touched', () => {
  const begin = () => {
    const fleet = new WatchedFleet();
    fleet.look([listed('a')]);
    fleet.send({ kind: 'run-began', id: 'r', origin: 'cli', scope: 'fleet', log: null });
    return fleet;
  };
  const failed = { kind: 'failed', reason: 'sandy ended with code 1' } as const;

  test('is over at once where docker can not be reached: nothing is to be seen of it', () => {
    const fleet = begin();
    fleet.send({ kind: 'run-ended', end: failed });
    expect(fleet.model.run).not.toBe(null);
    fleet.lookBlindly();
    expect(fleet.model.run).toBe(null);
    expect(fleet.model.lastRun).toMatchObject({ id: 'r', outcome: 'failed', restarted: [] });
    expect(fleet.story.filter((line) => line.startsWith('run'))).toEqual([
      'run-started',
      'run-failed!',
    ]);
  });

  test('waits for a look where it had begun to restart', () => {
    const fleet = begin();
    fleet.send({ kind: 'run-restarting', key: 'a' });
    fleet.send({ kind: 'run-ended', end: failed });
    fleet.lookBlindly();
    expect(fleet.model.run).not.toBe(null);
  });
});

describe('what is told of the end of a run of ours', () => {
  const skip = (reason: string, ...keys: string[]) => keys.map((key) => ({ key, reason }));
  const idle = 'Nothing was restarted: no session needed it.';
  const unbuilt = skip('build failed', 'd');
  const busy = skip('active (idle 3m < 30m)', 'd', 'e', 'f');

  /** One that leaves these as they are, and restarts `a` and fails with `b` where asked. */
  function live(skipped: Skipped, restarts: string, end: RunEnd = { kind: 'done' }) {
    const fleet = watched();
    const total = restarts.length;
    fleet.send({ kind: 'run-began', id: 'r', origin: 'cli', scope: 'fleet', log: null });
    fleet.send({ kind: 'run-planned', total, skipped });
    let seen = [a, b];
    for (const key of restarts) {
      fleet.send({ kind: 'run-restarting', key });
      fleet.keepLooking(2000, key === 'a' ? [absent('a'), b] : [a2, absent('b')]);
      if (key === 'b') fleet.send({ kind: 'run-step-failed', key, step: 'start' });
      seen = [a2, key === 'a' ? b : absent('b')];
      fleet.look(seen);
    }
    fleet.send({ kind: 'run-ended', end });
    fleet.keepLooking(3000, seen);
    expect(fleet.view.run).toBe(null);
    const told = fleet.told.filter(({ event }) => /^run-[cf]/.test(event.kind));
    const { outcome, reason } = fleet.view.lastRun ?? {};
    return {
      told: told.map(({ event, notice }) => [event.kind, notice, event.text]),
      outcome,
      reason,
    };
  }

  test.each<[string, Skipped, string]>([
    ['no session', [], idle],
    ['all current', skip('current', 'd', 'e'), idle],
    [
      'some in use',
      [...busy, ...skip('current', 'g')],
      'Nothing was restarted: 3 sessions were left as they were, since they are in use.',
    ],
    [
      'one in use, as far as sandy can tell',
      skip('active (idle probe failed)', 'd'),
      'Nothing was restarted: 1 session was left as it was, since it is in use.',
    ],
    [
      'some for other reasons',
      [...busy, ...skip('staleness unknown', 'g')],
      'Nothing was restarted: 4 sessions were left as they were.',
    ],
  ])('that restarted nothing: %s', (_what, skipped, text) => {
    expect(live(skipped, '')).toEqual({
      told: [['run-completed', false, text]],
      outcome: 'done',
      reason: null,
    });
  });

  test.each<[string, Skipped, string, string, string]>([
    ['one', unbuilt, '', 'the image of d could not be built', 'No session was restarted.'],
    [
      'one, and others were in use',
      [...skip('build failed', 'g'), ...busy],
      '',
      'the image of g could not be built',
      'No session was restarted.',
    ],
    [
      'some, and another was restarted',
      skip('build failed', 'd', 'e'),
      'a',
      'the images of d and e could not be built',
      '1 session was restarted.',
    ],
    [
      'many, and of two one came back',
      skip('build failed', 'd', 'e', 'f', 'g', 'h'),
      'ab',
      'the images of d, e, f and 2 more could not be built',
      '1 session was restarted, and 1 failed.',
    ],
  ])('whose images could not be built: %s', (_what, skipped, restarts, reason, touched) => {
    expect(live(skipped, restarts)).toEqual({
      told: [['run-failed', true, `The update failed: ${reason}. ${touched}`]],
      outcome: 'failed',
      reason,
    });
  });

  test.each<[string, RunEnd, unknown]>([
    [
      'that failed for another reason has that one',
      { kind: 'failed', reason: 'sandy ended with code 1' },
      { outcome: 'failed', reason: 'sandy ended with code 1' },
    ],
    ['that was cancelled is', { kind: 'cancelled' }, { outcome: 'cancelled', reason: null }],
  ])('%s, also where an image could not be built', (_what, end, expected) => {
    expect(live(unbuilt, '', end)).toMatchObject(expected as object);
  });
});

describe('a start that does not come up', () => {
  test('is no loss of an update, and is told once', () => {
    const fleet = new WatchedFleet();
    fleet.look([listed('a')]);
    fleet.look([absent('a')]);
    fleet.keepLooking(100_000, [absent('a')]);
    expect(fleet.session('a').state).toBe('ended');
    fleet.send({ kind: 'start-failed', key: 'a', attempt: 's1', text: 'a could not be started.' });
    fleet.effects.length = 0;
    fleet.keepLooking(100_000, [listed('a', { life: 2, updated: true, clients: null })]);
    const late = fleet.told.filter(({ event }) => event.kind === 'late');
    expect(late.map(({ event, notice }) => [event.text, notice])).toEqual([
      [
        expect.stringMatching(/^a did not come up: it is being started and is not ready after /),
        false,
      ],
    ]);
  });
});
