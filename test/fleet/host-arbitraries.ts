import fc from 'fast-check';
import type { Deed, StartStep, UpdateStep } from './host-history.ts';

const within = (min: number, max: number) => fc.integer({ min, max });
const who = within(0, 3);

/** Mostly as measured, sometimes as slow as an image build or as bad as it gets. */
const start: fc.Arbitrary<StartStep> = fc.record({
  lockedMs: fc.oneof({ weight: 4, arbitrary: within(0, 3000) }, within(3000, 200_000)),
  listedMs: within(300, 5000),
  readyMs: fc.oneof({ weight: 4, arbitrary: within(300, 5000) }, within(5000, 400_000)),
  outcome: fc.oneof(
    { weight: 6, arbitrary: fc.constant<StartStep['outcome']>('ready') },
    fc.constantFrom<StartStep['outcome']>('dies-early', 'never-ready'),
  ),
});

const goneMs = within(300, 15_000);
const lingerMs = within(0, 25_000);

const updateStep: fc.Arbitrary<UpdateStep> = fc
  .tuple(start, fc.record({ who, goneMs, lingerMs, pauseMs: within(0, 2000) }))
  .map(([step, rest]) => ({ ...step, ...rest }));

const afterMs = fc.oneof(within(0, 20_000), within(20_000, 1_800_000));

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('stop' as const), afterMs, who, goneMs, lingerMs }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('start' as const), afterMs, who, step: start }),
  },
  fc.record({
    kind: fc.constant('quit' as const),
    afterMs,
    who,
    removedMs: within(30_000, 60_000),
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      afterMs,
      steps: fc.array(updateStep, { minLength: 1, maxLength: 4 }),
      buildMs: within(0, 120_000),
      scopedTo: fc.option(who, { freq: 3 }),
    }),
  },
  fc.record({ kind: fc.constant('dry-run' as const), afterMs, tookMs: within(1000, 120_000) }),
  fc.record({
    kind: fc.constant('docker-away' as const),
    afterMs,
    forMs: fc.oneof(within(500, 10_000), within(10_000, 900_000)),
  }),
  fc.record({ kind: fc.constant('attach' as const), afterMs, who, clients: within(0, 3) }),
);

/** What happens to a host of one to four sessions within some hours. */
export const history = fc.record({
  count: within(1, 4),
  deeds: fc.array(deed, { minLength: 1, maxLength: 12 }),
});

/** How somebody looks: each poll's share of chance, for its delay and its duration. */
export const watching = fc.record({
  /** By the fleet's own wish, or at times that nobody chose. */
  byWish: fc.boolean(),
  chances: fc.array(within(0, 999), { minLength: 20, maxLength: 20 }),
});
export type Watching = { readonly byWish: boolean; readonly chances: readonly number[] };

/** An update all of whose sessions return within the window. */
export const goodUpdate: fc.Arbitrary<Deed & { readonly kind: 'update' }> = fc
  .record({
    keys: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }),
    timings: fc.array(
      fc.record({
        goneMs: within(300, 5000),
        lingerMs: within(0, 10_000),
        pauseMs: fc.oneof({ weight: 3, arbitrary: within(0, 2000) }, within(2000, 150_000)),
        lockedMs: within(0, 10_000),
        listedMs: within(300, 10_000),
        readyMs: within(300, 20_000),
      }),
      { minLength: 4, maxLength: 4 },
    ),
    afterMs: within(60_000, 120_000),
    buildMs: within(0, 300_000),
  })
  .map(({ keys, timings, afterMs: from, buildMs }) => ({
    kind: 'update' as const,
    afterMs: from,
    buildMs,
    scopedTo: null,
    steps: keys.map((key, index) => ({
      goneMs: 1000,
      lingerMs: 1000,
      pauseMs: 0,
      lockedMs: 1000,
      listedMs: 1000,
      readyMs: 1000,
      ...timings[index],
      who: key,
      outcome: 'ready' as const,
    })),
  }));

/** Anything that a key can be called. */
export const hostileKey = fc.oneof(
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    ' ',
    '\n',
    '\u202e',
  ),
  fc.string({ maxLength: 5 }),
);
