import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEnd } from '../../src/fleet/finished-run.ts';
import type { Message } from '../../src/fleet/message.ts';
import { type Model, newModel } from '../../src/fleet/model.ts';
import type { Lock, Observation } from '../../src/fleet/observation.ts';
import { update } from '../../src/fleet/update.ts';
import { view } from '../../src/fleet/view.ts';
import { judgeHistory } from './evidence-oracle.ts';
import { goodUpdate, history, hostileKey, watching } from './host-arbitraries.ts';
import { type Deed, Host } from './host-history.ts';
import { HostObserver, type Sample } from './host-observer.ts';
import { allNotices, defaultWindows, WatchedFleet } from './watched-fleet.ts';

// Whole histories are shrunk for minutes; the seed and path of a failure are enough to see it again.
const POLLS = 260;

/** Watches a whole history, and a while beyond it. */
function watch(
  { count, deeds }: { readonly count: number; readonly deeds: readonly Deed[] },
  how: { readonly byWish: boolean; readonly chances: readonly number[] },
  each: (observer: HostObserver, sample: Sample) => void = () => {},
): HostObserver {
  const host = new Host(count, deeds);
  const observer = new HostObserver(host, how);
  let quietPolls = 0;
  for (let polls = 0; polls < POLLS && quietPolls < 60; polls += 1) {
    const sample = observer.look();
    each(observer, sample);
    if (host.isQuiet) quietPolls += 1;
  }
  return observer;
}

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);

describe('whatever happens to a host, and however it is watched', () => {
  test('an alarm comes when the rules of evidence say so, and only then', () => {
    let alarms = 0;
    fc.assert(
      fc.property(history, watching, (happened, how) => {
        const { samples } = watch(happened, how);
        const keys = keysOf(happened.count);
        const due = new Set<string>();
        for (const { key, alarmAt } of judgeHistory(samples, keys)) {
          if (alarmAt !== null) due.add(`${key} at ${alarmAt}`);
        }
        alarms += due.size;
        // Out of an ending somebody's start can be late as well; here it is about what was ready.
        const told = new Set<string>();
        const off = new Set<string>();
        samples.forEach(({ told: events, noticed }, index) => {
          // Nobody could attach for 600 s: where an alarm is due as well, that is the one banner.
          for (const { kind, key } of noticed) {
            const alarm = `${key} at ${index}`;
            if (kind === 'down' && due.has(alarm)) told.add(alarm);
          }
          for (const { kind, key } of events) {
            if (key === null) continue;
            if (kind === 'ended' || kind === 'quit' || kind === 'down') off.add(key);
            if (kind === 'started' || kind === 'restarted' || kind === 'returned') off.delete(key);
            if (kind === 'late' && !off.has(key)) told.add(`${key} at ${index}`);
          }
        });
        expect([...told].sort()).toEqual([...due].sort());
      }),
      { numRuns: 250, endOnFailure: true },
    );
    // The histories are no idyll: without alarms this would prove little.
    expect(alarms).toBeGreaterThan(30);
  });

  test('one vanishing has one incident, and no two vanishings share one', () => {
    fc.assert(
      fc.property(history, watching, (happened, how) => {
        const { samples } = watch(happened, how);
        const owners = new Map<string, string>();
        for (const { key, from, to } of judgeHistory(samples, keysOf(happened.count))) {
          const incidents = new Set<string>();
          for (const { noticed } of samples.slice(from, to)) {
            for (const event of noticed) {
              if (event.key !== key || !['late', 'down'].includes(event.kind)) continue;
              incidents.add(event.incident ?? 'none');
            }
          }
          expect(incidents.size).toBeLessThanOrEqual(1);
          for (const incident of incidents) {
            expect(owners.get(incident)).toBe(undefined);
            owners.set(incident, `${key} from ${from}`);
          }
        }
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  test('a session that answers is never shown as anything but ready', () => {
    fc.assert(
      fc.property(history, watching, (happened, how) => {
        watch(happened, how, ({ fleet }, { observation }) => {
          if (observation.kind === 'blind') return;
          const shown = new Map(fleet.view.sessions.map((session) => [session.key, session]));
          for (const { key, attachedClients } of observation.sessions) {
            if (attachedClients === null) {
              expect(['ending', 'starting', 'overdue', 'down']).toContain(shown.get(key)?.state);
            } else {
              expect(shown.get(key)?.state).toBe(attachedClients > 0 ? 'running' : 'detached');
              expect(fleet.view.failures.some((failure) => failure.key === key)).toBe(false);
            }
          }
        });
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });

  test('an answer that comes again, or out of order, changes nothing', () => {
    fc.assert(
      fc.property(history, watching, fc.nat(), (happened, how, choice) => {
        watch(happened, how, ({ fleet, samples }, { message }) => {
          const { model } = fleet;
          const older = samples[choice % samples.length]?.message ?? message;
          for (const again of [message, older]) {
            const [next, effects] = update(model, again);
            expect(next).toBe(model);
            expect(effects).toEqual([]);
          }
        });
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test('blindness of any length moves nothing but what says that we are blind', () => {
    fc.assert(
      fc.property(history, watching, fc.integer({ min: 1, max: 50 }), (happened, how, length) => {
        watch(happened, how, ({ fleet }, { endMs }) => {
          const { model } = fleet;
          const before = view(model);
          let blind: Model = model;
          let told = 0;
          for (let done = 1; done <= length; done += 1) {
            const [next, effects] = update(blind, {
              kind: 'polled',
              at: fleet.at + done * 3_600_000,
              id: fleet.lastPollId + done,
              monoMs: endMs + done * 3_600_000,
              tookMs: 100,
              mode: 'full',
              observation: {
                kind: 'blind',
                reason: 'timed-out',
                text: 'Nothing.',
                sandboxes: null,
              },
            });
            blind = next;
            told += effects.length;
          }
          for (const part of ['rows', 'run', 'lastRun', 'stopIntents', 'baselined'] as const) {
            expect(blind[part]).toBe(model[part]);
          }
          expect(blind.clock.awakeMs).toBe(model.clock.awakeMs);
          expect(told).toBe(model.sight.kind === 'blind' ? 0 : 1);
          const { blindSince, docker, badge, poll, ...rest } = view(blind);
          expect(before).toMatchObject(rest);
          expect(blindSince).not.toBe(null);
          expect([docker, poll.reason]).toEqual(['unknown', 'blind']);
          if (!['attention', 'updating'].includes(before.badge.state)) {
            expect(badge.state).toBe('unknown');
          }
        });
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
});

describe('an update all of whose sessions return', () => {
  /** What is left of it in the end: the sum, and what was told of it. */
  function sumUp(
    deed: Deed,
    how: { readonly byWish: boolean; readonly chances: readonly number[] },
  ) {
    const host = new Host(4, [deed]);
    const observer = new HostObserver(host, how);
    observer.look();
    for (let polls = 0; polls < 2000; polls += 1) {
      observer.look();
      if (host.isQuiet && observer.fleet.model.run === null && observer.fleet.model.lastRun) break;
    }
    const { told } = observer.fleet;
    const keys = (kind: string) =>
      told.flatMap(({ event }) => (event.kind === kind ? [event.key] : [])).sort();
    const { lastRun } = observer.fleet.view;
    return {
      sum: lastRun === null ? null : { ...lastRun, id: '' },
      completed: told
        .filter(({ event }) => event.kind === 'run-completed')
        .map(({ event, notice }) => [event.incident, event.text, notice]),
      restarted: keys('restarted'),
      alarms: [...keys('late'), ...keys('down'), ...keys('ended')],
    };
  }

  test('has the same final sum however often anybody looked', () => {
    fc.assert(
      fc.property(goodUpdate, watching, watching, (deed, one, other) => {
        const sum = sumUp(deed, { ...one, byWish: true });
        const keys = deed.steps.map(({ who }) => `s${who}`);
        expect(sum.sum?.restarted).toEqual(keys);
        expect(sum.completed.map(([, , notice]) => notice)).toEqual([true]);
        expect(sum.restarted).toEqual([...keys].sort());
        expect(sum.alarms).toEqual([]);
        expect(sumUp(deed, { ...other, byWish: false })).toEqual(sum);
      }),
      { numRuns: 120, endOnFailure: true },
    );
  });
});

describe('whatever it is told', () => {
  const at = fc.integer({ min: 0, max: 4_102_444_800_000 });
  const ms = fc.oneof(
    fc.integer({ min: 0, max: 100_000_000 }),
    fc.double({ min: 0, max: 1e9, noNaN: true }),
  );
  const lock: fc.Arbitrary<Lock> = fc.oneof(
    fc.constant<Lock>({ kind: 'free' }),
    fc.constant<Lock>({ kind: 'unknown' }),
    fc.record({ kind: fc.constant('held' as const), pid: fc.nat(5), alive: fc.boolean() }),
  );
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 });
  const stamp = fc.oneof(
    fc.constantFrom(
      '2026-11-29 15:12:33 +0000 UTC',
      '2026-11-29T03:00:00Z',
      '9999-12-31T23:59:59Z',
    ),
    fc.string({ maxLength: 8 }),
  );
  const sandbox = fc.record({
    key: hostileKey,
    workspace: maybe(fc.constantFrom('/ws/a', '/ws/b')),
    workspaceExists: maybe(fc.boolean()),
    lock,
  });
  const session = fc.record({
    key: hostileKey,
    incarnation: fc.record({
      id: maybe(fc.string({ maxLength: 2 })),
      startedAt: maybe(stamp),
      updatedAt: maybe(stamp),
    }),
    attachedClients: maybe(fc.nat(3)),
    imageStale: maybe(fc.boolean()),
  });
  const observation: fc.Arbitrary<Observation> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('sighted' as const),
        mode: fc.constantFrom('light' as const, 'full' as const),
        sandyHome: maybe(fc.string({ maxLength: 3 })),
        sandboxes: fc.array(sandbox, { maxLength: 6 }),
        sessions: fc.array(session, { maxLength: 6 }),
      }),
    },
    fc.record({
      kind: fc.constant('blind' as const),
      reason: fc.constantFrom('docker-unreachable' as const, 'timed-out' as const),
      text: fc.string({ maxLength: 3 }),
      sandboxes: maybe(fc.array(sandbox, { maxLength: 3 })),
    }),
  );
  const of = <K extends Message['kind']>(kind: K) => fc.constant(kind);
  const message: fc.Arbitrary<Message> = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        kind: of('polled'),
        at,
        id: fc.nat(3_000_000),
        monoMs: ms,
        tookMs: ms,
        mode: fc.constantFrom('light' as const, 'full' as const),
        observation,
      }),
    },
    fc.record({
      kind: of('looked'),
      at,
      processes: maybe(
        fc.array(
          fc.record({
            pid: fc.nat(9),
            ours: fc.boolean(),
            dryRun: fc.boolean(),
            workspace: maybe(fc.constantFrom('/ws/a', '/ws/b')),
          }),
          { maxLength: 3 },
        ),
      ),
    }),
    fc.record({ kind: of('sandy-found'), at, sandy: fc.constant(null) }),
    fc.record({
      kind: of('settings-changed'),
      at,
      windows: fc.constant(defaultWindows),
      notify: fc.constant(allNotices),
      quiet: fc.constantFrom(
        { hours: null, failuresPass: true },
        { hours: { fromMinute: 1320, toMinute: 450 }, failuresPass: false },
      ),
    }),
    fc.record({ kind: of('hinted'), at }),
    fc.record({ kind: of('ticked'), at, utcOffsetMinutes: fc.integer({ min: -720, max: 840 }) }),
    fc.record({ kind: of('woke'), at }),
    fc.record({ kind: of('refresh-asked'), at }),
    fc.record({
      kind: of('waiters-changed'),
      at,
      key: hostileKey,
      count: fc.integer({ min: -1, max: 3 }),
    }),
    fc.record({ kind: of('stop-intended'), at, key: hostileKey }),
    fc.record({ kind: of('stop-failed'), at, key: hostileKey }),
    fc.record({ kind: of('acknowledged'), at, key: maybe(hostileKey) }),
    fc.record({
      kind: of('run-began'),
      at,
      id: fc.string({ maxLength: 3 }),
      origin: fc.constantFrom(
        'menu' as const,
        'cli' as const,
        'schedule' as const,
        'outside' as const,
      ),
      scope: fc.oneof(fc.constant('fleet' as const), fc.array(hostileKey, { maxLength: 3 })),
      log: maybe(fc.constant('/log')),
    }),
    fc.record({
      kind: of('run-planned'),
      at,
      total: maybe(fc.nat(9)),
      skipped: fc.array(fc.record({ key: hostileKey, reason: fc.constant('current') }), {
        maxLength: 2,
      }),
    }),
    fc.record({
      kind: of('run-left-out'),
      at,
      key: hostileKey,
      reason: fc.constant('not running'),
    }),
    fc.record({
      kind: of('run-built'),
      at,
      phase: fc.constantFrom('building' as const, 'hung' as const),
    }),
    fc.record({
      kind: of('start-failed'),
      at,
      key: hostileKey,
      attempt: fc.string(),
      text: fc.string(),
    }),
    fc.record({
      kind: of('stuck'),
      at,
      keys: fc.array(hostileKey, { maxLength: 2 }),
      attempt: fc.string(),
    }),
    fc.record({ kind: of('run-restarting'), at, key: hostileKey }),
    fc.record({
      kind: of('run-step-failed'),
      at,
      key: hostileKey,
      step: fc.constantFrom('stop' as const, 'start' as const),
    }),
    fc.record({
      kind: of('run-ended'),
      at,
      end: fc.constantFrom<RunEnd>(
        { kind: 'done' },
        { kind: 'cancelled' },
        { kind: 'failed', reason: 'image build failed' },
      ),
    }),
  );

  /** All messages in turn, with polls counted up so that they are taken. */
  function tell(messages: readonly Message[]): Model {
    let model = newModel(defaultWindows, allNotices);
    messages.forEach((one, index) => {
      const inOrder =
        one.kind === 'polled' && one.id % 8 !== 0 ? { ...one, id: 10 * index + 1 } : one;
      [model] = update(model, inOrder);
      if (index % 20 !== 0) return;
      const shown = view(model, one.at);
      expect(new Set(shown.sessions.map(({ key }) => key)).size).toBe(model.rows.size);
    });
    return model;
  }

  test('it never throws, and what it shows can be written down', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 80 }), (messages) => {
        const shown = view(tell(messages));
        expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
      }),
      { numRuns: 300 },
    );
  });

  test('not even after ten thousand messages', () => {
    const messages = fc.sample(message, { numRuns: 10_000, seed: 7 });
    const model = tell(messages);
    // Rows are kept for sessions that were seen, not for everything that was ever said.
    expect(model.rows.size).toBeLessThanOrEqual(10_000);
    expect(Object.getPrototypeOf(view(model))).toBe(Object.prototype);
  });

  test('messages about keys that nobody has seen leave no row', () => {
    const fleet = new WatchedFleet();
    fleet.look([]);
    for (const key of ['__proto__', '', 'constructor']) {
      fleet.send({ kind: 'run-restarting', key });
      fleet.send({ kind: 'run-step-failed', key, step: 'start' });
      fleet.send({ kind: 'stop-intended', key });
      fleet.send({ kind: 'acknowledged', key });
      fleet.send({ kind: 'waiters-changed', key, count: 1 });
    }
    fleet.look([]);
    expect(fleet.view.sessions).toEqual([]);
  });
});
