import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FleetView, SessionView } from '../../src/fleet/view.ts';
import { cleanForeignText } from '../../src/system/foreign-text.ts';
import { drawTray } from '../../src/tray/draw-tray.ts';
import type { TrayAction, TrayPicture } from '../../src/tray/tray-picture.ts';
import { extras, failure, finishedRun, fleet, listItems, run, session } from './fleet-sketches.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    'a/b',
    'a%002fb',
    'a',
    'A',
    '',
    '/',
    '%',
    'more-sessions',
    '\ud800',
    '\u202e',
    'x\ny',
  ),
);
const iso = fc.constantFrom('2026-11-28T21:00:00.000Z', '2026-11-29T03:02:00.000Z');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const count = fc.oneof(fc.nat(120), fc.constantFrom(0, 1, 99, 100));

const sessionDetails: fc.Arbitrary<Partial<SessionView>> = fc.record({
  workspace: maybe(text),
  state: fc.constantFrom<SessionView['state']>(
    ...(['running', 'detached', 'starting', 'ending', 'missing'] as const),
    ...(['overdue', 'ended', 'stopped', 'down'] as const),
  ),
  since: iso,
  imageStale: maybe(fc.boolean()),
  attachedClients: maybe(count),
  waitingShims: count,
  startedAt: maybe(iso),
  updatedAt: maybe(iso),
  health: fc.subarray<SessionView['health'][number]>([
    'zombie',
    'supervisor-lost',
    'workspace-missing',
    'conflict',
  ]),
  reason: maybe(text),
  actions: fc.subarray<SessionView['actions'][number]>(['open', 'update', 'start', 'stop', 'ack']),
});

const reasons = fc.array(fc.record({ key: text, reason: text }), { maxLength: 15 });
const origin = fc.constantFrom('menu', 'cli', 'schedule', 'outside' as const);

const view: fc.Arbitrary<FleetView> = fc
  .record({
    keys: fc.uniqueArray(text, { maxLength: 20 }),
    details: fc.infiniteStream(sessionDetails),
    failed: fc.uniqueArray(text, { maxLength: 10 }),
    words: text,
    kind: fc.constantFrom(
      'late',
      'update-failed',
      'start-failed',
      'not-attachable',
      'stuck' as const,
    ),
    run: maybe(
      fc.record({
        origin,
        phase: fc.constantFrom('building', 'hung', 'restarting', 'settling' as const),
        current: maybe(text),
        progress: fc.tuple(count, maybe(count)),
        log: maybe(text),
      }),
    ),
    lastRun: maybe(
      fc.record({
        id: text,
        startedAt: iso,
        endedAt: maybe(iso),
        restarted: fc.array(text, { maxLength: 20 }),
        failed: reasons,
        skipped: reasons,
        outcome: maybe(fc.constantFrom('done', 'cancelled', 'failed' as const)),
        reason: maybe(text),
      }),
    ),
    rest: fc.record({
      checkedAt: maybe(iso),
      blindSince: maybe(iso),
      docker: fc.constantFrom('ok', 'unreachable', 'unknown' as const),
      quiet: maybe(fc.record({ until: iso, held: count })),
      sandy: maybe(
        fc.record({
          path: text,
          version: text,
          schemaVersion: maybe(fc.nat()),
          capabilities: fc.subarray(['attach', 'start', 'stop', 'update-sessions']),
        }),
      ),
      badge: fc.record({
        state: fc.constantFrom('attention', 'updating', 'unknown', 'stale', 'ok' as const),
        count: maybe(count),
      }),
    }),
  })
  .map((made) =>
    fleet(
      made.keys.map((key) => session(key, made.details.next().value)),
      {
        ...made.rest,
        failures: made.failed.map((key) => failure(key, { text: made.words, kind: made.kind })),
        run: made.run === null ? null : run(made.run),
        lastRun: made.lastRun === null ? null : finishedRun(made.lastRun),
      },
    ),
  );

const notices = fc
  .uniqueArray(text, { maxLength: 8 })
  .map((keys) => new Map(keys.map((key) => [key, true])));
const work = fc.record({
  op: fc.constantFrom('update', 'check', 'start', 'stop' as const),
  keys: maybe(fc.array(text, { minLength: 1, maxLength: 2 })),
  since: iso,
});
const more = fc.record({
  notices,
  agentTroubles: fc.array(text, { maxLength: 4 }),
  answer: maybe(text),
  work: maybe(work),
});

const idsOf = ({ items }: TrayPicture) => listItems(items).map(({ item }) => item.id);

describe('of any fleet', () => {
  test('ids are unique and plain, labels are harmless, and nothing is deep', () => {
    fc.assert(
      fc.property(view, more, (shown, given) => {
        const picture = drawTray(shown, { ...extras, ...given });
        const listing = listItems(picture.items);
        const ids = listing.map(({ item }) => item.id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { item, depth } of listing) {
          expect(item.id).toMatch(/^[\w%./-]+$/);
          expect(depth).toBeLessThanOrEqual(2);
          if (item.kind === 'separator') continue;
          expect(item.label).not.toBe('');
          expect([...item.label].length).toBeLessThanOrEqual(60);
          expect(cleanForeignText(item.label, 60)).toBe(item.label);
        }
        expect(cleanForeignText(picture.tooltip.text)).toBe(picture.tooltip.text);
      }),
    );
  });

  test('what restarts, starts, stops or cuts is never at the first level', () => {
    const harmless: ReadonlySet<TrayAction['kind']> = new Set([
      'check',
      'refresh',
      'show-log',
      'doctor',
      'quit',
    ] as const);
    fc.assert(
      fc.property(view, more, (shown, given) => {
        for (const item of drawTray(shown, { ...extras, ...given }).items) {
          if (item.kind === 'action') expect([...harmless]).toContain(item.action.kind);
        }
      }),
    );
  });

  test('a row that can’t act says why, and one that acts on a session is offered by the fleet', () => {
    fc.assert(
      fc.property(view, more, (shown, given) => {
        for (const { item } of listItems(drawTray(shown, { ...extras, ...given }).items)) {
          if (item.kind !== 'action') continue;
          if (!item.enabled) expect(item.label).toMatch(/\(.+\)$/);
          const { action } = item;
          if (!item.enabled || !item.id.startsWith('session/') || !('key' in action)) continue;
          const of = shown.sessions.find(({ key }) => key === action.key);
          expect(of?.actions).toContain(action.kind);
        }
      }),
    );
  });

  test('the order in which sessions are told changes nothing', () => {
    fc.assert(
      fc.property(view, (shown) => {
        const turned = { ...shown, sessions: [...shown.sessions].reverse() };
        expect(drawTray(turned, extras)).toEqual(drawTray(shown, extras));
      }),
    );
  });

  test('another session changes no id of those that were there', () => {
    fc.assert(
      fc.property(view, text, (shown, key) => {
        fc.pre(shown.sessions.every((one) => one.key !== key));
        const grown = { ...shown, sessions: [...shown.sessions, session(key)] };
        const ids = new Set(idsOf(drawTray(grown, extras)));
        expect(idsOf(drawTray(shown, extras)).filter((id) => !ids.has(id))).toEqual([]);
      }),
    );
  });

  test('at most twelve sessions and six failures stand at the first level', () => {
    fc.assert(
      fc.property(view, (shown) => {
        const { items } = drawTray(shown, extras);
        const standing = (start: string) => items.filter(({ id }) => id.startsWith(start)).length;
        expect(standing('session/')).toBe(Math.min(12, shown.sessions.length));
        expect(standing('failure/')).toBe(Math.min(6, shown.failures.length));
        const all = listItems(items).filter(({ item }) => /^session\/[^/]*$/.test(item.id));
        expect(all.length).toBe(shown.sessions.length);
      }),
    );
  });
});
