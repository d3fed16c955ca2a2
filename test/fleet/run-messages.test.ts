import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nothingTold, type Told, tellProgress } from '../../src/agent/telling-progress.ts';
import type { RunEnd } from '../../src/fleet/finished-run.ts';
import type { Model } from '../../src/fleet/model.ts';
import {
  createLineReader,
  noProgress,
  readUpdateOutput,
  type UpdateProgress,
} from '../../src/sandy/update-output.ts';
import type { RunStep } from '../../src/store/run-record.ts';
import { any } from '../sandy/update-arbitraries.ts';
import { followLines, readLines, readUpdateCaptures } from '../sandy/update-captures.ts';
import { absent, listed, type Sketch, WatchedFleet } from './watched-fleet.ts';

const ID = 'run';
const COUNT = 4;

/** The sessions that a log announces, and others that it knows nothing of. */
function keysOf(log: Buffer): readonly string[] {
  const { restarting, failed } = followLines(readLines(log));
  const named = [...restarting, ...failed.map(({ key }) => key), 's1', 's2', 's3', 's4'];
  return [...new Set(named)].slice(0, COUNT);
}

/** A log as it is written: a piece at a time, with looks at the sessions in between. */
type Deed =
  | { readonly kind: 'printed'; readonly share: number }
  | { readonly kind: 'looked'; readonly seen: readonly Sight[]; readonly afterMs: number }
  | { readonly kind: 'blind' };

interface Sight {
  readonly life: number;
  readonly clients: number | null;
  readonly updated: boolean;
  readonly there: boolean;
}

const sight: fc.Arbitrary<Sight> = fc.record({
  life: fc.integer({ min: 1, max: 3 }),
  clients: fc.constantFrom(0, 0, 1, null),
  updated: fc.boolean(),
  there: fc.boolean(),
});
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('printed'), share: fc.nat(40) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('looked'),
      seen: fc.array(sight, { minLength: COUNT, maxLength: COUNT }),
      afterMs: fc.constantFrom(500, 1000, 20_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Deed>({ kind: 'blind' }) },
);
const deeds = fc.array(deed, { minLength: 4, maxLength: 30 });
/** Until it is summed up, or nearly: nobody prints any more. */
const looks = fc.array(
  deed.filter(({ kind }) => kind === 'looked'),
  { maxLength: 15 },
);
const end: fc.Arbitrary<RunEnd | null> = fc.constantFrom(
  null,
  { kind: 'done' },
  { kind: 'cancelled' },
  { kind: 'failed', reason: 'a reason' },
);

const step: RunStep = {
  ...{ key: null, workspace: null, args: [], logFrom: 0, process: null, startedAt: 1 },
  ...{ endedAt: null, exitCode: null, signal: null, outcome: null },
};

/** An agent that reads a log from its start and tells the fleet. */
class Reader {
  #reader = createLineReader();
  #progress: UpdateProgress = noProgress;
  #told: Told = nothingTold;
  #at = 0;

  get announced(): readonly string[] {
    return this.#progress.restarting;
  }

  readTo(fleet: WatchedFleet, log: Buffer, to: number, isOver: boolean): void {
    for (const { line } of this.#reader.take(log.subarray(this.#at, to))) {
      this.#progress = readUpdateOutput(this.#progress, line);
    }
    this.#at = to;
    const { told, messages } = tellProgress(
      this.#told,
      [{ ...step, endedAt: isOver ? 2 : null }],
      [this.#progress],
    );
    this.#told = told;
    for (const message of messages) if (fleet.model.run?.id === ID) fleet.send(message);
  }
}

const sketch = ({ life, clients, updated, there }: Sight, key: string): Sketch =>
  there ? listed(key, { life, clients, updated: updated && life > 1 }) : absent(key);

interface Story {
  readonly log: Buffer;
  readonly happening: readonly Deed[];
  readonly end: RunEnd | null;
  readonly afterwards: readonly Deed[];
}

/** A whole run; after so many deeds another agent takes over and reads the log anew. */
function live(story: Story, takenOverAt: ReadonlySet<number> = new Set()) {
  const { log, happening, end, afterwards } = story;
  const keys = keysOf(log);
  const fleet = new WatchedFleet();
  const first = keys.map((key) => listed(key));
  fleet.look(first);
  fleet.look(first);
  const scope = 'fleet' as const;
  fleet.send({ kind: 'run-began', id: ID, origin: 'cli', scope, log: null });
  /** Those that a look showed ready in a life that an update made. */
  const confirmed = new Set<string>();
  let reader = new Reader();
  let to = 0;
  let isOver = false;
  const all = [...happening, ...afterwards];
  for (const [index, one] of all.entries()) {
    if (index === happening.length && end !== null) {
      isOver = true;
      to = log.length;
      reader.readTo(fleet, log, to, isOver);
      if (fleet.model.run?.id === ID) fleet.send({ kind: 'run-ended', end });
    }
    if (takenOverAt.has(index)) {
      reader = new Reader();
      reader.readTo(fleet, log, to, isOver);
    }
    switch (one.kind) {
      case 'printed':
        to = Math.min(log.length, to + Math.ceil((one.share / 100) * log.length));
        reader.readTo(fleet, log, to, isOver);
        break;
      case 'looked':
        fleet.look(
          one.seen.map((seen, at) => sketch(seen, keys[at] ?? '')),
          { afterMs: one.afterMs },
        );
        for (const [at, seen] of one.seen.entries()) {
          const isNew = seen.there && seen.life > 1 && seen.updated && seen.clients !== null;
          if (isNew) confirmed.add(keys[at] ?? '');
        }
        break;
      case 'blind':
        fleet.lookBlindly();
        break;
    }
  }
  return { fleet, confirmed, to, isOver, announced: reader.announced };
}

/** As they came, those that restarted somebody or failed to. */
const eventful = readUpdateCaptures()
  .map(({ bytes }) => bytes)
  .filter((bytes) => followLines(readLines(bytes)).restarting.length > 0);
const log = fc.oneof(any, fc.constantFrom(...eventful));
const story = fc.record({ log, happening: deeds, end, afterwards: looks });

/** The run that is open or was summed up; one from outside that came after it is not it. */
function restartedOf({ run, lastRun }: Model): readonly string[] {
  return [
    ...(run?.id === ID ? run.restarts.map(({ key }) => key) : []),
    ...(lastRun?.id === ID ? lastRun.restarted : []),
  ];
}

const runs = { numRuns: 500 };

test('a build that failed in sandy 1.2.0 is told of, although it ended with code 0', () => {
  const [capture] = readUpdateCaptures().filter(
    ({ name }) => name === '1.2.0/update/rebuild-build-fails',
  );
  const asBefore: Sight = { life: 1, clients: 0, updated: false, there: true };
  const look: Deed = { kind: 'looked', seen: Array(COUNT).fill(asBefore), afterMs: 1000 };
  const { fleet } = live({
    log: capture?.bytes ?? Buffer.of(),
    happening: [{ kind: 'printed', share: 100 }],
    end: { kind: 'done' },
    afterwards: [look, look, look],
  });
  expect(fleet.story.filter((line) => line.startsWith('run'))).toEqual([
    'run-started',
    'run-failed!',
  ]);
  expect(fleet.told.find(({ event }) => event.kind === 'run-failed')?.event.text).toBe(
    'The update failed: the image of alpha-c001afff could not be built. No session was restarted.',
  );
});

describe('whatever a run prints, and whatever polls show meanwhile', () => {
  test('only sessions that polls saw in a life of an update count as restarted', () => {
    let counted = 0;
    fc.assert(
      fc.property(story, (told) => {
        const { fleet, confirmed } = live(told);
        const restarted = restartedOf(fleet.model);
        counted += restarted.length;
        for (const key of restarted) expect(confirmed).toContain(key);
      }),
      runs,
    );
    expect(counted).toBeGreaterThan(50);
  });

  test('an agent that takes over and reads the log anew knows what the first one knew', () => {
    let announced = 0;
    fc.assert(
      fc.property(story, fc.array(fc.nat(45), { maxLength: 3 }), (told, takenOverAt) => {
        const once = live(told);
        const again = live(told, new Set(takenOverAt));
        announced += once.announced.length;
        expect(again.fleet.model).toEqual(once.fleet.model);
        expect(again.fleet.told).toEqual(once.fleet.told);
      }),
      runs,
    );
    expect(announced).toBeGreaterThan(200);
  });

  test('the log read once more changes nothing, also when the run is summed up already', () => {
    let over = 0;
    fc.assert(
      fc.property(story, (told) => {
        const { fleet, to, isOver } = live(told);
        const before = fleet.model;
        const said = fleet.told.length;
        if (before.lastRun?.id === ID) over += 1;
        new Reader().readTo(fleet, told.log, to, isOver);
        expect(fleet.model).toEqual(before);
        expect(fleet.told.length).toBe(said);
      }),
      runs,
    );
    expect(over).toBeGreaterThan(0);
  });
});
