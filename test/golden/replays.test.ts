import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import type { Observation, SandboxSight, SessionSight } from '../../src/fleet/observation.ts';
import { absenceOf, type Evidence, type Row } from '../../src/fleet/session.ts';
import { anUpdate, WatchedFleet } from '../fleet/watched-fleet.ts';
import { observationOf, readCapture, readExpected, readState } from './captures.ts';

interface Vanishing {
  readonly key: string;
  readonly t: number;
  readonly evidence: readonly string[];
  readonly end: string;
}

type States = Readonly<Record<string, string>>;

interface ExpectedReplay {
  readonly file: string;
  readonly form: 'looks' | 'changes';
  readonly updateAlive: readonly (readonly [number, number | null])[];
  readonly restarts: readonly { key: string; t: number; for: 'update' | 'other' }[];
  readonly restartedForUpdate: readonly string[];
  readonly restartedOtherwise: readonly string[];
  readonly started: readonly string[];
  readonly missingAtEnd: readonly string[];
  readonly alarms: Readonly<Record<string, number>>;
  readonly vanishings: readonly Vanishing[];
  readonly held: {
    readonly after100s: States;
    readonly after1000s: States;
    readonly alarms: Readonly<Record<string, number>>;
  };
  readonly looks: readonly { t: number; sight: string; states: States }[];
}

/** One recorded look. */
interface Recorded {
  readonly t: number;
  readonly tookMs: number;
  readonly observation: Observation;
  readonly newestStamp: number;
}

const replays = readExpected('replay-') as [string, ExpectedReplay][];

function readLooks(file: string): Recorded[] {
  return readCapture(file)
    .trim()
    .split('\n')
    .map((line) => {
      const { t, took, rc, doc } = JSON.parse(line);
      // The recorder parsed the document; what the program gets is sandy's text.
      const stdout = rc === 0 ? JSON.stringify(doc) : '';
      const stamps = (stdout.match(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/g) ?? []).map((stamp) =>
        Date.parse(`${stamp.replace(' ', 'T')}Z`),
      );
      return {
        t,
        tookMs: took * 1000,
        observation: observationOf(readState(stdout), 'light'),
        newestStamp: Math.max(0, ...stamps),
      };
    });
}

/**
 * The short form: changes only, without pids. The last state is repeated each second in between, as
 * an agent would have looked.
 */
function readChanges(file: string, keys: readonly string[]): Recorded[] {
  const looks: Recorded[] = [];
  for (const line of readCapture(file).trim().split('\n')) {
    const [, time, rest] = /^\s*([\d.]+)\s+docker=True\s(.*)$/.exec(line) ?? [];
    const sandboxes: SandboxSight[] = [];
    const sessions: SessionSight[] = [];
    const pattern = /(\S+)\[lock=(free|held)\/(-|alive|dead) (.*?)\]/g;
    for (const [, short, lock, alive, what] of (rest ?? '').matchAll(pattern)) {
      const key = keys.find((candidate) => candidate.replace(/-[0-9a-f]{8}$/, '') === short);
      if (key === undefined) throw new Error(`whose is ${short}?`);
      sandboxes.push({
        key,
        workspace: null,
        workspaceExists: null,
        // One pid for all: nothing may be concluded from who holds it.
        lock:
          lock === 'free' ? { kind: 'free' } : { kind: 'held', pid: 1, alive: alive === 'alive' },
      });
      const [, id, clients, updated] = /^(\w{6}) att=(\w+) upd=(\S+)/.exec(what ?? '') ?? [];
      if (id === undefined) continue;
      sessions.push({
        key,
        incarnation: {
          id,
          startedAt: null,
          updatedAt: updated === 'null' ? null : (updated ?? ''),
        },
        attachedClients: clients === 'None' ? null : Number(clients),
        imageStale: null,
      });
    }
    const t = Number(time);
    let last = looks.at(-1);
    while (last !== undefined && t - last.t > 1.5) {
      last = { ...last, t: last.t + 1 };
      looks.push(last);
    }
    const kind = 'sighted';
    const observation: Observation = { kind, mode: 'light', sandyHome: null, sandboxes, sessions };
    looks.push({ t, tookMs: 0, observation, newestStamp: 0 });
  }
  return looks;
}

const evidenceNames: Readonly<Record<Evidence, string>> = {
  'own-run': 'own-run',
  'start-in-progress': 'start-in-progress',
  'update-process': 'update-alive',
  'others-updated': 'others-updated',
  'updated-incarnation': 'new-updated-at',
};

/** Follows the rows from look to look and notes each vanishing with its first evidence and its end. */
class VanishingLog {
  readonly vanishings: { key: string; t: number; evidence: string | null; end: string }[] = [];
  readonly #open = new Map<string, (typeof this.vanishings)[number]>();

  note(t: number, before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>): void {
    for (const row of after.values()) {
      // Never ready so far: a start that is not over, so that it can't have vanished.
      if (row.incarnation === null) continue;
      const absence = absenceOf(row.phase);
      let open = this.#open.get(row.key);
      if (absence !== null) {
        if (open === undefined) {
          open = { key: row.key, t, evidence: null, end: 'open' };
          this.#open.set(row.key, open);
          this.vanishings.push(open);
        }
        if (absence.evidence !== null) open.evidence = evidenceNames[absence.evidence];
      } else if (open !== undefined) {
        open.end = endOf(row, before.get(row.key));
        this.#open.delete(row.key);
      }
    }
  }
}

function endOf(row: Row, before: Row | undefined): string {
  if (row.phase.kind === 'off') return row.phase.why === 'late' ? 'down' : row.phase.why;
  return row.incarnation?.id === before?.incarnation?.id ? 'resumed' : 'restarted';
}

test.each(replays)('%s', (_, expected) => {
  const keys = Object.keys(expected.looks.at(-1)?.states ?? {});
  const looks =
    expected.form === 'looks' ? readLooks(expected.file) : readChanges(expected.file, keys);
  const wanted = new Map(expected.looks.map((look) => [look.t, look]));
  expect(looks.length).toBeGreaterThanOrEqual(expected.looks.length);

  const fleet = new WatchedFleet();
  const log = new VanishingLog();
  const endOfLook = (look: Recorded) => look.t * 1000 + look.tookMs;
  // The wall clock of the recording: a second after the newest stamp of its first look.
  const first = looks[0];
  if (first === undefined) throw new Error('no looks');
  if (first.newestStamp > 0) fleet.at = first.newestStamp + 1000;
  let lastEndMs = endOfLook(first);
  const alarms = () => {
    const count: Record<string, number> = {};
    for (const { event } of fleet.told) {
      if (event.kind === 'late' && event.key !== null) {
        count[event.key] = (count[event.key] ?? 0) + 1;
      }
    }
    return count;
  };
  const states = () =>
    Object.fromEntries(fleet.view.sessions.map(({ key, state }) => [key, state]));
  const take = (look: Recorded, isAlive: (seconds: number) => boolean) => {
    const endMs = endOfLook(look);
    fleet.processes = isAlive(endMs / 1000) ? [anUpdate] : [];
    const before = fleet.model.rows;
    const details = { afterMs: endMs - lastEndMs, tookMs: look.tookMs };
    fleet.poll(look.observation, details);
    lastEndMs = endMs;
    log.note(look.t, before, fleet.model.rows);
  };

  for (const look of looks) {
    take(look, (seconds) =>
      expected.updateAlive.some(([from, to]) => seconds >= from && (to === null || seconds <= to)),
    );
    const row = wanted.get(look.t);
    if (row === undefined) continue;
    expect(fleet.model.sight.kind, `sight at ${look.t}`).toBe(row.sight);
    expect(states(), `states at ${look.t}`).toEqual(row.states);
  }

  const of = (kind: string) =>
    fleet.told.flatMap(({ event }) => (event.kind === kind ? [event.key] : []));
  const returnedUnderNewLife = expected.restarts.filter((one) => one.for === 'other');
  expect(of('restarted')).toEqual(
    expected.restarts.filter((one) => one.for === 'update').map((one) => one.key),
  );
  expect(of('returned')).toEqual(returnedUnderNewLife.map((one) => one.key));
  expect(of('started')).toEqual(expected.started);
  expect(alarms()).toEqual(expected.alarms);
  const missing = fleet.view.sessions.filter((session) => session.state === 'missing');
  expect(missing.map((session) => session.key)).toEqual(expected.missingAtEnd);
  expect(log.vanishings).toEqual(
    expected.vanishings.map(({ evidence, ...rest }) => ({
      ...rest,
      // The fleet keeps the first evidence only: it is what the alarm will speak of.
      evidence: evidence[0] ?? null,
    })),
  );

  const last = looks.at(-1);
  if (last === undefined) throw new Error('no looks');
  for (let second = 1; second <= 1000; second += 1) {
    const t = last.t + second;
    take({ ...last, t }, () => false);
    if (second === 100) expect(states(), 'after 100 s').toEqual(expected.held.after100s);
  }
  expect(states(), 'after 1000 s').toEqual(expected.held.after1000s);
  expect(alarms()).toEqual(expected.held.alarms);

  // One update, told once, whatever else happened; none where none was.
  expect(fleet.model.run).toBe(null);
  const completed = fleet.told.filter(({ event }) => event.kind === 'run-completed');
  expect(completed).toHaveLength(expected.restartedForUpdate.length > 0 ? 1 : 0);
  const restarted = [...(fleet.model.lastRun?.restarted ?? [])].sort();
  expect(restarted).toEqual(expected.restartedForUpdate);
  const failed = fleet.model.lastRun?.failed.map(({ key }) => key) ?? [];
  const awaited = Object.keys(expected.held.alarms);
  if (expected.restartedForUpdate.length > 0) expect(failed).toEqual(awaited);
  const down = fleet.view.failures.map(({ key, kind }) => [key, kind]);
  expect(down).toEqual(awaited.map((key) => [key, 'late']));
});

test('every recorded series has its replay', () => {
  expect(replays).toHaveLength(30);
  expect(new Set(replays.map(([, { file }]) => dirname(file))).size).toBeGreaterThanOrEqual(20);
});
