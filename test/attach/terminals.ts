/**
 * Terminals for whole-process tests: the built program's `attach`, or sandy's own, in a real pty. What a
 * person sees is read from the pty's bytes; who attached when is read from fake-sandy's log.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type IPty, spawn } from 'node-pty';
import { vi } from 'vitest';
import * as z from 'zod/mini';
import {
  type Call,
  type Fleet,
  readCalls,
  readEvents,
  type Session,
  sessionOf,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { readLock } from '../../src/system/lock-file.ts';
import { type Stage, test as stageTest, until } from '../agent/running-agent.ts';
import { expectGone, isRunning } from '../processes.ts';
import { PROGRAM, type Variables } from '../program.ts';

// A busy machine only makes a test slower: the limit is for one that hangs.
vi.setConfig({ testTimeout: 180_000, maxConcurrency: 10 });

const OWN_PROCESSES = join(import.meta.dirname, '..', 'agent', 'own-processes-preload.mjs');

export interface TerminalOptions {
  readonly cwd?: string;
  readonly variables?: Variables;
  readonly columns?: number;
}

export interface Terminal {
  /** Of the process that the terminal was opened with. */
  readonly pid: number;
  readonly timeScale: number;
  /** Of the program that it was opened with. */
  readonly stateFolder: string;
  /** All that was written into it. */
  readonly bytes: () => string;
  /** What was written since the last `sees`, without sequences. */
  readonly unseen: () => string;
  /** Waits for a text after the ones that were seen before; gives what was written up to its end. */
  sees(text: string | RegExp): Promise<string>;
  type(keys: string): void;
  /** A key that counts: after a second of this terminal's time in which nothing was typed. */
  presses(key: string): Promise<void>;
  /** Types with a pause after each key, as a person does. */
  typeSlowly(keys: string, keyMs: number): Promise<void>;
  resize(columns: number, rows: number): void;
  signal(signal: NodeJS.Signals): void;
  /** Closes the window. */
  close(): void;
  readonly ended: Promise<{ readonly code: number; readonly signal: number }>;
  /** Waits for its end; gives the exit code. */
  ends(): Promise<number>;
  /** Whether it has ended by now. */
  readonly isOver: () => boolean;
}

export interface Desk {
  readonly stage: Stage;
  /** Opens a terminal with `sandy-tray attach` and these arguments. */
  attach(args: readonly string[], options?: TerminalOptions): Terminal;
  /** Opens a terminal with sandy itself: a client that is not ours. */
  attachForeign(fleet: Fleet, session: Session): Terminal;
  /** Opens a terminal with any command. */
  open(file: string, args: readonly string[], options?: TerminalOptions): Terminal;
}

/** Like the agent's, with `desk`: terminals that are closed when their test ends. */
export const test = stageTest.extend<{ desk: Desk }>({
  desk: async ({ stage }, use) => {
    const terminals: Terminal[] = [];
    try {
      await use(makeDesk(stage, terminals));
    } finally {
      for (const terminal of terminals) {
        // One whose end was not reported yet may be gone all the same.
        if (terminal.isOver() || !isRunning(terminal.pid)) continue;
        const children = childrenOf(terminal.pid);
        terminal.signal('SIGKILL');
        // A look that goes on would write into a fleet that is being removed.
        for (const pid of children) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
        await Promise.all(children.map(expectGone));
      }
      await Promise.all(terminals.map((terminal) => terminal.ended));
    }
  },
});

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);
}

function makeDesk(stage: Stage, terminals: Terminal[]): Desk {
  const { program } = stage;
  const open: Desk['open'] = (file, args, { cwd, variables = {}, columns = 100 } = {}) => {
    const environment: Variables = {
      ...program.environment,
      TERM: 'xterm-256color',
      ...variables,
    };
    const pty = spawn(file, [...args], {
      cwd: cwd ?? program.folder,
      env: Object.fromEntries(
        Object.entries(environment).filter(
          (entry): entry is [string, string] => entry[1] !== undefined,
        ),
      ),
      cols: columns,
      rows: 24,
    });
    const terminal = watchTerminal(
      pty,
      Number(environment.SANDY_TRAY_TIME_SCALE ?? 1),
      program.ownFolder,
    );
    terminals.push(terminal);
    return terminal;
  };
  return {
    stage,
    open,
    attach: (args, options) =>
      open(process.execPath, ['--import', OWN_PROCESSES, PROGRAM, 'attach', ...args], options),
    attachForeign: (fleet, session) =>
      open(fleet.sandy, ['--attach', '--workspace', session.workspace]),
  };
}

function watchTerminal(pty: IPty, timeScale: number, stateFolder: string): Terminal {
  let bytes = '';
  let seen = 0;
  let over = false;
  pty.onData((data) => {
    bytes += data;
  });
  const ended = new Promise<{ code: number; signal: number }>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      over = true;
      resolve({ code: exitCode, signal: signal ?? 0 });
    });
  });
  const unseen = () => withoutSequences(bytes).slice(seen);
  const terminal: Terminal = {
    pid: pty.pid,
    timeScale,
    stateFolder,
    bytes: () => bytes,
    unseen,
    async sees(text) {
      return (await until(
        () => {
          const rest = unseen();
          const found = typeof text === 'string' ? findText(rest, text) : text.exec(rest);
          if (found === null) return null;
          const end = found.index + found[0].length;
          seen += end;
          return rest.slice(0, end);
        },
        () => `${text} in ${JSON.stringify(unseen())}${over ? ', and it has ended' : ''}`,
      )) as string;
    },
    type: (keys) => pty.write(keys),
    async presses(key) {
      await pause(1_200 / timeScale);
      pty.write(key);
    },
    async typeSlowly(keys, keyMs) {
      for (const key of keys) {
        pty.write(key);
        await pause(keyMs);
      }
    },
    resize: (columns, rows) => pty.resize(columns, rows),
    signal: (signal) => {
      process.kill(pty.pid, signal);
    },
    // node-pty's own way also signals, which a closed window does not.
    close: () => (pty as unknown as { destroy(): void }).destroy(),
    ended,
    async ends() {
      await until(
        () => over,
        () => `the end of a terminal that shows ${JSON.stringify(unseen())}`,
      );
      const { code, signal } = await ended;
      if (signal !== 0) throw new Error(`ended by signal ${signal}`);
      return code;
    },
    isOver: () => over,
  };
  return terminal;
}

function findText(text: string, wanted: string): { index: number; 0: string } | null {
  const index = text.indexOf(wanted);
  return index < 0 ? null : { index, 0: wanted };
}

/** What is left of a stream for the eye, in the order of writing; a line that is rewritten stays. */
function withoutSequences(bytes: string): string {
  return bytes.replaceAll(
    /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b./gs,
    '',
  );
}

/** All attaches to a session, the oldest first; those of one terminal where it is given. */
export function attachesOf(fleet: Fleet, session: Session, terminal?: Terminal): readonly Call[] {
  return readCalls(fleet.dir).filter(
    ({ argv, ppid, pid }) =>
      argv[0] === '--attach' &&
      argv.includes(session.workspace) &&
      (terminal === undefined || ppid === terminal.pid || pid === terminal.pid),
  );
}

export function callsOf(fleet: Fleet, verb: string): readonly Call[] {
  return readCalls(fleet.dir).filter(({ argv }) => argv[0] === verb);
}

/** Kills a client of sandy. One that is not there is a bug of the test: number 0 would be all of us. */
export function killClient(call: Call | undefined): void {
  if (call === undefined) throw new Error('no such client');
  process.kill(call.pid, 'SIGKILL');
}

/** The id of the container that runs now. */
export function lifeOf(fleet: Fleet, session: Session): string {
  return sessionOf(fleet.dir, session.record)?.container?.id ?? 'none';
}

/** Waits until a terminal is in a session, in its present life. */
export async function seesInside(
  terminal: Terminal,
  fleet: Fleet,
  session: Session,
): Promise<void> {
  await until(
    () => sessionOf(fleet.dir, session.record)?.container,
    () => `${session.key} to run`,
  );
  await terminal.sees(`attached ${session.key} ${lifeOf(fleet, session)}`);
  await terminal.sees('$ ');
}

/** Waits until a terminal is in, and knows it: by a look that showed a client, or by five seconds. */
export async function settles(terminal: Terminal, fleet: Fleet, session: Session): Promise<void> {
  await seesInside(terminal, fleet, session);
  await believes(fleet, session, terminal);
}

export async function believes(
  fleet: Fleet,
  session: Session,
  terminal: Pick<Terminal, 'timeScale' | 'stateFolder'> & { readonly pid?: number },
): Promise<void> {
  const { timeScale, stateFolder, pid } = terminal;
  const id = lifeOf(fleet, session);
  const entered = readEvents(fleet.dir).findLast(
    (event) => event.why === 'client-attached' && event.id === id,
  );
  const looks = () =>
    callsOf(fleet, '--print-state').filter(
      ({ at, exitedAt }) => at > (entered?.at ?? 0) && exitedAt !== null,
    );
  await until(
    () => looks().length > 0 || Date.now() > (entered?.at ?? 0) + 5_000 / timeScale,
    () => `a look after ${session.key} was attached`,
  );
  // A look that was taken has yet to reach the terminal, which then lets go of what it held to attach.
  const digest = createHash('sha256').update(session.workspace).digest('hex').slice(0, 16);
  const lock = { folder: stateFolder, name: `attach-${digest}`, infoSchema: z.null() };
  const endAt = Date.now() + 60_000;
  for (;;) {
    const state = await readLock(lock);
    if (state.kind !== 'busy' || (pid !== undefined && state.holder.pid !== pid)) return;
    if (Date.now() > endAt) throw new Error(`${session.key} is never believed to be attached`);
    await pause(15);
  }
}

/** The attaches that were begun while the session could not be attached to. */
export function earlyAttaches(fleet: Fleet, session: Session): readonly Call[] {
  const events = readEvents(fleet.dir).filter(({ record }) => record === session.record);
  return attachesOf(fleet, session).filter(({ at }) => {
    const before = events.filter((event) => event.at <= at);
    const last = before.findLast(({ why }) => readyWords.has(why) || unreadyWords.has(why));
    return last !== undefined && unreadyWords.has(last.why);
  });
}

const readyWords = new Set(['seeded', 'inner-ready', 'set', 'client-attached']);
const unreadyWords = new Set(['inner-ended', 'container-gone', 'container-listed', 'agent-exited']);
