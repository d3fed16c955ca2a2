import fc from 'fast-check';
import type { EventKind, FleetEvent } from '../../src/fleet/events.ts';
import type { Model } from '../../src/fleet/model.ts';
import type { Row } from '../../src/fleet/session.ts';
import { makeModel } from './fleet-parts.ts';

const hostile = [
  '__proto__',
  'constructor',
  'a b',
  '$(reboot)',
  '-rf',
  'x\ny',
  '\u202e',
  '\ud800',
  '',
];

/** Keys as foreign programs may make them. */
export const arbitraryKey = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const text = fc.string({ unit: 'binary', maxLength: 30 });
const maybeText = fc.option(text);
const at = fc.integer({ min: 0, max: 4_000_000_000_000 });
const ms = fc.double({ min: 0, max: 1e9, noNaN: true, noDefaultInfinity: true }).map((n) => n + 0);
const flag = fc.boolean();
const maybeFlag = fc.option(flag);
const pid = fc.option(fc.integer({ min: 1, max: 4_194_304 }));

const incarnation = fc.record({ id: maybeText, startedAt: maybeText, updatedAt: maybeText });

const absence = fc.record({
  at,
  spentMs: ms,
  late: flag,
  oldHolder: pid,
  freeSeen: flag,
  look: fc.constantFrom('asked' as const, 'update' as const, 'none' as const, 'unknown' as const),
  evidence: fc.constantFrom(
    null,
    'own-run' as const,
    'start-in-progress' as const,
    'update-process' as const,
    'others-updated' as const,
    'updated-incarnation' as const,
  ),
});

const failedStep = fc.option(
  fc.record({ step: fc.constantFrom('stop' as const, 'start' as const), ageMs: ms }),
);

const phase: fc.Arbitrary<Row['phase']> = fc.oneof(
  fc.record({
    kind: fc.constant('up' as const),
    clients: fc.option(fc.nat()),
    nullMs: ms,
    absence: fc.option(absence),
    failedStep,
  }),
  fc.record({
    kind: fc.constant('away' as const),
    origin: fc.constantFrom('vanished' as const, 'started' as const),
    absence,
    listed: fc.option(fc.record({ incarnation, nullMs: ms })),
    alarmed: flag,
    failedStep,
  }),
  fc.record({
    kind: fc.constant('off' as const),
    why: fc.constantFrom(
      'stopped' as const,
      'quit' as const,
      'ended' as const,
      'update-failed' as const,
      'late' as const,
      'not-attachable' as const,
    ),
    unanswered: fc.option(incarnation),
  }),
);

export const arbitraryRow: fc.Arbitrary<Row> = fc.record({
  key: arbitraryKey,
  workspace: maybeText,
  workspaceExists: maybeFlag,
  phase,
  since: at,
  incarnation: fc.option(incarnation),
  resumptions: fc.nat(),
  hadClient: fc.boolean(),
  imageStale: maybeFlag,
  holder: fc.constantFrom('free' as const, 'alive' as const, 'dead' as const, 'unknown' as const),
  holderPid: pid,
  restarting: flag,
  updateSeenAwakeMs: fc.option(ms),
  failure: fc.option(
    fc.record({
      kind: fc.constantFrom(
        'late' as const,
        'update-failed' as const,
        'start-failed' as const,
        'not-attachable' as const,
        'stuck' as const,
      ),
      at,
      incident: text,
      text,
    }),
  ),
  conflict: flag,
  sandboxGone: flag,
});

/** Rows of distinct keys, as a model has them. */
export const arbitraryRows = fc.uniqueArray(arbitraryRow, {
  selector: (row) => row.key,
  maxLength: 6,
});

const kinds: readonly EventKind[] = ['started', 'late', 'back', 'down', 'blind', 'run-completed'];

export const arbitraryEvent: fc.Arbitrary<FleetEvent> = fc.record({
  at,
  kind: fc.constantFrom(...kinds),
  key: fc.option(arbitraryKey),
  incident: maybeText,
  noticeKind: fc.constantFrom(null, 'late' as const, 'back' as const, 'overnight' as const),
  text,
});

const origin = fc.constantFrom('menu' as const, 'cli' as const, 'outside' as const);
const scope = fc.oneof(fc.constant('fleet' as const), fc.array(arbitraryKey, { maxLength: 3 }));
const reasons = fc.array(fc.record({ key: arbitraryKey, reason: text }), { maxLength: 3 });

/** Models with everything that is saved set to something; the rest is new. */
export const arbitraryModel: fc.Arbitrary<Model> = fc
  .record({
    rows: arbitraryRows,
    awakeMs: ms,
    sightedAt: fc.option(at),
    baselined: flag,
    checkedAt: fc.option(at),
    imagesCheckedAt: fc.option(at),
    run: fc.option(
      fc.record({
        id: text,
        origin,
        scope,
        phase: fc.constantFrom('building' as const, 'restarting' as const, 'settling' as const),
        startedAt: at,
        current: fc.option(arbitraryKey),
        total: fc.option(fc.nat()),
        restarts: fc.array(
          fc.record({ key: arbitraryKey, updatedAt: at, createdAt: at, told: flag }),
          { maxLength: 3 },
        ),
        log: maybeText,
        announced: fc.array(arbitraryKey, { maxLength: 3 }),
        stepsFailed: fc.array(arbitraryKey, { maxLength: 3 }),
        skipped: reasons,
        leftOut: reasons,
        end: fc.option(
          fc.oneof(
            fc.record({ kind: fc.constantFrom('done' as const, 'cancelled' as const) }),
            fc.record({ kind: fc.constant('failed' as const), reason: text }),
          ),
        ),
        quietMs: ms,
        askAtMs: ms,
        asked: flag,
      }),
    ),
    lastRun: fc.option(
      fc.record({
        id: text,
        origin,
        scope,
        startedAt: at,
        endedAt: at,
        restarted: fc.array(arbitraryKey, { maxLength: 3 }),
        skipped: reasons,
        failed: reasons,
        log: maybeText,
        outcome: fc.constantFrom('done' as const, 'cancelled' as const, 'failed' as const),
        reason: maybeText,
        seen: flag,
      }),
    ),
    stopIntents: fc.uniqueArray(fc.tuple(arbitraryKey, ms), {
      selector: ([key]) => key,
      maxLength: 3,
    }),
    held: fc.array(arbitraryEvent, { maxLength: 3 }),
  })
  .map(({ rows, awakeMs, sightedAt, checkedAt, imagesCheckedAt, stopIntents, ...rest }) => {
    const model = makeModel();
    return {
      ...model,
      ...rest,
      rows: new Map(rows.map((row) => [row.key, row])),
      clock: { ...model.clock, awakeMs, sightedAt },
      polls: { ...model.polls, checkedAt, imagesCheckedAt },
      stopIntents: new Map(stopIntents),
    };
  });
