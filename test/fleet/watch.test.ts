import { describe, expect, test } from 'vitest';
import { newModel } from '../../src/fleet/model.ts';
import {
  absent,
  allNotices,
  anUpdate,
  defaultWindows,
  free,
  held,
  listed,
  muteSandy,
  olderSandy,
  WatchedFleet,
} from './watched-fleet.ts';

/** A fleet that has seen `a` and `b` ready twice. */
function watched(): WatchedFleet {
  const fleet = new WatchedFleet();
  fleet.look([listed('a'), listed('b')]);
  fleet.look([listed('a'), listed('b')]);
  fleet.effects.length = 0;
  return fleet;
}

/** The same, with `a` away and an update to blame. */
function bereft(): WatchedFleet {
  const fleet = watched();
  fleet.processes = [anUpdate];
  fleet.look([absent('a'), listed('b')]);
  fleet.look([absent('a'), listed('b')]);
  fleet.processes = [];
  return fleet;
}

const b = listed('b');

describe('any: listed with an integer', () => {
  test('the first look is the baseline, and silent', () => {
    const fleet = new WatchedFleet();
    fleet.look([listed('a', { clients: 1 }), listed('b', { updated: true }), absent('c')]);
    expect(fleet.story).toEqual(['baseline']);
    expect(fleet.view.sessions.map(({ key, state }) => [key, state])).toEqual([
      ['a', 'running'],
      ['b', 'detached'],
    ]);
    fleet.keepLooking(200_000, [listed('a', { clients: 1 }), listed('b', { updated: true })]);
    expect(fleet.story).toEqual(['baseline']);
  });

  test('running with a client, detached without; no word about either', () => {
    const fleet = watched();
    fleet.look([listed('a', { clients: 2 }), b]);
    expect(fleet.session('a')).toMatchObject({ state: 'running', attachedClients: 2 });
    fleet.look([listed('a'), b]);
    expect(fleet.session('a')).toMatchObject({ state: 'detached', attachedClients: 0 });
    expect(fleet.story).toEqual([]);
  });

  test('a new session has started', () => {
    const fleet = watched();
    fleet.look([listed('a'), b, listed('c')]);
    expect(fleet.story).toEqual(['started c']);
  });

  test('a new session is told of once, when it is ready', () => {
    const fleet = watched();
    fleet.keepLooking(5000, [listed('a'), b, listed('c', { clients: null })]);
    expect(fleet.session('c').state).toBe('starting');
    expect(fleet.story).toEqual([]);
    fleet.keepLooking(5000, [listed('a'), b, listed('c')]);
    expect(fleet.story).toEqual(['started c']);
  });

  test('under a life that an update made it was restarted for it, without a banner of its own', () => {
    const fleet = bereft();
    fleet.look([listed('a', { life: 2, updated: true }), b]);
    expect(fleet.story).toEqual(['vanished a', 'restarted a']);
    expect(fleet.session('a')).toMatchObject({ state: 'detached', reason: null });
  });

  test('under another life it was restarted by hand', () => {
    const fleet = bereft();
    fleet.look([listed('a', { life: 2 }), b]);
    expect(fleet.story).toEqual(['vanished a', 'returned a']);
    expect(fleet.told.at(-1)?.event.text).toContain('not for an update');
  });

  test('under the same life it was resumed', () => {
    const fleet = bereft();
    fleet.look([listed('a'), b]);
    expect(fleet.story).toEqual(['vanished a', 'returned a']);
    expect(fleet.told.at(-1)?.event.text).toBe('a is back after 1 s; the same container.');
  });

  test('a restart shorter than any look is seen by its life', () => {
    const fleet = watched();
    fleet.look([listed('a', { life: 2, updated: true }), listed('b', { life: 2 })]);
    expect(fleet.story).toEqual(['restarted a', 'returned b']);
  });

  test('another container of the same second is another life', () => {
    const fleet = watched();
    const { session, ...rest } = listed('a');
    if (session === null) throw new Error('it is listed');
    const incarnation = { ...session.incarnation, id: 'another' };
    fleet.look([{ ...rest, session: { ...session, incarnation } }, b]);
    expect(fleet.story).toEqual(['returned a']);
  });

  test('the same id back after blindness is the same session, resumed', () => {
    const fleet = watched();
    for (let count = 0; count < 20; count += 1) fleet.lookBlindly({ afterMs: 60_000 });
    fleet.look([listed('a'), b]);
    expect(fleet.story).toEqual(['blind', 'sighted']);
    expect(fleet.view.run).toBe(null);
  });

  test.each(['stopped', 'ended'])('out of %s it is a start, in no summary', (state) => {
    const fleet = watched();
    if (state === 'stopped') fleet.send({ kind: 'stop-intended', key: 'a' });
    fleet.keepLooking(100_000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe(state);
    fleet.effects.length = 0;
    fleet.look([listed('a', { life: 2, updated: true }), b]);
    expect(fleet.story).toEqual(['started a']);
    expect(fleet.view.run).toBe(null);
  });

  test('out of an alarm it also takes the alarm back, under the incident it was told by', () => {
    const fleet = bereft();
    fleet.keepLooking(158_000, [absent('a'), b]);
    const late = fleet.told.find(({ event }) => event.kind === 'late');
    fleet.effects.length = 0;
    fleet.look([listed('a', { life: 2, updated: true }), b]);
    expect(fleet.story).toEqual(['restarted a', 'back a!']);
    const back = fleet.told[1]?.event;
    expect(back?.text).toBe('a is back after 2 min 39 s.');
    expect(back?.incident).toBe(late?.event.incident);
    expect(fleet.view.failures).toEqual([]);
  });
});

describe('listed without an answer', () => {
  test('under the life we know it is ending, and nobody is told', () => {
    const fleet = watched();
    fleet.keepLooking(600_000, [listed('a', { clients: null }), b], 5000);
    expect(fleet.session('a')).toMatchObject({ state: 'ending', health: ['zombie'] });
    expect(fleet.story).toEqual([]);
  });

  test('it is a zombie after 90 s, not before', () => {
    const fleet = watched();
    fleet.keepLooking(90_000, [listed('a', { clients: null }), b]);
    expect(fleet.session('a').health).toEqual([]);
    fleet.look([listed('a', { clients: null }), b]);
    expect(fleet.session('a').health).toEqual(['zombie']);
  });

  test('an old container first seen silent is ending, one younger than 10 min is starting', () => {
    const fleet = new WatchedFleet();
    fleet.at += 10_000 + 600_000;
    fleet.look([listed('a', { clients: null }), listed('c', { life: 2, clients: null })], {
      afterMs: 0,
    });
    expect(fleet.session('a')).toMatchObject({ state: 'ending', health: [] });
    expect(fleet.session('c').state).toBe('starting');
  });

  test('under another life it keeps the clock of the absence, or starts one', () => {
    const fleet = bereft();
    fleet.keepLooking(50_000, [absent('a'), b]);
    fleet.keepLooking(38_000, [listed('a', { life: 2, clients: null }), b]);
    expect(fleet.session('a').state).toBe('starting');
    fleet.keepLooking(2000, [listed('a', { life: 2, clients: null }), b]);
    expect(fleet.session('a').state).toBe('overdue');
  });

  test('nobody can attach to it for 600 s: down, pinned, one banner', () => {
    const fleet = watched();
    const unready = listed('a', { life: 2, clients: null });
    fleet.keepLooking(600_000, [unready, b]);
    expect(fleet.session('a').state).toBe('starting');
    fleet.look([unready, b]);
    expect(fleet.session('a').state).toBe('down');
    expect(fleet.view.failures).toMatchObject([{ key: 'a', kind: 'not-attachable' }]);
    expect(fleet.story).toEqual(['vanished a', 'down a!']);
    fleet.keepLooking(600_000, [unready, b]);
    fleet.keepLooking(10_000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('down');
    expect(fleet.story).toEqual(['vanished a', 'down a!']);
  });

  test('an alarm before that makes it one incident: no second banner', () => {
    const fleet = watched();
    const unready = listed('a', { life: 2, updated: true, clients: null });
    fleet.keepLooking(601_000, [unready, b]);
    expect(fleet.story.filter((line) => line.endsWith('!'))).toEqual(['late a!']);
    expect(fleet.view.failures).toMatchObject([{ kind: 'not-attachable' }]);
  });

  test.each([
    ['an answer', listed('a', { life: 2 }), 'detached'],
    ['another life', listed('a', { life: 3, clients: null }), 'starting'],
  ])('not-attachable is left by %s', (_, seen, state) => {
    const fleet = watched();
    fleet.keepLooking(601_000, [listed('a', { life: 2, clients: null }), b]);
    fleet.keepLooking(2000, [seen, b]);
    expect(fleet.session('a').state).toBe(state);
  });
});

describe('up: absent', () => {
  test('one sample is shown as missing and forgiven', () => {
    const fleet = watched();
    fleet.look([absent('a'), b]);
    expect(fleet.session('a')).toMatchObject({ state: 'missing', attachedClients: null });
    fleet.look([listed('a'), b]);
    expect(fleet.session('a').state).toBe('detached');
    expect(fleet.story).toEqual([]);
  });

  test('the second sample must be sighted too', () => {
    const fleet = watched();
    fleet.look([absent('a'), b]);
    fleet.lookBlindly();
    fleet.lookBlindly();
    expect(fleet.story).toEqual(['blind']);
    fleet.look([absent('a'), b]);
    expect(fleet.story).toEqual(['blind', 'sighted', 'vanished a']);
  });

  test('absent twice while a stop is meant: stopped at once, without a banner', () => {
    const fleet = watched();
    fleet.send({ kind: 'stop-intended', key: 'a' });
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
    fleet.look([absent('a'), b]);
    expect(fleet.session('a')).toMatchObject({ state: 'stopped', reason: 'It was stopped.' });
    expect(fleet.story).toEqual(['stopped a']);
  });

  test('a stop is meant from when it was asked, however long ago the last look was', () => {
    const fleet = watched();
    fleet.at += 600_000;
    fleet.send({ kind: 'stop-intended', key: 'a' });
    fleet.look([absent('a'), b], { afterMs: 605_000, wallMs: 5000 });
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('stopped');
  });

  test('a stop that did not show within 120 s was not this one', () => {
    const fleet = watched();
    fleet.send({ kind: 'stop-intended', key: 'a' });
    fleet.keepLooking(121_000, [listed('a'), b]);
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('a stop meant for another life is spent', () => {
    const fleet = watched();
    fleet.send({ kind: 'stop-intended', key: 'a' });
    fleet.look([listed('a', { life: 2 }), b]);
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('a stop meant for another key is none', () => {
    const fleet = watched();
    fleet.send({ kind: 'stop-intended', key: 'b' });
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('a stop that is meant while it is away ends the waiting, an alarm included', () => {
    const fleet = bereft();
    fleet.keepLooking(100_000, [absent('a'), b]);
    expect(fleet.view.failures).toHaveLength(1);
    fleet.send({ kind: 'stop-intended', key: 'a' });
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('stopped');
    expect(fleet.view.failures).toEqual([]);
  });

  test.each([
    [15_000, 'ended', ['quit a!']],
    [14_000, 'missing', ['vanished a']],
  ])('silent for %i ms before, and no evidence: %s', (silentMs, state, story) => {
    const fleet = watched();
    fleet.keepLooking(silentMs + 1000, [listed('a', { clients: null }), b]);
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe(state);
    expect(fleet.story).toEqual(story);
  });

  test('silent before, but an update is at work: awaited', () => {
    const fleet = watched();
    fleet.keepLooking(20_000, [listed('a', { clients: null }), b]);
    fleet.processes = [anUpdate];
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('a sandy without --update-sessions awaits nothing', () => {
    const fleet = watched();
    fleet.send({ kind: 'sandy-found', sandy: olderSandy });
    const effects = fleet.look([absent('a'), b]);
    expect(effects.map(({ kind }) => kind)).toEqual(['tell']);
    expect(fleet.session('a').state).toBe('ended');
    expect(fleet.story).toEqual(['ended a!']);
    expect(fleet.told[0]?.event.text).toBe('a ended.');
  });

  test('a sandy that could not say what it can do may update: awaited', () => {
    const fleet = watched();
    fleet.send({ kind: 'sandy-found', sandy: muteSandy });
    fleet.processes = [anUpdate];
    fleet.keepLooking(91_000, [absent('a'), b]);
    expect(fleet.story).toEqual(['vanished a', 'late a!']);
  });

  test('absent twice: away since the first sample', () => {
    const fleet = watched();
    fleet.look([absent('a'), b]);
    const since = new Date(fleet.at).toISOString();
    fleet.look([absent('a'), b]);
    expect(fleet.session('a')).toMatchObject({ state: 'missing', since });
    expect(fleet.story).toEqual(['vanished a']);
  });
});

describe('our run reports a failed step', () => {
  test('absent: down at once', () => {
    const fleet = bereft();
    const effects = fleet.send({ kind: 'run-step-failed', key: 'a', step: 'start' });
    expect(effects).toMatchObject([{ kind: 'tell', notice: true, event: { kind: 'down' } }]);
    expect(fleet.session('a').state).toBe('down');
    expect(fleet.view.failures).toMatchObject([{ key: 'a', kind: 'update-failed' }]);
    expect(fleet.view.failures[0]?.text).toContain('Sandy gives no reason');
  });

  test('still listed: remembered, and down once it is absent twice', () => {
    const fleet = watched();
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'stop' });
    fleet.keepLooking(20_000, [listed('a'), b]);
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('down');
    expect(fleet.story).toEqual(['down a!']);
    expect(fleet.view.failures[0]?.text).toContain('stopping it failed');
  });

  const dying = listed('a', { life: 2, updated: true, clients: null });

  test('its new container still listed: remembered, and down once that is gone', () => {
    const fleet = bereft();
    fleet.look([dying, b]);
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'start' });
    fleet.keepLooking(20_000, [dying, b]);
    expect(fleet.session('a').state).toBe('starting');
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('down');
    expect(fleet.view.failures).toMatchObject([{ key: 'a', kind: 'update-failed' }]);
    expect(fleet.story).toEqual(['vanished a', 'down a!']);
  });

  test('its new container not seen yet: a start that failed is remembered for that', () => {
    const fleet = watched();
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'start' });
    fleet.look([dying, b]);
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('down');
  });

  test('a stop that failed was of the life before', () => {
    const fleet = watched();
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'stop' });
    fleet.look([dying, b]);
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('its new container listed past the alarm: the same incident, no second banner', () => {
    const fleet = bereft();
    fleet.keepLooking(100_000, [dying, b]);
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'start' });
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('down');
    expect(fleet.view.failures).toMatchObject([{ key: 'a', kind: 'update-failed' }]);
    expect(fleet.story.filter((line) => line.endsWith('!'))).toEqual(['late a!']);
  });

  test.each([
    ['the new container after all', listed('a', { life: 2, updated: true })],
    ['another start', listed('a', { life: 3 })],
  ])('cleared by the answer of %s', (_, ready) => {
    const fleet = bereft();
    fleet.look([dying, b]);
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'start' });
    fleet.look([ready, b]);
    expect(fleet.session('a').state).toBe('detached');
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('a stop that is meant goes before a start that failed', () => {
    const fleet = bereft();
    fleet.look([dying, b]);
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'start' });
    fleet.send({ kind: 'stop-intended', key: 'a' });
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('stopped');
  });

  test('cleared by a new life', () => {
    const fleet = watched();
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'stop' });
    fleet.look([listed('a', { life: 2, updated: true }), b]);
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('cleared when it is ready after 90 s', () => {
    const fleet = watched();
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'stop' });
    fleet.keepLooking(91_000, [listed('a'), b]);
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
  });

  test('not cleared while nothing inside answers', () => {
    const fleet = watched();
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'stop' });
    fleet.keepLooking(120_000, [listed('a', { clients: null }), b]);
    fleet.keepLooking(2000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('down');
  });

  test('after the alarm it is the same incident: no second banner', () => {
    const fleet = bereft();
    fleet.keepLooking(100_000, [absent('a'), b]);
    fleet.send({ kind: 'run-step-failed', key: 'a', step: 'start' });
    expect(fleet.story.filter((line) => line.endsWith('!'))).toEqual(['late a!']);
    const incidents = fleet.told.flatMap(({ event }) =>
      event.kind === 'late' || event.kind === 'down' ? [event.incident] : [],
    );
    expect(new Set(incidents).size).toBe(1);
  });

  test('a key that nobody knows costs nothing', () => {
    const fleet = watched();
    expect(fleet.send({ kind: 'run-step-failed', key: 'x', step: 'stop' })).toEqual([]);
    expect(fleet.send({ kind: 'run-restarting', key: '__proto__' })).toEqual([]);
  });
});

describe('away', () => {
  test('90 s with evidence: one alarm, in the failures from that moment', () => {
    const fleet = bereft();
    fleet.keepLooking(88_000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('overdue');
    expect(fleet.view.failures).toEqual([
      {
        key: 'a',
        kind: 'late',
        at: new Date(fleet.at).toISOString(),
        text: expect.stringContaining('1 min 30 s'),
      },
    ]);
    fleet.keepLooking(700_000, [absent('a'), b]);
    expect(fleet.story.filter((line) => line.endsWith('!'))).toEqual(['late a!']);
  });

  test('90 s without evidence: ended', () => {
    const fleet = watched();
    fleet.keepLooking(90_000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('ended');
    expect(fleet.view.failures).toEqual([]);
  });

  test('an ending has no banner unless somebody wants it', () => {
    const notify = { ...allNotices, ended: false };
    const fleet = new WatchedFleet(newModel(defaultWindows, notify));
    fleet.look([listed('a'), b]);
    fleet.keepLooking(100_000, [absent('a'), b]);
    expect(fleet.story.filter((line) => line.startsWith('ended'))).toEqual(['ended a']);
  });

  test('15 min: down, pinned, without another banner', () => {
    const fleet = bereft();
    fleet.keepLooking(898_000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('overdue');
    fleet.look([absent('a'), b]);
    expect(fleet.session('a').state).toBe('down');
    expect(fleet.story).toEqual(['vanished a', 'late a!', 'down a']);
    expect(fleet.view.failures).toMatchObject([{ key: 'a', kind: 'late' }]);
    fleet.keepLooking(7200_000, [absent('a'), b], 60_000);
    expect(fleet.view.failures).toHaveLength(1);
  });

  test('back after it was down: the failure goes', () => {
    const fleet = bereft();
    fleet.keepLooking(900_000, [absent('a'), b]);
    fleet.effects.length = 0;
    fleet.look([listed('a', { life: 2 }), b]);
    expect(fleet.story).toEqual(['returned a', 'back a!']);
    expect(fleet.view.failures).toEqual([]);
  });

  test('back after it was down reads alike, whether or not somebody saw it starting', () => {
    const ready = listed('a', { life: 2, updated: true });
    const seen = bereft();
    const unseen = bereft();
    for (const fleet of [seen, unseen]) {
      fleet.keepLooking(900_000, [absent('a'), b]);
      fleet.effects.length = 0;
    }
    seen.look([listed('a', { life: 2, updated: true, clients: null }), b]);
    unseen.look([absent('a'), b]);
    for (const fleet of [seen, unseen]) fleet.look([ready, b]);
    expect(seen.story).toEqual(['restarted a', 'back a!']);
    expect(unseen.story).toEqual(seen.story);
  });

  test('acknowledged: no failure any more, and no word of it when it is back or goes down', () => {
    const fleet = bereft();
    fleet.keepLooking(100_000, [absent('a'), b]);
    fleet.send({ kind: 'acknowledged', key: 'b' });
    expect(fleet.view.failures).toHaveLength(1);
    fleet.send({ kind: 'acknowledged', key: 'a' });
    expect(fleet.view.failures).toEqual([]);
    fleet.keepLooking(900_000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('down');
    expect(fleet.view.failures).toEqual([]);
    fleet.effects.length = 0;
    fleet.look([listed('a', { life: 2 }), b]);
    expect(fleet.story).toEqual(['returned a']);
  });

  test('acknowledging all takes down all', () => {
    const fleet = watched();
    fleet.processes = [anUpdate];
    fleet.keepLooking(100_000, [absent('a'), absent('b')]);
    expect(fleet.view.failures).toHaveLength(2);
    fleet.send({ kind: 'acknowledged', key: null });
    expect(fleet.view.failures).toEqual([]);
  });

  test('a session that came back and vanishes again has a new alarm under a new incident', () => {
    const fleet = bereft();
    fleet.keepLooking(100_000, [absent('a'), b]);
    const next = listed('a', { life: 2, updated: true });
    fleet.look([next, b]);
    fleet.processes = [anUpdate];
    fleet.keepLooking(100_000, [absent('a'), b]);
    const late = fleet.told.flatMap(({ event }) => (event.kind === 'late' ? [event.incident] : []));
    expect(late).toHaveLength(2);
    expect(new Set(late).size).toBe(2);
  });

  test('the same container that vanishes twice is two incidents', () => {
    const fleet = bereft();
    fleet.keepLooking(100_000, [absent('a'), b]);
    fleet.look([listed('a'), b]);
    fleet.processes = [anUpdate];
    fleet.keepLooking(100_000, [absent('a'), b]);
    const late = fleet.told.flatMap(({ event }) => (event.kind === 'late' ? [event.incident] : []));
    expect(new Set(late).size).toBe(2);
  });

  test('starts that never became ready are incidents of their own', () => {
    const fleet = watched();
    for (const life of [1, 2]) {
      fleet.keepLooking(601_000, [listed('a'), b, listed('c', { life, clients: null })]);
      fleet.keepLooking(2000, [listed('a'), b, absent('c')]);
    }
    const down = fleet.told.flatMap(({ event }) => (event.kind === 'down' ? [event.incident] : []));
    expect(down).toHaveLength(2);
    expect(new Set(down).size).toBe(2);
  });
});

describe('any: blind', () => {
  test('nothing moves and no clock runs, for hours', () => {
    const fleet = bereft();
    fleet.keepLooking(50_000, [absent('a'), b]);
    const before = fleet.view;
    for (let count = 0; count < 500; count += 1) fleet.lookBlindly({ afterMs: 15_000 });
    const after = fleet.view;
    expect(after.sessions).toEqual(before.sessions);
    expect(after.run).toEqual(before.run);
    expect(after.failures).toEqual([]);
    expect(fleet.story).toEqual(['vanished a', 'blind']);
    fleet.keepLooking(38_000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('missing');
    fleet.keepLooking(3000, [absent('a'), b]);
    expect(fleet.session('a').state).toBe('overdue');
  });

  test('blind since the first failed poll', () => {
    const fleet = watched();
    fleet.lookBlindly();
    const since = new Date(fleet.at).toISOString();
    fleet.lookBlindly({ afterMs: 60_000 }, 'timed-out');
    expect(fleet.view).toMatchObject({ blindSince: since, docker: 'unknown' });
    fleet.look([listed('a'), b]);
    expect(fleet.view.blindSince).toBe(null);
    expect(fleet.told.at(-1)?.event.text).toBe('Sandy answers again after 1 min 1 s.');
  });
});

test('the lock while it is listed is what an absence compares with', () => {
  const fleet = watched();
  fleet.look([listed('a', { lock: held(500) }), b]);
  fleet.keepLooking(3000, [absent('a', held(500)), b]);
  expect(fleet.session('a').reason).toBe('It is not listed any more; nothing yet says why.');
  fleet.look([absent('a', free), b]);
  fleet.look([absent('a', held(501)), b]);
  expect(fleet.session('a').reason).toBe('A start is in progress.');
});
