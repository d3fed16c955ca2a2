/** Runs of our own as the tests see them: what is on disk, what sandy was asked, what was told. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, vi } from 'vitest';
import {
  type Call,
  type Fleet,
  type Knobs,
  readCalls,
  type SessionSpec,
  sessionsOf,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { connectToAgent } from '../../src/control/client.ts';
import { nameSocket } from '../../src/control/socket-path.ts';
import type { EventRecord } from '../../src/store/event-record.ts';
import type { RunRecord } from '../../src/store/run-record.ts';
import { readSlot } from '../../src/store/slot.ts';
import type { Program } from '../program.ts';
import { type Stage, until } from './running-agent.ts';

export const KILLER = resolve(import.meta.dirname, '../kill-preload.mjs');
const OWN_PROCESSES = resolve(import.meta.dirname, 'own-processes-preload.mjs');

/** Long enough for a busy machine to look in between; a restart is two commands more. */
const STEP_MS = 60;
const SCALE = 20;

/** A fleet whose updates take some time at each step, and a return window that no busy machine exceeds. */
export async function addSlowFleet(
  stage: Stage,
  names: readonly (string | SessionSpec)[],
  knobs: Knobs = {},
): Promise<Fleet> {
  stage.scale(SCALE);
  stage.configure({ returnWindowSeconds: 600 });
  const step = STEP_MS * SCALE;
  const fleet = await stage.addFleet(names, {
    ...knobs,
    delays: {
      ...{ buildMs: step, stopMs: step, beforeLockMs: step, innerMs: step },
      // Its own limits are for people's machines, not for busy ones at twenty times the speed.
      stopLimitMs: 600_000,
      // A start that met the old life's lock would wait for ten minutes, as sandy's does.
      ...{ proxyGoneMs: 0, lockLingersMs: 0 },
      ...knobs.delays,
    },
  });
  // Every process of the program is to see its own test's sandy only; sandy is not given this.
  Object.assign(stage.program.environment, { NODE_OPTIONS: `--import ${OWN_PROCESSES}` });
  return fleet;
}

/** What is asked of the agent; without keys an update of all. */
export interface AskBody {
  readonly op?: 'update' | 'check' | 'start' | 'stop';
  readonly keys?: readonly string[] | null;
}

/** Asks on the socket and gives the answer; null: the agent ended before it gave one. */
export async function askAgent(
  { ownFolder }: Program,
  { op = 'update', keys = null }: AskBody = {},
): Promise<Readonly<Record<string, unknown>> | null> {
  const socketPath = nameSocket(ownFolder);
  const connection = await connectToAgent({ socketPath, role: 'test', timeoutMs: 30_000 });
  if (connection.kind !== 'connected') throw new Error(`no agent: ${connection.kind}`);
  const rest = { idleForMinutes: null, rebuild: false, origin: 'cli', onTerminal: false };
  const answer = await connection.request('ask', { op, keys, ...rest }, 60_000);
  connection.close();
  return answer.kind === 'answered' && answer.ok ? (answer.body as never) : null;
}

/** The records of all runs, oldest first. */
export function readRuns({ ownFolder }: Program): readonly RunRecord[] {
  const runs = join(ownFolder, 'runs');
  return list(runs).flatMap((id) => {
    try {
      return [JSON.parse(readFileSync(join(runs, id, 'run.json'), 'utf8'))];
    } catch {
      return [];
    }
  });
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** What the newest run's commands have printed so far. */
export function readOutput({ ownFolder }: Program): string {
  const id = list(join(ownFolder, 'runs')).at(-1) ?? '';
  try {
    return readFileSync(join(ownFolder, 'runs', id, 'output.log'), 'utf8');
  } catch {
    return '';
  }
}

/** The commands of updates, as they were started; those of the sandy within them are not among them. */
export function updateCalls({ dir }: Fleet): readonly Call[] {
  return readCalls(dir).filter(({ argv }) => argv.includes('--update-sessions'));
}

/** Waits until no update that was started is at work any more. */
export async function updatesEnd(fleet: Fleet): Promise<void> {
  await until(
    () => updateCalls(fleet).every(({ exitedAt }) => exitedAt !== null),
    () => `the end of ${JSON.stringify(updateCalls(fleet))}`,
  );
}

/** Waits until so many runs have come to something. */
export async function runsEnd(program: Program, count = 1): Promise<readonly RunRecord[]> {
  const ended = () => readRuns(program).filter(({ endedAt }) => endedAt !== null);
  await until(
    () => ended().length >= count && ended(),
    () => `the end of ${count} runs: ${JSON.stringify(readRuns(program))}`,
  );
  return ended();
}

/** Waits until nobody has the slot: what holds it lets go of it right after its run's last word. */
export async function slotIsFree(program: Program): Promise<void> {
  await slotBecomes(program, null);
}

export async function slotIsTaken(program: Program, pid: number): Promise<void> {
  await slotBecomes(program, pid);
}

async function slotBecomes({ ownFolder }: Program, pid: number | null): Promise<void> {
  let holder: number | null | undefined;
  const look = async () => {
    const state = await readSlot(ownFolder);
    holder = state.kind === 'busy' ? state.holder.pid : state.kind === 'free' ? null : undefined;
  };
  await vi.waitUntil(async () => look().then(() => holder === pid), { timeout: 60_000 });
}

/**
 * Expects that one run came to a good end: sandy was asked for each of its steps once, each session was
 * restarted once, the log tells of it once, and everybody runs. To be called when no agent is alive.
 */
export async function expectDoneOnce(stage: Stage, fleet: Fleet, keys: readonly string[]) {
  const { program } = stage;
  const [run, ...others] = readRuns(program);
  expect(others).toEqual([]);
  const sorted = [...keys].sort();
  expect(run?.outcome).toMatchObject({ kind: 'ok', skipped: [], failed: [] });
  expect([...(run?.outcome?.restarted ?? [])].sort()).toEqual(sorted);
  expect(updateCalls(fleet).map(({ argv }) => argv)).toEqual(run?.steps.map(({ args }) => args));
  expectRestartedOnce(fleet, keys);
  const records = await stage.readLog();
  const told = (kind: string) => records.filter((record) => record.kind === kind);
  const incidents = [...told('run-started'), ...told('run-completed')].map((one) => one.incident);
  expect(incidents).toEqual([`run-started:${run?.id}`, `run:${run?.id}`]);
  const restarted = told('restarted').map(({ key }: EventRecord) => key);
  expect(restarted.sort()).toEqual(sorted);
  const alarms = ['late', 'down', 'back', 'run-failed', 'run-cancelled', 'run-hung'];
  expect(alarms.flatMap(told)).toEqual([]);
  await slotIsFree(program);
  const saved = JSON.parse(readFileSync(join(program.ownFolder, 'state.json'), 'utf8'));
  expect(saved).toMatchObject({ run: null, lastRun: { id: run?.id, failed: [] } });
  expect([...saved.lastRun.restarted].sort()).toEqual(sorted);
}

/** The stops and starts that updates asked for: one of each for each session, which runs now. */
export function expectRestartedOnce(fleet: Fleet, keys: readonly string[]): void {
  const within = readCalls(fleet.dir).filter(({ by }) => by === 'update-sessions');
  const verbs = within.map(({ argv, code }) => `${argv[0]} ${argv.at(-1)} ${code}`);
  const sessions = fleet.sessions.filter(({ key }) => keys.includes(key));
  const due = sessions.flatMap(({ workspace }) =>
    ['--stop', '--start'].map((verb) => `${verb} ${workspace} 0`),
  );
  expect(verbs.sort()).toEqual(due.sort());
  for (const session of sessionsOf(fleet.dir)) {
    expect(session.container?.innerGone, session.key).toBe(false);
  }
}
