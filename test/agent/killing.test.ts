import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { NO_DELAYS, setLock } from '../../fixtures/fake-sandy/fleet.mjs';
import type { EventRecord } from '../../src/store/event-record.ts';
import { parseLedger } from '../../src/store/ledger-entries.ts';
import type { Program } from '../program.ts';
import {
  isWatching,
  readRecords,
  readSaved,
  type StartAgent,
  test,
  until,
} from './agent-process.ts';
import { beginNight, makePast, nightVariables, type Past, updateSession } from './night.ts';

const preload = resolve(import.meta.dirname, '../kill-preload.mjs');

/** What the night brings, each once; cyd may also be given up where a machine is very slow. */
const happenings = [
  'back dov-4',
  'late cyd-3',
  'restarted asa-1',
  'restarted bor-2',
  'restarted dov-4',
  'run-completed null',
  'vanished cyd-3',
];

/** The banners that are due, each by its happening in the ledger and its words. */
const banners = [
  { kind: 'back', words: /^\d\d:\d\d dov-4 is back/ },
  { kind: 'late', words: /^\d\d:\d\d cyd-3 did not come back/ },
  {
    kind: 'run-completed',
    words:
      /^\d\d:\d\d Rolling restart complete, 1 failed: cyd-3 did not come back\. 3 restarted, 1 failed, .*\.$/,
  },
] as const;

/** The steps that change anything outside of the process, or show it: between two others a kill leaves the same. */
const acting =
  '^(mkdir|openSync|writeSync|renameSync|writeFile|rename|link|rm|unlinkSync|truncate|listen|chmodSync|write|spawn) ';
const actsOfOneLife = 110;

let past: Promise<Past> | null = null;

interface Night {
  readonly program: Program;
  readonly startAgent: StartAgent;
  /** Every line that any life has printed. */
  readonly lines: string[];
  /** How many records the past had. */
  readonly before: number;
}

/** One life, until a kill or until the night is over; gives whether it was killed. */
async function live(night: Night, kill: string, atEnd?: () => Promise<void>): Promise<boolean> {
  const { program, startAgent, lines } = night;
  const agent = startAgent({
    variables: { ...nightVariables, KILL: kill },
    preloads: [preload],
  });
  let over = false;
  const ended = agent.ended.then(() => {
    over = true;
  });
  await until(() => over || (isWatching(agent) && isOver(program)));
  if (!over) await atEnd?.();
  const { code, signal, stdout, stderr } = await agent.stop();
  await ended;
  lines.push(...stdout.split('\n').filter(Boolean));
  expect(stderr).toBe('');
  const killed = signal === 'SIGKILL';
  if (!killed) expect({ code, signal }).toEqual({ code: 0, signal: null });
  return killed;
}

function newHappenings(records: readonly EventRecord[], { before }: Night): readonly string[] {
  return records
    .slice(before)
    .filter(({ incident, kind }) => incident !== null && kind !== 'down')
    .map(({ kind, key }) => `${kind} ${key}`)
    .sort();
}

/** Whether the last happening is saved: that comes after all of it was told. */
function isOver(program: Program): boolean {
  const saved = readSaved(program);
  return saved?.run === null && saved.lastRun?.restarted.length === 3;
}

async function begin(program: Program, startAgent: StartAgent): Promise<Night> {
  past ??= makePastElsewhere(program, startAgent);
  await beginNight(program, await past);
  return { program, startAgent, lines: [], before: readRecords(program).length };
}

/** The past is made once, in the folder of whichever test comes first. */
async function makePastElsewhere(program: Program, startAgent: StartAgent): Promise<Past> {
  const ownFolder = join(program.folder, 'past');
  const environment = { ...program.environment, SANDY_TRAY_DIR: ownFolder };
  const elsewhere: Program = {
    ...program,
    ownFolder,
    environment,
    addFleet: async (spec) => {
      const fleet = await program.addFleet(spec, 'past-fleet');
      Object.assign(environment, { SANDY_TRAY_SANDY: fleet.sandy });
      return fleet;
    },
  };
  return makePast(elsewhere, startAgent);
}

/** Lives through the night with these kills and one last life without; gives how many hit. */
async function surviveNight(
  program: Program,
  startAgent: StartAgent,
  kills: readonly string[],
): Promise<number> {
  const night = await begin(program, startAgent);
  let hits = 0;
  for (const kill of kills) if (await live(night, kill)) hits += 1;
  await live(night, '', () => expectPinnedWhereUnsure(program));
  await expectToldOnce(night);
  return hits;
}

async function expectToldOnce(night: Night): Promise<void> {
  const { program, lines } = night;
  const { stdout, stderr, code } = await program.run(['log', '--json']);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const records = stdout
    .split('\n')
    .filter(Boolean)
    .map((line): EventRecord => JSON.parse(line));
  expect(newHappenings(records, night)).toEqual(happenings);
  const steps = readLedger(program);
  for (const { kind, words } of banners) {
    const shown = lines.filter((line) => words.test(line)).length;
    const record = records.slice(night.before).find((one) => one.kind === kind);
    expect(record).toMatchObject({ notice: true });
    const step = steps.get(`${kind}:${record?.incident}`);
    if (step === 'intent') expect(shown, `${kind} is unsure`).toBeLessThanOrEqual(1);
    else expect([step, shown], kind).toEqual(['shown', 1]);
  }
  const known = [/^Watching \(pid \d+\)\./, ...banners.map(({ words }) => words)];
  expect(lines.filter((line) => !known.some((words) => words.test(line)))).toEqual([]);
}

function readLedger({ ownFolder }: Program): ReadonlyMap<string, string> {
  const content = parseLedger(JSON.parse(readFileSync(join(ownFolder, 'ledger.json'), 'utf8')));
  return new Map([...(content?.entries ?? [])].map(([id, entry]) => [id, entry.step]));
}

/** A banner that may not have been seen must not be all there was to see. */
async function expectPinnedWhereUnsure(program: Program): Promise<void> {
  const unsure = [...readLedger(program)].filter(([, step]) => step === 'intent');
  if (unsure.length === 0) return;
  const { stdout } = await program.run(['status', '--json'], nightVariables);
  const status = JSON.parse(stdout);
  expect(status.agent).not.toBeNull();
  expect(status.failures.map(({ key }: { key: string }) => key)).toEqual(['cyd-3']);
  if (unsure.some(([id]) => id.startsWith('run-completed:'))) {
    expect(status.lastRun).toMatchObject({ restarted: ['asa-1', 'bor-2', 'dov-4'] });
  }
}

describe.concurrent('an agent that is killed at a named step and started again', () => {
  test.for([
    ...['before 1 ^writeFile agent', 'before 1 ^link agent', 'after 1 ^link agent'],
    ...['before 1 ^rm agent', 'before 1 ^listen agent', 'after 1 ^listen agent'],
    ...['before 1 ^chmodSync agent', 'after 1 ^chmodSync agent', 'after 1 ^write Watching'],
    ...[
      'after 1 ^spawn --version',
      'before 1 ^rename sandy-schema',
      'after 1 ^spawn --print-state',
    ],
    ...['after 2 ^spawn --print-state', 'after 3 ^spawn --print-state'],
    // The log: its start, then restarted or back four times, vanished, late and run-completed.
    ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((count) =>
      ['before', 'half', 'after'].map((when) => `${when} ${count} ^writeSync log\\.jsonl`),
    ),
    // The ledger: the alarm is done, then intent and mark of back, late and run-completed.
    ...[1, 2, 3, 4, 5, 6, 7].flatMap((count) =>
      ['before', 'after'].map((when) => `${when} ${count} ^renameSync ledger`),
    ),
    ...[1, 4, 7].map((count) => `half ${count} ^writeSync ledger`),
    ...[1, 2, 3].flatMap((count) =>
      ['before', 'after'].map((when) => `${when} ${count} ^write \\d\\d:\\d\\d `),
    ),
    ...[1, 2, 3, 4, 5].flatMap((count) =>
      ['before', 'after'].map((when) => `${when} ${count} ^renameSync state`),
    ),
    ...[1, 3].map((count) => `half ${count} ^writeSync state`),
  ])('%s', async (kill, { program, startAgent }) => {
    expect(await surviveNight(program, startAgent, [kill])).toBe(1);
  });

  /** A change in sandy's folder, and the look that it causes. */
  test.for([
    'before 1 ^hint sandboxes',
    'after 1 ^hint sandboxes',
    'before 1 ^spawn --print-state light',
    'after 1 ^spawn --print-state light',
  ])('%s', async (kill, { program, startAgent }) => {
    const variables = { SANDY_TRAY_TIME_SCALE: '100' };
    const { dir } = await program.addFleet({
      delays: NO_DELAYS,
      sessions: [{ key: 'asa-1', workspace: '/nowhere/asa' }],
    });
    const killed = startAgent({
      variables: { ...variables, KILL: kill },
      preloads: [preload],
    });
    await until(() => readSaved(program)?.baselined === true);
    updateSession(dir, 'asa-1');
    setLock(dir, 'asa-1', 'free');
    expect((await killed.ended).signal).toBe('SIGKILL');
    const agent = startAgent({ variables });
    await until(() => readRecords(program).some((record) => record.kind === 'run-completed'));
    const { stdout, stderr, code } = await agent.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const told = readRecords(program).filter((record) => record.incident !== null);
    expect(told.map((record) => record.kind)).toEqual(['restarted', 'run-completed']);
    expect(stdout.match(/Rolling restart complete: \S+ was restarted/g)).toHaveLength(1);
  });
});

describe.concurrent('an agent that is killed anywhere and started again', () => {
  // In CI all of them; elsewhere a part that takes less than a minute.
  const count = process.env.CI === 'true' ? 200 : 40;
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  test.for(seeds)('seed %i', async (seed, { program, startAgent }) => {
    const kills = killsOf(seed);
    await surviveNight(program, startAgent, kills).catch((error: Error) => {
      error.message = `seed ${seed}, killed ${kills.join(', then ')}: ${error.message}`;
      throw error;
    });
  });
});

/** One kill; for every fourth seed a second one in the life after it. */
function killsOf(seed: number): readonly string[] {
  const random = randomFrom(seed);
  return (seed % 4 === 0 ? [0, 1] : [0]).map(() => {
    const when = ['before', 'half', 'after'][Math.floor(random() * 3)];
    return `${when} ${1 + Math.floor(random() * actsOfOneLife)} ${acting}`;
  });
}

/** mulberry32: the same numbers for the same seed, on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
