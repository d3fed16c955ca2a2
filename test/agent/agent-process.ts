import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';
import type { EventRecord } from '../../src/store/event-record.ts';
import type { SavedFleet } from '../../src/store/saved-fleet.ts';
import {
  PROGRAM,
  type Program,
  test as programTest,
  type Ran,
  type Variables,
} from '../program.ts';

// A busy machine only makes a test slower: the limits are for what hangs.
vi.setConfig({ testTimeout: 180_000 });
const PATIENCE_MS = 120_000;

/** The updates of tests that run at the same time must be no evidence here. */
const ownProcesses = resolve(import.meta.dirname, 'own-processes-preload.mjs');

/** How to start an agent. */
export interface StartOptions {
  readonly variables?: Variables;
  /** Modules that are loaded into it before itself. */
  readonly preloads?: readonly string[];
  /** A command that runs what follows it, such as one that enters a namespace. */
  readonly through?: readonly string[];
  /** After `run`; by default without an icon, which most tests have no desktop for. */
  readonly args?: readonly string[];
}

/** A `sandy-tray run` that goes on until somebody ends it.  */
export interface AgentProcess {
  readonly pid: number;
  readonly ended: Promise<Ran>;
  /** What it has printed so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Asks it to end as a service does; resolves when it has. */
  stop(): Promise<Ran>;
  kill(): Promise<Ran>;
}

export type StartAgent = (options?: StartOptions) => AgentProcess;

/** Starts agents, which are killed when their test ends. */
export const test = programTest.extend<{ startAgent: StartAgent }>({
  startAgent: async ({ program }, use) => {
    const started: AgentProcess[] = [];
    try {
      await use((options = {}) => {
        const agent = spawnAgent(program, options);
        started.push(agent);
        return agent;
      });
    } finally {
      await Promise.all(started.map((agent) => agent.kill()));
    }
  },
});

function spawnAgent(program: Program, options: StartOptions): AgentProcess {
  const { variables = {}, preloads = [], through = [], args: own = ['--no-tray'] } = options;
  const imports = [ownProcesses, ...preloads].flatMap((path) => ['--import', path]);
  const command = [...through, process.execPath, ...imports, PROGRAM, 'run', ...own];
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    env: { ...program.environment, ...variables },
    cwd: program.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  const end = (signal: NodeJS.Signals) => () => {
    child.kill(signal);
    return ended;
  };
  return { pid: child.pid ?? 0, ended, output, stop: end('SIGTERM'), kill: end('SIGKILL') };
}

/** Waits until something holds, for as long as a busy machine may take; not beyond the agent's end. */
export async function until(holds: () => boolean, agent?: AgentProcess): Promise<void> {
  const endAt = Date.now() + PATIENCE_MS;
  let over = false;
  void agent?.ended.then(() => {
    over = true;
  });
  while (!holds()) {
    if (over || Date.now() > endAt) {
      throw new Error(
        `never came true: ${holds}; the agent said: ${JSON.stringify(agent?.output)}`,
      );
    }
    await pause(10);
  }
}

/** Whether an agent has said that it watches: it can be asked and told to end. */
export function isWatching({ output }: AgentProcess): boolean {
  return output.stdout.includes('Watching (pid ');
}

/** The log as it is now, read without the program; a line that is being written is left out. */
export function readRecords(program: Program): readonly EventRecord[] {
  try {
    const text = readFileSync(join(program.ownFolder, 'log.jsonl'), 'utf8');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

/** The saved state as it is now; null where there is none. */
export function readSaved({ ownFolder }: Program): SavedFleet | null {
  try {
    return JSON.parse(readFileSync(join(ownFolder, 'state.json'), 'utf8'));
  } catch {
    return null;
  }
}
