import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nothingTold, type Told, tellProgress } from '../../src/agent/telling-progress.ts';
import type { Model } from '../../src/fleet/model.ts';
import type { RunEnd } from '../../src/fleet/runs.ts';
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

/** The sessions of the captures that are updated most; what is told of others is a stranger's. */
const keys = [
  ...new Set(readUpdateCaptures().flatMap(({ bytes }) => followLines(readLines(bytes)).restarting)),
].slice(0, 4);

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
      seen: fc.array(sight, { minLength: keys.length, maxLength: keys.length }),
      afterMs: fc.constantFrom(500, 1000, 20_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Deed>({ kind: 'blind' }) },
);
const deeds = fc.array(deed, { maxLength: 30 });
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

  readTo(fleet: WatchedFleet, log: Buffer, to: number): void {
    for (const { line } of this.#reader.take(log.subarray(this.#at, to))) {
      this.#progress = readUpdateOutput(this.#progress, line);
    }
    this.#at = to;
    const { told, messages } = tellProgress(this.#told, [step], [this.#progress]);
    this.#told = told;
    for (const message of messages) fleet.send(message);
  }
}

const sketch = ({ life, clients, updated, there }: Sight, key: string): Sketch =>
  there ? listed(key, { life, clients, updated: updated && life > 1 }) : absent(key);

interface Story {
  readonly log: Buffer;
  readonly happening: readonly Deed[];
  readonly end: RunEnd | null;
}

/** A whole run; after so many deeds another agent takes over and reads the log anew. */
function live({ log, happening, end }: Story, takenOverAt: ReadonlySet<number> = new Set()) {
  const fleet = new WatchedFleet();
  const first = keys.map((key) => listed(key));
  fleet.look(first);
  fleet.look(first);
  const scope = 'fleet' as const;
  fleet.send({ kind: 'run-began', id: 'run', origin: 'cli', scope, log: null });
  /** Those that a look showed ready in a life that an update made. */
  const confirmed = new Set<string>();
  let reader = new Reader();
  let to = 0;
  for (const [index, one] of happening.entries()) {
    if (takenOverAt.has(index)) {
      reader = new Reader();
      reader.readTo(fleet, log, to);
    }
    switch (one.kind) {
      case 'printed':
        to = Math.min(log.length, to + Math.ceil((one.share / 100) * log.length));
        reader.readTo(fleet, log, to);
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
  if (end !== null) fleet.send({ kind: 'run-ended', end });
  return { fleet, confirmed, to };
}

const story = fc.record({ log: any, happening: deeds, end });

/** The run that is open or was summed up; one from outside that came after it is not it. */
function restartedOf({ run, lastRun }: Model): readonly string[] {
  return [
    ...(run?.id === 'run' ? run.restarts.map(({ key }) => key) : []),
    ...(lastRun?.id === 'run' ? lastRun.restarted : []),
  ];
}

const runs = { numRuns: 500 };

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
      fc.property(story, fc.array(fc.nat(30), { maxLength: 3 }), (told, takenOverAt) => {
        const once = live(told);
        const again = live(told, new Set(takenOverAt));
        announced += once.fleet.model.run?.announced.length ?? 0;
        expect(again.fleet.model).toEqual(once.fleet.model);
        expect(again.fleet.told).toEqual(once.fleet.told);
      }),
      runs,
    );
    expect(announced).toBeGreaterThan(50);
  });

  test('the log read once more changes nothing, also when the run is summed up already', () => {
    let over = 0;
    fc.assert(
      fc.property(story, (told) => {
        const { fleet, to } = live(told);
        const before = fleet.model;
        const said = fleet.told.length;
        if (before.run === null) over += 1;
        new Reader().readTo(fleet, told.log, to);
        expect(fleet.model).toEqual(before);
        expect(fleet.told.length).toBe(said);
      }),
      runs,
    );
    expect(over).toBeGreaterThan(0);
  });
});
