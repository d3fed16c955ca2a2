/**
 * A program of another toolkit that draws for us, spoken with in lines of JSON on its stdin and stdout. It
 * may die, hang, babble or never start: it is then ended and started again, ever more rarely, and nothing
 * of that ever throws or ends this process. While nothing is sent nothing ticks.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { parseJsonObject } from '../system/json-object.ts';
import { withholdingStdio } from '../system/leaked-descriptors.ts';
import { runChild } from '../system/spawning.ts';
import { splitLines, writeMessage } from './helper-lines.ts';

/** Why a helper can't be run. `detail` is from outside, and not clean. */
export interface HelperReason {
  readonly kind:
    | 'no-package'
    | 'wrong-digest'
    | 'not-copied'
    | 'no-display'
    | 'no-desktop'
    | 'missing-library'
    | 'wrong-processor'
    | 'not-started'
    | 'not-ready'
    | 'ended';
  readonly detail: string;
}

export interface HelperCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment: nothing of ours is added. */
  readonly environment: Readonly<Record<string, string>>;
}

export type Preparation =
  | { readonly kind: 'prepared'; readonly command: HelperCommand }
  | { readonly kind: 'refused'; readonly reason: HelperReason };

/** Limits on the helper itself, in milliseconds and bytes; never scaled. */
export interface HelperLimits {
  readonly readyMs: number;
  /** How long it may take to end once it was asked to. */
  readonly exitMs: number;
  readonly maxRssBytes: number;
}

export const helperLimits: HelperLimits = {
  readyMs: 8_000,
  exitMs: 1_000,
  maxRssBytes: 150 * 1024 * 1024,
};

export interface HelperParts {
  /** Asked before every start. */
  readonly prepare: () => Promise<Preparation>;
  /** It can be spoken to now, and knows nothing yet. */
  readonly onReady: () => void;
  readonly onMessage: (message: Readonly<Record<string, unknown>>) => void;
  /** Whether it runs has changed. */
  readonly onChange: () => void;
  readonly limits: HelperLimits;
  /** By which the delays between starts are divided. */
  readonly timeScale: number;
}

export type HelperCondition = 'starting' | 'ready' | 'unusable' | 'stopped';

export interface HelperProcess {
  /** `unusable`: it can't be run, was never ready so far, or keeps dying. */
  readonly condition: () => HelperCondition;
  /** Why it is not ready; null: it is, or nothing has gone wrong so far. */
  readonly reason: () => HelperReason | null;
  readonly pid: () => number | null;
  readonly start: () => void;
  /** Sends messages, where it is ready. One that grew too large is started again instead. */
  readonly send: (messages: readonly unknown[]) => void;
  /** Ends it and starts another one at once. */
  readonly replace: () => void;
  /** Settles when it is gone. */
  readonly stop: () => Promise<void>;
}

const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 60_000, 300_000];
/** One that has run this long starts again as if it had never failed. */
const STEADY_MS = 60_000;
/** So many deaths in a row are a hiccup. */
const HICCUPS = 3;
/** What it may leave unread. The largest menu is far smaller. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
const STDERR_TAIL_BYTES = 4 * 1024;
/** Starting it again can't help more often when it is large from the beginning. */
const REPLACE_EVERY_MS = 600_000;
const MEASURE_EVERY_MS = 60_000;
const PS_LIMIT_MS = 5_000;
/** What will be no different at the next attempt. */
const lasting: ReadonlySet<HelperReason['kind']> = new Set([
  'no-package',
  'wrong-digest',
  'no-display',
  'no-desktop',
  'missing-library',
  'wrong-processor',
]);

export function createHelperProcess(parts: HelperParts): HelperProcess {
  const { limits, timeScale } = parts;
  let condition: HelperCondition = 'stopped';
  let reason: HelperReason | null = null;
  let child: ChildProcess | null = null;
  let readyAt = 0;
  let measuredAt = 0;
  let wasReady = false;
  let isReplacing = false;
  let deaths = 0;
  let timer: NodeJS.Timeout | undefined;
  let starting: Promise<void> = Promise.resolve();

  const change = (next: HelperCondition) => {
    if (condition === next) return;
    condition = next;
    parts.onChange();
  };
  const isStopped = () => condition === 'stopped';
  const fail = (why: HelperReason) => {
    reason = why;
    if (isStopped()) return;
    const delayMs = RETRY_DELAYS_MS[Math.min(deaths, RETRY_DELAYS_MS.length - 1)] ?? 0;
    deaths += 1;
    if (!lasting.has(why.kind)) timer = setTimeout(begin, delayMs / timeScale);
    change(wasReady && deaths <= HICCUPS && !lasting.has(why.kind) ? 'starting' : 'unusable');
  };
  const end = (ended: ChildProcess, why: HelperReason) => {
    if (child !== ended) return;
    child = null;
    clearTimeout(timer);
    if (condition === 'ready' && performance.now() - readyAt > STEADY_MS / timeScale) deaths = 0;
    if (isReplacing && !isStopped()) {
      isReplacing = false;
      change('starting');
      begin();
    } else fail(why);
  };
  const hear = (message: Readonly<Record<string, unknown>>) => {
    if (message.type !== 'ready') {
      if (condition === 'ready') parts.onMessage(message);
      return;
    }
    if (condition === 'ready' || isStopped()) return;
    clearTimeout(timer);
    readyAt = performance.now();
    wasReady = true;
    reason = null;
    change('ready');
    parts.onReady();
  };
  const run = ({ file, args, environment }: HelperCommand) => {
    let started: ChildProcess;
    try {
      started = spawn(file, args, {
        stdio: withholdingStdio(['pipe', 'pipe', 'pipe'] as const),
        env: { ...environment },
        cwd: '/',
      });
    } catch (error) {
      return fail({ kind: 'not-started', detail: describeError(error) });
    }
    child = started;
    let tail = '';
    let why: HelperReason | null = null;
    const giveUp = (kind: HelperReason['kind'], detail: string) => {
      why ??= { kind, detail };
      started.kill('SIGKILL');
    };
    timer = setTimeout(() => giveUp('not-ready', tail), limits.readyMs);
    // It says the same by its end.
    started.stdin?.on('error', () => {});
    started.stdout?.on('error', () => {});
    started.stderr?.on('error', () => {});
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-STDERR_TAIL_BYTES);
    });
    const read = splitLines(
      (line) => {
        const message = child === started && why === null ? parseJsonObject(line) : null;
        if (message !== null) hear(message);
      },
      () => giveUp('ended', 'it said too much'),
    );
    started.stdout?.on('data', read);
    started.once('error', (error) => {
      // A signal that can't be sent is an error as well.
      if (started.pid === undefined) end(started, describeSpawnError(error));
    });
    const told = (code: number | null, signal: string | null) =>
      end(started, why ?? describeEnd(code, signal, tail, condition === 'ready'));
    // What it said last explains its end; who else holds its pipes must not delay it for good.
    started.once('exit', (code, signal) => {
      const late = setTimeout(() => told(code, signal), DRAIN_MS);
      started.once('close', () => {
        clearTimeout(late);
        told(code, signal);
      });
    });
  };
  const begin = () => {
    starting = parts.prepare().then((preparation) => {
      if (isStopped()) return;
      if (preparation.kind === 'prepared') run(preparation.command);
      else fail(preparation.reason);
    });
  };

  /** Asks it to end, by a word and by the end of its stdin, and makes sure of it. */
  const dismiss = (dismissed: ChildProcess): Promise<void> =>
    new Promise((resolve) => {
      if (dismissed.pid === undefined || hasEnded(dismissed)) return resolve();
      const limit = setTimeout(() => dismissed.kill('SIGKILL'), limits.exitMs);
      dismissed.once('exit', () => {
        clearTimeout(limit);
        resolve();
      });
      dismissed.stdin?.end(writeMessage({ type: 'exit' }));
    });
  const replace = () => {
    if (child === null || condition !== 'ready' || isReplacing) return;
    isReplacing = true;
    void dismiss(child);
  };

  const checkSize = async (pid: number) => {
    const now = performance.now();
    const isTime = now - Math.max(readyAt, measuredAt) > MEASURE_EVERY_MS / timeScale;
    if (!isTime || now - readyAt < REPLACE_EVERY_MS / timeScale) return;
    measuredAt = now;
    if ((await measureRssBytes(pid)) > limits.maxRssBytes && child?.pid === pid) replace();
  };

  return {
    condition: () => condition,
    reason: () => reason,
    pid: () => child?.pid ?? null,
    replace,
    start() {
      if (!isStopped()) return;
      deaths = 0;
      condition = 'starting';
      begin();
    },
    send(messages) {
      const { stdin, pid } = child ?? {};
      if (condition !== 'ready' || isReplacing || !stdin?.writable || messages.length === 0) return;
      stdin.write(messages.map(writeMessage).join(''));
      if (stdin.writableLength > MAX_UNREAD_BYTES) child?.kill('SIGKILL');
      if (pid !== undefined) void checkSize(pid);
    },
    async stop() {
      change('stopped');
      clearTimeout(timer);
      await starting;
      if (child !== null) await dismiss(child);
    },
  };
}

/** How long the pipes of one that has ended may stay open in the hands of another process. */
const DRAIN_MS = 250;

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** The memory of a process; 0 where the system does not say. */
async function measureRssBytes(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  }
  const outcome = await runChild({
    file: '/bin/ps',
    args: ['-o', 'rss=', '-p', String(pid)],
    environment: {},
    cwd: '/',
    limitMs: PS_LIMIT_MS,
    maxOutputBytes: 4096,
    killing: 'child',
  });
  return outcome.kind === 'exited' ? Number(outcome.stdout.trim()) * 1024 || 0 : 0;
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describeSpawnError(error: Error): HelperReason {
  const { code = '', errno } = error as NodeJS.ErrnoException;
  // EBADARCH of macOS has no name here.
  if (errno === -86 || code === 'ENOEXEC') return { kind: 'wrong-processor', detail: '' };
  return { kind: 'not-started', detail: code === '' ? error.message : code };
}

function describeEnd(
  code: number | null,
  signal: string | null,
  tail: string,
  wasUp: boolean,
): HelperReason {
  const library = /error while loading shared libraries: ([^\s:]+)/.exec(tail)?.[1];
  if (library !== undefined) return { kind: 'missing-library', detail: library };
  if (!wasUp && /cannot open display/i.test(tail)) return { kind: 'no-display', detail: '' };
  return { kind: 'ended', detail: signal ?? String(code) };
}
