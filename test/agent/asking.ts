/** The built program's `update`, `start` and `stop` as somebody without a terminal calls them. */

import { join } from 'node:path';
import {
  type Call,
  type Fleet,
  NO_DELAYS,
  readCalls,
  removeContainer,
  type Session,
  setLock,
} from '../../fixtures/fake-sandy/fleet.mjs';
import type { FailureView } from '../../src/fleet/view.ts';
import type { RunOutcome } from '../../src/store/run-record.ts';
import { PROGRAM } from '../program.ts';
import {
  find,
  type RunningAgent,
  type Spawned,
  type Stage,
  type StatusDocument,
  until,
} from './running-agent.ts';

/** What makes a process of ours see only the sandy commands of its own test. */
export const OWN_PROCESSES = join(import.meta.dirname, 'own-processes-preload.mjs');

/** The arguments that Node needs to run the program like that, for a terminal. */
export function programArguments(...args: readonly string[]): readonly string[] {
  return ['--import', OWN_PROCESSES, PROGRAM, ...args];
}

export interface Asked {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls the program and leaves it running. */
export function begin(stage: Stage, ...args: readonly string[]): Spawned {
  return stage.start(args);
}

/** Waits for its end. */
export async function finish(spawned: Spawned): Promise<Asked> {
  const { code } = await spawned.ended;
  return { code, stdout: spawned.stdout(), stderr: spawned.stderr() };
}

/** Calls the program and waits for its end. */
export function ask(stage: Stage, ...args: readonly string[]): Promise<Asked> {
  return finish(begin(stage, ...args));
}

/** The objects that it printed, one a line. */
export function readObjects({ stdout }: Pick<Asked, 'stdout'>): readonly Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** What `update --json` said at its end. */
export function readOutcome(asked: Pick<Asked, 'stdout'>): RunOutcome {
  const last = readObjects(asked).at(-1);
  if (last?.event !== 'done') throw new Error(`no end in ${asked.stdout}`);
  return last.outcome as RunOutcome;
}

/** What `status --json` prints now. */
export async function readStatus(stage: Stage): Promise<StatusDocument> {
  return JSON.parse((await ask(stage, 'status', '--json')).stdout);
}

/** The pinned failures as kinds and texts. */
export async function readFailures(stage: Stage): Promise<readonly FailureView[]> {
  return (await readStatus(stage)).failures;
}

/** Kills an agent as the system does when memory is short, and waits until it is gone. */
export async function killAgent(agent: RunningAgent): Promise<void> {
  agent.signal('SIGKILL');
  await agent.ended;
}

/** The commands with these arguments in front that sandy was called with; not those of its own children. */
export function callsOf(fleet: Fleet, verb: string): readonly Call[] {
  return readCalls(fleet.dir).filter(({ argv, by }) => argv[0] === verb && by === null);
}

/** The commands that change sessions, as sandy was called with them. */
export function changingCalls(fleet: Fleet): readonly Call[] {
  const verbs = new Set(['--update-sessions', '--start', '--stop']);
  return readCalls(fleet.dir).filter(({ argv, by }) => verbs.has(argv[0] ?? '') && by === null);
}

/** By how much the time of these fleets runs faster. */
export const TIME_SCALE = 30;

/** Ends a session as a person with docker does, once the agent has seen it. */
export async function takeAway(agent: RunningAgent, fleet: Fleet, session: Session): Promise<void> {
  await agent.seesState(session, 'detached');
  removeContainer(fleet.dir, session.record);
  setLock(fleet.dir, session.key, 'free');
  await agent.seesState(session, 'ended');
}

/** Waits until sandy was called with this. */
export async function isCalled(fleet: Fleet, verb: string, times = 1): Promise<void> {
  await until(
    () => callsOf(fleet, verb).length >= times,
    () => `sandy ${verb}`,
  );
}

/** The words of what sandy was asked to change, in order. */
export function verbs(fleet: Fleet): readonly (string | undefined)[] {
  return changingCalls(fleet).map(({ argv }) => argv[0]);
}

/** A watched fleet of two, alpha and bravo, whose time runs thirty times as fast. */
export async function prepare(
  stage: Stage,
  delays: Readonly<Record<string, number>> = {},
): Promise<{ fleet: Fleet; alpha: Session; bravo: Session; agent: RunningAgent }> {
  stage.scale(TIME_SCALE);
  const fleet = await stage.addFleet(
    [
      { name: 'alpha', lockPid: process.pid },
      { name: 'bravo', lockPid: process.pid },
    ],
    { delays: { ...NO_DELAYS, ...delays } },
  );
  const agent = await stage.startAgent();
  return { fleet, alpha: find(fleet, 'alpha'), bravo: find(fleet, 'bravo'), agent };
}
