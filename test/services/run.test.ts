/**
 * An agent that is a service, as a person has it: systemd ends all that is in its control group with it.
 * A run that it began, and the sessions that this run restarted, must not be among that.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { type Fleet, readEvents, sessionOf } from '../../fixtures/fake-sandy/fleet.mjs';
import type { RunRecord } from '../../src/store/run-record.ts';
import {
  find,
  type Spawned,
  type Stage,
  type StatusDocument,
  test,
  until,
} from '../agent/running-agent.ts';
import { expectGone, isRunning } from '../processes.ts';
import { PROGRAM } from '../program.ts';
import { startUserManager, type UserManager } from './user-manager.ts';

vi.setConfig({ testTimeout: 180_000 });

const OWN_PROCESSES = join(import.meta.dirname, '..', 'agent', 'own-processes-preload.mjs');

let manager: UserManager;
beforeAll(async () => {
  manager = await startUserManager();
});
afterAll(async () => {
  await manager?.end();
});

/** A run in its middle. */
interface Run {
  readonly fleet: Fleet;
  /** The `update` that asked for it. */
  readonly asker: Spawned;
  /** Has the manager do something with the agent's unit; waits until an agent answers. */
  tell(verb: 'start' | 'restart' | 'stop'): Promise<void>;
  readonly record: () => RunRecord;
  /** Of the sandy that carries it out. */
  readonly sandyPid: number;
  /** Lets it go on from where it waits. */
  goOn(): void;
}

/** Of three sessions the first is restarted, the second waits to be let go, the third has its turn to come. */
async function beginRun(stage: Stage, name: string): Promise<Run> {
  stage.scale(5);
  const patient = { stop: 'ignored', delays: { stopLimitMs: 3_600_000 } } as const;
  const now = Date.now();
  // sandy takes the youngest first.
  const fleet = await stage.addFleet([
    { name: 'alpha', supervisor: true, startedAt: now - 60_000 },
    { name: 'bravo', supervisor: true, startedAt: now - 120_000, ...patient },
    { name: 'charlie', supervisor: true, startedAt: now - 180_000 },
  ]);
  const { environment, ownFolder } = stage.program;
  const variables = Object.entries(environment).map(
    ([key, value]) => `Environment="${key}=${value}"`,
  );
  await manager.addUnit(
    `${name}.service`,
    `[Service]
Type=exec
ExecStart=${process.execPath} --import ${OWN_PROCESSES} ${PROGRAM} run
${variables.join('\n')}
`,
  );
  const tell = async (verb: 'start' | 'restart' | 'stop') => {
    await manager.systemctl(verb, `${name}.service`);
    if (verb === 'stop') return;
    const main = await manager.systemctl(
      'show',
      '--value',
      '--property=MainPID',
      `${name}.service`,
    );
    while ((await statusOf(stage)).agent?.pid !== Number(main));
  };
  await tell('start');
  const asker = stage.start(['update', '--all', '--yes']);
  const bravo = find(fleet, 'bravo');
  await until(
    () => readEvents(fleet.dir).some(({ why }) => why === 'stop-ignored'),
    () => `${bravo.key} to be asked to stop: ${asker.stdout()} ${asker.stderr()}`,
  );
  const runs = join(ownFolder, 'runs');
  const [id = '', ...others] = readdirSync(runs);
  expect(others).toEqual([]);
  const record = () => JSON.parse(readFileSync(join(runs, id, 'run.json'), 'utf8')) as RunRecord;
  return {
    fleet,
    asker,
    tell,
    record,
    sandyPid: record().steps[0]?.process?.pid ?? 0,
    goOn: () => process.kill(supervisorOf(fleet, 'bravo'), 'SIGTERM'),
  };
}

async function statusOf({ program }: Stage): Promise<StatusDocument> {
  const { stdout } = await program.run(['status', '--json']);
  return JSON.parse(stdout);
}

function supervisorOf(fleet: Fleet, name: string): number {
  return sessionOf(fleet.dir, find(fleet, name).record)?.supervisorPid ?? 0;
}

const controlGroupOf = (pid: number) => readFileSync(`/proc/${pid}/cgroup`, 'utf8');

/** Every session was restarted, is listed, and has its process that watches over it. */
async function expectAllAlive(stage: Stage, run: Run): Promise<void> {
  const { sessions } = await statusOf(stage);
  const shown = sessions.map(({ key, state, imageStale }) => [key, state, imageStale]);
  expect(shown.sort()).toEqual(run.fleet.sessions.map(({ key }) => [key, 'detached', false]));
  expectAllWatched(run);
}

function expectAllWatched({ fleet }: Run): void {
  expect(
    ['alpha', 'bravo', 'charlie'].filter((name) => !isRunning(supervisorOf(fleet, name))),
  ).toEqual([]);
}

function expectReportedOnce(stage: Stage): void {
  const told = stage.records().filter(({ kind }) => kind.startsWith('run-'));
  expect(told.map(({ kind, text }) => [kind, text])).toEqual([
    ['run-started', expect.any(String)],
    ['run-completed', expect.stringContaining('3 restarted, 0 failed')],
  ]);
  const alarms = ['down', 'late', 'start-failed', 'vanished'];
  expect(stage.records().filter(({ kind, notice }) => notice && alarms.includes(kind))).toEqual([]);
}

test('a run and its sessions outlive restarts of the service that it was asked of', async ({
  stage,
}) => {
  const run = await beginRun(stage, 'restarted');
  const { fleet, asker, tell, record, sandyPid, goOn } = run;
  expect(controlGroupOf(sandyPid)).toMatch(/\.scope$/m);
  const alpha = supervisorOf(fleet, 'alpha');

  await tell('restart');
  expect(isRunning(sandyPid)).toBe(true);
  expect(isRunning(alpha)).toBe(true);
  expect(record().endedAt).toBeNull();
  expect((await statusOf(stage)).run).toMatchObject({
    id: record().id,
    current: expect.any(String),
  });

  goOn();
  expect(await asker.ended).toEqual({ code: 0, signal: null });
  expect(asker.stdout()).toContain('3 restarted, 0 failed.');
  await expectGone(sandyPid);

  await tell('restart');
  expect(isRunning(alpha)).toBe(true);
  await expectAllAlive(stage, run);
  expect((await statusOf(stage)).lastRun).toMatchObject({
    id: record().id,
    outcome: 'done',
    restarted: expect.arrayContaining(fleet.sessions.map(({ key }) => key)),
    failed: [],
  });
  expectReportedOnce(stage);
  await tell('stop');
  expectAllWatched(run);
});

test('a run that ends while its service is stopped is reported by the next one', async ({
  stage,
}) => {
  const run = await beginRun(stage, 'stopped');
  const { asker, tell, record, sandyPid, goOn } = run;
  // It would carry on in the agent's place.
  asker.child.kill('SIGKILL');
  await asker.ended;

  await tell('stop');
  expect(isRunning(sandyPid)).toBe(true);
  goOn();
  await expectGone(sandyPid);
  expect(record()).toMatchObject({ endedAt: null, outcome: null });

  await tell('start');
  await until(
    () => record().endedAt,
    () => `the end of ${JSON.stringify(record())}`,
  );
  expect(record().outcome).toMatchObject({ kind: 'ok', failed: [] });
  expect(record().outcome?.restarted).toHaveLength(3);
  await expectAllAlive(stage, run);
  expectReportedOnce(stage);

  await tell('restart');
  expectReportedOnce(stage);
  await expectAllAlive(stage, run);
  await tell('stop');
});
