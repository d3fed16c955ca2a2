/** The program installed with a real manager of systemd. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type Fleet, readEvents, sessionOf } from '../../fixtures/fake-sandy/fleet.mjs';
import type { RunRecord } from '../../src/store/run-record.ts';
import { find, type Stage, type StatusDocument, until } from '../agent/running-agent.ts';
import { isRunning } from '../processes.ts';
import { writeScript } from '../program.ts';
import type { UserManager } from './user-manager.ts';

export const OWN_PROCESSES = join(import.meta.dirname, '..', 'agent', 'own-processes-preload.mjs');
export const AGENT = 'sandy-tray.service';
export const UPDATE = 'sandy-tray-update.service';
export const TIMER = 'sandy-tray-update.timer';

export interface Installed {
  readonly units: string;
  /** Runs a command that must go well; gives what it prints. */
  run(...args: string[]): Promise<string>;
  /** A property of a unit. */
  show(unit: string, property: string): Promise<string>;
  /** Waits until a property of a unit is this. */
  shows(unit: string, property: string, value: string): Promise<void>;
  /** Writes a drop-in for a unit. */
  adjust(unit: string, text: string): Promise<void>;
  /** Waits until the agent that answers is the unit's, and gives its pid. */
  agentPid(): Promise<number>;
  status(): Promise<StatusDocument>;
  /** What the manager knows of us, and the files of its user that we have made. */
  leftovers(): Promise<readonly string[]>;
}

/** With it no command of the unit gets a scope of its own: the manager can't be reached. */
export const WITHOUT_SCOPES = `[Service]
Environment=XDG_RUNTIME_DIR=/no/such/folder DBUS_SESSION_BUS_ADDRESS=unix:path=/no/such/bus
`;

/** Makes a stage's program one of the manager's user. Nothing of ours may be installed there yet. */
export async function prepareInstalled(stage: Stage, manager: UserManager): Promise<Installed> {
  const { program } = stage;
  const environment = program.environment as Record<string, string>;
  const home = join(manager.folder, 'home');
  Object.assign(environment, manager.environment, {
    HOME: home,
    PATH: environment.PATH,
    // A login shell that keeps the PATH, where docker's stand-in is.
    SHELL: writeScript(join(program.folder, 'login'), 'exec /bin/sh -c "$2"'),
  });
  stage.configure({ tray: 'off' });
  await manager.systemctl(
    'set-environment',
    `NODE_OPTIONS=--import=${OWN_PROCESSES}`,
    `SANDY_TRAY_TIME_SCALE=${environment.SANDY_TRAY_TIME_SCALE ?? 1}`,
  );
  const units = join(home, '.config', 'systemd', 'user');
  const show = async (unit: string, property: string) =>
    (await manager.systemctl('show', '--value', `--property=${property}`, unit)).trim();
  const status = async () => JSON.parse((await program.run(['status', '--json'])).stdout);
  return {
    units,
    show,
    shows: async (unit, property, value) => {
      await vi.waitFor(async () => expect(await show(unit, property)).toBe(value), {
        timeout: 60_000,
        interval: 100,
      });
    },
    status,
    run: async (...args) => {
      const { code, stdout, stderr } = await program.run(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    },
    adjust: async (unit, text) => {
      const folder = join(units, `${unit}.d`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'test.conf'), text);
      await manager.systemctl('daemon-reload');
    },
    agentPid: async () => {
      for (;;) {
        const [pid, { agent }] = [Number(await show(AGENT, 'MainPID')), await status()];
        if (pid > 0 && agent?.pid === pid) return pid;
      }
    },
    leftovers: async () => {
      const known = await Promise.all(
        ['list-units', 'list-unit-files', 'list-timers'].map((verb) =>
          // It fails where there is nothing to list.
          manager.systemctl(verb, '--all', '--no-legend', '--plain', 'sandy-tray*').catch(() => ''),
        ),
      );
      const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
      // The manager remembers the name of a unit that is gone as long as one of its processes lives.
      return [...known.join('').split('\n'), ...files].filter(
        (line) => line.includes('sandy-tray') && !line.includes(' not-found inactive dead '),
      );
    },
  };
}

/** Three sessions: of a run the first is restarted, the second waits to be let go, the third comes last. */
export async function addPatientFleet(stage: Stage): Promise<Fleet> {
  const patient = { stop: 'ignored', delays: { stopLimitMs: 3_600_000 } } as const;
  const now = Date.now();
  return await stage.addFleet([
    { name: 'alpha', supervisor: true, startedAt: now - 60_000 },
    { name: 'bravo', supervisor: true, startedAt: now - 120_000, ...patient },
    { name: 'charlie', supervisor: true, startedAt: now - 180_000 },
  ]);
}

export function supervisorOf(fleet: Fleet, name: string): number {
  return sessionOf(fleet.dir, find(fleet, name).record)?.supervisorPid ?? 0;
}

/** Which of the sessions have nobody to watch over them. */
export function listUnwatched(fleet: Fleet): readonly string[] {
  return fleet.sessions
    .map(({ key }) => key.replace(/-[0-9a-f]{8}$/, ''))
    .filter((name) => {
      const pid = supervisorOf(fleet, name);
      return pid === 0 || !isRunning(pid);
    });
}

/** Waits until bravo is waited for; then `goOn` lets the run go on. */
export async function awaitMiddle(fleet: Fleet): Promise<{ goOn: () => void }> {
  await until(
    () => readEvents(fleet.dir).some(({ why }) => why === 'stop-ignored'),
    () => 'bravo to be asked to stop',
  );
  return {
    goOn: () => {
      process.kill(supervisorOf(fleet, 'bravo'), 'SIGTERM');
    },
  };
}

/** The records of all runs, oldest first. */
export function readRuns({ program }: Stage): readonly RunRecord[] {
  const runs = join(program.ownFolder, 'runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .sort()
    .map((id) => JSON.parse(readFileSync(join(runs, id, 'run.json'), 'utf8')));
}

export const controlGroupOf = (pid: number) => readFileSync(`/proc/${pid}/cgroup`, 'utf8');
