/** The built program's agent as a process of its own, seen as a person sees it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import {
  type Fleet,
  type Knobs,
  NO_DELAYS,
  removeContainer,
  type Session,
  type SessionSpec,
  setLock,
} from '../../fixtures/fake-sandy/fleet.mjs';
import type { StatusDocument } from '../../src/control/status-document.ts';
import type { EventRecord } from '../../src/store/event-record.ts';
import {
  PROGRAM,
  type Program,
  test as programTest,
  type Ran,
  type Variables,
} from '../program.ts';

// A busy machine only makes a test slower: this limit is for one that hangs.
vi.setConfig({ testTimeout: 120_000 });
const PATIENCE_MS = 60_000;

export type { EventRecord, StatusDocument };

export interface AgentOptions {
  readonly variables?: Variables | undefined;
  /** Modules that are loaded into the agent before itself. */
  readonly preloads?: readonly string[];
  /** True: with an icon, which most tests have no desktop for. */
  readonly tray?: boolean;
  /** False: nobody watches it. */
  readonly watched?: boolean;
  /** True: it leads a process group of its own. */
  readonly ownGroup?: boolean;
}

export interface RunningAgent {
  readonly pid: number;
  /** What it printed so far, without the line that says that it watches. */
  readonly banners: () => readonly string[];
  readonly stderr: () => string;
  /** The newest snapshot that `status --watch --json` printed. */
  readonly newest: () => StatusDocument;
  /** Waits for a snapshot. */
  sees(predicate: (status: StatusDocument) => boolean, what: string): Promise<StatusDocument>;
  /** Waits for a session to be in a state. */
  seesState(session: Session, state: string): Promise<StatusDocument>;
  /** Waits for so many more sighted looks, and gives what each showed. */
  looksAgain(times: number): Promise<readonly StatusDocument[]>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Ends it as a service manager does, and expects it to obey. */
  stop(): Promise<void>;
}

/** A child of the test that is no agent. */
export interface Spawned {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface Stage {
  readonly program: Program;
  /** A fleet whose steps take no time, of sessions with these names. */
  addFleet(names: readonly (string | SessionSpec)[], knobs?: Knobs): Promise<Fleet>;
  /** By how much windows and delays are divided, of agent and fleet alike. */
  readonly scale: (factor: number) => void;
  /** Writes config.json, for an agent that starts later. */
  configure(values: Readonly<Record<string, unknown>>): void;
  startAgent(options?: AgentOptions): Promise<RunningAgent>;
  /** Runs sandy as a person's terminal or cron does. */
  sandy(fleet: Fleet, ...args: string[]): Spawned;
  /** Runs the program and leaves it running. */
  start(args: readonly string[], options?: AgentOptions): Spawned;
  /** Waits until the agent has saved what it saw. */
  saved(): Promise<void>;
  /** What the log file says now. */
  readonly records: () => readonly EventRecord[];
  /** Waits for a record in the log file. */
  logs(kind: string, session?: Session): Promise<EventRecord>;
  /** What `log --json` prints. */
  readLog(): Promise<readonly EventRecord[]>;
  /** Ends the agent and gives what there was to notice, as `kind name`. */
  noticesAtEnd(agent: RunningAgent): Promise<readonly string[]>;
}

export const test = programTest.extend<{ stage: Stage }>({
  stage: async ({ program }, use) => {
    const children: ChildProcess[] = [];
    try {
      await use(makeStage(program, children));
    } finally {
      for (const child of children) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) {
          await new Promise((resolve) => child.once('exit', resolve));
        }
      }
    }
  },
});

function makeStage(program: Program, children: ChildProcess[]): Stage {
  const environment = program.environment as Record<string, string>;
  const logFile = join(program.ownFolder, 'log.jsonl');

  const records = () => readRecords(logFile);
  const spawnOne = (
    file: string,
    args: readonly string[],
    variables: Variables = {},
    ownGroup = false,
  ): Spawned => {
    const child = spawn(file, [...args], {
      detached: ownGroup,
      env: { ...environment, ...variables },
      cwd: program.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    return {
      pid: child.pid ?? 0,
      child,
      stdout: () => output.stdout,
      stderr: () => output.stderr,
      ended: new Promise((resolve) => {
        child.once('close', (code, signal) => resolve({ code, signal }));
      }),
    };
  };
  const start = (
    args: readonly string[],
    { variables, preloads = [], ownGroup = false }: AgentOptions = {},
  ) =>
    spawnOne(
      process.execPath,
      [
        // What other tests do at the same time is nothing to these processes.
        ...[...new Set([OWN_PROCESSES, ...preloads])].flatMap((path) => ['--import', path]),
        PROGRAM,
        ...args,
      ],
      variables,
      ownGroup,
    );
  const stage: Stage = {
    program,
    addFleet: async (names, knobs) => {
      const sessions = names.map((given) => ({
        // A process a session would only make a busy machine busier.
        supervisor: false,
        stale: true,
        ...(typeof given === 'string' ? { name: given } : given),
      }));
      const fleet = await program.addFleet({ delays: NO_DELAYS, ...knobs, sessions });
      // With a docker to be found no login shell is needed.
      environment.PATH = `${fleet.dockerFolder}:/usr/bin:/bin`;
      return fleet;
    },
    scale: (factor) => {
      environment.SANDY_TRAY_TIME_SCALE = String(factor);
    },
    configure: (values) => {
      mkdirSync(program.ownFolder, { recursive: true });
      writeFileSync(join(program.ownFolder, 'config.json'), JSON.stringify(values));
    },
    async startAgent(options = {}) {
      const { tray = false } = options;
      const args = tray ? ['run'] : ['run', '--no-tray'];
      const spawned = start(args, options);
      await until(
        () => spawned.stdout().includes('Watching (pid'),
        () => `the agent to start: ${spawned.stderr()}`,
      );
      const watcher = options.watched === false ? null : ['status', '--watch', '--json'];
      const agent = watchAgent(
        spawned,
        watcher === null ? null : start(watcher, { variables: options.variables }),
      );
      if (watcher !== null) await agent.sees(() => true, 'a first snapshot');
      return agent;
    },
    sandy: (fleet, ...args) => spawnOne(fleet.sandy, args),
    start,
    records,
    logs: async (kind, session) => {
      const find = () =>
        records().findLast(
          (record) => record.kind === kind && (session === undefined || record.key === session.key),
        );
      const what = () => `${kind} ${session?.key ?? ''} in the log: ${describe(records())}`;
      return (await until(find, what)) as EventRecord;
    },
    saved: async () => {
      const path = join(program.ownFolder, 'state.json');
      await until(
        () => existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).baselined,
        () => 'a saved state',
      );
    },
    readLog: async () => {
      const { stdout, stderr, code } = await program.run(['log', '--json']);
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      return parseLines(stdout);
    },
    noticesAtEnd: async (agent) => {
      await agent.stop();
      const due = (await stage.readLog()).filter((record) => record.notice);
      return due.map(({ kind, key }) => (key === null ? kind : `${kind} ${nameIn(key)}`));
    },
  };
  return stage;
}

const OWN_PROCESSES = join(import.meta.dirname, 'own-processes-preload.mjs');

function watchAgent(spawned: Spawned, watcher: Spawned | null): RunningAgent {
  let last: StatusDocument | null = null;
  const waiting = new Set<() => void>();
  if (watcher?.child.stdout) {
    createInterface({ input: watcher.child.stdout }).on('line', (line) => {
      last = JSON.parse(line);
      for (const look of [...waiting]) look();
    });
  }
  const newest = () => {
    if (last === null) throw new Error('no snapshot yet');
    return last;
  };
  const sees: RunningAgent['sees'] = (predicate, what) =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (last === null || !predicate(last)) return;
        waiting.delete(look);
        clearTimeout(timer);
        resolve(last);
      };
      const timer = setTimeout(() => {
        waiting.delete(look);
        reject(new Error(`never seen: ${what}; last: ${JSON.stringify(last)}`));
      }, PATIENCE_MS);
      waiting.add(look);
      look();
    });
  return {
    pid: spawned.pid,
    banners: () =>
      spawned
        .stdout()
        .split('\n')
        .slice(0, -1)
        .filter((line) => !line.startsWith('Watching (pid')),
    stderr: spawned.stderr,
    newest,
    sees,
    seesState: (session, state) =>
      sees((status) => stateOf(status, session) === state, `${session.key} ${state}`),
    looksAgain: async (times) => {
      const looks = [newest()];
      while (looks.length <= times) {
        const { checkedAt } = newest();
        looks.push(await sees((status) => status.checkedAt !== checkedAt, 'another look'));
      }
      return looks.slice(1);
    },
    signal: (signal) => {
      spawned.child.kill(signal);
    },
    ended: spawned.ended,
    async stop() {
      spawned.child.kill('SIGTERM');
      expect({ ...(await spawned.ended), stderr: spawned.stderr() }).toEqual({
        code: 0,
        signal: null,
        stderr: '',
      });
    },
  };
}

/** The state of a session in a snapshot; null when it has no row. */
export function stateOf(
  status: Pick<StatusDocument, 'sessions'>,
  { key }: { key: string },
): string | null {
  return status.sessions.find((session) => session.key === key)?.state ?? null;
}

/** The session of this name. */
export function find(fleet: Fleet, name: string): Session {
  const session = fleet.sessions.find(({ key }) => nameIn(key) === name);
  if (session === undefined) throw new Error(`no session ${name}`);
  return session;
}

/** A key without its hash. */
function nameIn(key: string): string {
  return key.replace(/-[0-9a-f]{8}$/, '');
}

/** Takes a session away while an update of all is alive, which another session's build keeps so. */
export async function takeAway(stage: Stage, fleet: Fleet, session: Session): Promise<Spawned> {
  const cron = stage.sandy(fleet, '--update-sessions', '--yes');
  await until(
    () => cron.stdout().includes('Refreshing images'),
    () => `the update: ${cron.stderr()}`,
  );
  removeContainer(fleet.dir, session.record);
  setLock(fleet.dir, session.key, 'free');
  await stage.logs('vanished', session);
  return cron;
}

/** Waits until a look gives something. Nothing is taken from how long it took. */
export async function until<T>(look: () => T, what: () => string): Promise<T> {
  const endAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false && seen !== null) return seen;
    if (Date.now() > endAt) throw new Error(`never came: ${what()}`);
    await pause(15);
  }
}

function readRecords(path: string): EventRecord[] {
  try {
    return parseLines(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function parseLines(text: string): EventRecord[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The kinds and names of records, for reading. */
export function describe(records: readonly EventRecord[]): string {
  return records
    .map(({ kind, key }) => (key === null ? kind : `${kind} ${nameIn(key)}`))
    .join(', ');
}

/** What a run of the program printed, without failing. */
export function expectFine(ran: Ran): void {
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
}
