/** Commands that must never be cut: they outlive the process that started them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { errorCodeOf } from './files.ts';
import { withholdingStdio } from './leaked-descriptors.ts';
import { identifyChildNow, isAlive, type ProcessIdentity } from './process-identity.ts';

/** What to run, as one that wraps it may change it. */
export interface DetachedCommand {
  /** An absolute path, or a name that is looked up on the PATH of `environment`. */
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment: nothing of ours is added. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface DetachedRequest extends DetachedCommand {
  /** An existing folder. A missing one makes the command look as if its file were not found. */
  readonly cwd: string;
  /** What it prints on stdout and stderr is appended to this file, which is made (0600) if need be. */
  readonly outputPath: string;
  /** Puts another command in front, one that execs this one in place, so that the pid stays. */
  readonly wrap?: ((command: DetachedCommand) => DetachedCommand) | undefined;
}

export interface ProcessEnd {
  /** The exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

export type DetachedOutcome =
  | {
      readonly kind: 'started';
      readonly process: ProcessIdentity;
      /** Never rejects; settles only while this process lives. */
      readonly ended: Promise<ProcessEnd>;
    }
  /** It was started, but the system does not say who it is (on macOS: it has ended already). */
  | { readonly kind: 'unidentified'; readonly pid: number; readonly ended: Promise<ProcessEnd> }
  | { readonly kind: 'not-started'; readonly errorCode: string };

/**
 * Starts a command without a shell in a process session of its own, with stdin closed and nothing of ours
 * in its hands: it goes on when this process ends or its process group is signalled, and keeps nobody
 * from ending. When it has started, the promise is settled without yielding to the event loop: who
 * saves the identity right afterwards leaves no room for anything but a kill in between.
 */
export async function startDetached(request: DetachedRequest): Promise<DetachedOutcome> {
  const { cwd, outputPath, wrap = (command) => command } = request;
  const { file, args, environment } = wrap(request);
  const texts = [file, cwd, ...args, ...Object.entries(environment).flat()];
  if (texts.some((text) => text.includes('\0'))) {
    // No system can pass one on, and a workspace's name from outside may hold one.
    return { kind: 'not-started', errorCode: 'EINVAL' };
  }
  let child: ChildProcess;
  let failed: Promise<string>;
  try {
    const output = openSync(outputPath, 'a', 0o600);
    try {
      child = spawn(file, args, {
        stdio: withholdingStdio(['ignore', output, output]),
        env: { ...environment },
        cwd,
        detached: true,
      });
      failed = new Promise((resolve) => {
        child.once('error', (error) => resolve(errorCodeOf(error)));
      });
    } finally {
      closeSync(output);
    }
  } catch (error) {
    return { kind: 'not-started', errorCode: errorCodeOf(error) };
  }
  const { pid } = child;
  if (pid === undefined) return { kind: 'not-started', errorCode: await failed };
  const process = identifyChildNow(pid);
  child.unref();
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return process === null
    ? { kind: 'unidentified', pid, ended }
    : { kind: 'started', process, ended };
}

/**
 * Waits for the end of a process that need not be our child, by looking at it every `everyMs`; as long as
 * the system can't say, it counts as alive. How it ended nobody can know. `aborted`: the caller has
 * lost interest.
 */
export async function waitForEnd(
  process: ProcessIdentity,
  { signal, everyMs }: { readonly signal?: AbortSignal | undefined; readonly everyMs: number },
): Promise<'ended' | 'aborted'> {
  while (signal?.aborted !== true) {
    if (!(await isAlive(process))) return 'ended';
    await pause(everyMs, signal);
  }
  return 'aborted';
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish);
    // It may have come while the process was looked at, and does not come again.
    if (signal?.aborted === true) finish();
  });
}
