import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Fleet,
  NO_DELAYS,
  removeContainer,
  replaceContainer,
} from '../../fixtures/fake-sandy/fleet.mjs';
import type { EventRecord } from '../../src/store/event-record.ts';
import type { Program } from '../program.ts';
import { readRecords, type StartAgent, until } from './agent-process.ts';

/** So fast that all of a night is over after a few looks. */
export const nightVariables = { SANDY_TRAY_TIME_SCALE: '1000' };

/** The shortest windows, and a long watch, so that no late session is given up meanwhile. */
const preferences = { returnWindowSeconds: 10, settleSeconds: 5, watchMinutes: 60 };

/** What an agent left behind in its folder, by file name. */
export type Past = ReadonlyMap<string, string>;

const keys = ['asa-1', 'bor-2', 'cyd-3', 'dov-4'] as const;

export async function addNightFleet(program: Program): Promise<Fleet> {
  const fleet = await program.addFleet({
    delays: NO_DELAYS,
    sessions: keys.map((key) => ({ key, workspace: `/nowhere/${key}` })),
  });
  // With a docker to be found no login shell is needed.
  Object.assign(program.environment, { PATH: `${fleet.dockerFolder}:/usr/bin:/bin` });
  return fleet;
}

/**
 * Lives through a night in which asa came back from an update and dov did not, with real agents, and
 * gives what the last of them left: an alarm that is still pinned.
 */
export async function makePast(program: Program, startAgent: StartAgent): Promise<Past> {
  const { dir } = await addNightFleet(program);
  mkdirSync(program.ownFolder, { recursive: true });
  writeFileSync(join(program.ownFolder, 'config.json'), JSON.stringify(preferences));
  await liveUntil(program, startAgent, (records) =>
    records.some(({ kind }) => kind === 'baseline'),
  );
  // Not in the same second as the night's own: stamps have no smaller parts.
  updateSession(dir, 'asa-1', Date.now() - 60_000);
  removeContainer(dir, 'dov-4');
  await liveUntil(program, startAgent, (records) =>
    ['late', 'run-completed'].every((kind) => records.some((record) => record.kind === kind)),
  );
  const files = readdirSync(program.ownFolder).filter((name) => /\.jsonl?$/.test(name));
  return new Map(files.map((name) => [name, readFileSync(join(program.ownFolder, name), 'utf8')]));
}

async function liveUntil(
  program: Program,
  startAgent: StartAgent,
  isOver: (records: readonly EventRecord[]) => boolean,
): Promise<void> {
  const agent = startAgent({ variables: { ...program.environment, ...nightVariables } });
  await until(() => isOver(readRecords(program)));
  const { code, stderr } = await agent.stop();
  if (code !== 0 || stderr !== '') throw new Error(`the agent ended with ${code}: ${stderr}`);
}

/** Puts the past into a program's folder, and what happened since then into a fleet of its own. */
export async function beginNight(program: Program, past: Past): Promise<Fleet> {
  mkdirSync(program.ownFolder, { recursive: true, mode: 0o700 });
  for (const [name, text] of past) writeFileSync(join(program.ownFolder, name), text);
  const fleet = await addNightFleet(program);
  for (const key of ['asa-1', 'bor-2', 'dov-4']) updateSession(fleet.dir, key);
  removeContainer(fleet.dir, 'cyd-3');
  return fleet;
}

/** What an update does to a session: a new container, with the moment of the update. */
export function updateSession(dir: string, key: string, at = Date.now()): void {
  replaceContainer(dir, key, { updatedAt: new Date(at).toISOString() });
}
