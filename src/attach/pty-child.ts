/** A child in a pty of its own: bytes both ways, and how it ended once all of its output was given. */

import { closeSync, constants, openSync, statSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { ReadStream } from 'node:tty';
import { findExecutable } from '../system/executable.ts';
import { withholdDescriptor } from '../system/leaked-descriptors.ts';
import { makeEndMark } from './end-mark.ts';
import type { TerminalSize } from './outer-terminal.ts';
import { type ForkedChild, loadPtyBinding, type PtyBinding } from './pty-binding.ts';
import { makeWriteQueue } from './write-queue.ts';

export interface PtyRequest {
  /** An absolute path, or a name that is looked up on the PATH of `environment`. */
  readonly file: string;
  readonly args: readonly string[];
  /** The child's whole environment: nothing of ours is added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly size: TerminalSize;
  /** Called with all that the child writes, in order. */
  readonly onData: (bytes: Buffer) => void;
}

/** How the child ended. Look at the kind first: a signal's death has no code. */
export type PtyChildEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string };

export interface PtyChild {
  readonly pid: number;
  /** Resolves after the last call of `onData`; never rejects. */
  readonly ended: Promise<PtyChildEnd>;
  /** Types into the child. False: it does not read at the moment, and what it was given waits. */
  readonly write: (bytes: Uint8Array) => boolean;
  /** Resolves when nothing waits to be typed into it any more, or it has ended. */
  readonly taken: () => Promise<void>;
  /** Stops calling `onData`; a child that goes on writing is then held by the kernel. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly resize: (size: TerminalSize) => void;
  /** As a terminal that is closed: HUP, and no more output is read. `ended` follows. */
  readonly hangUp: () => void;
}

export type PtyStart =
  | { readonly kind: 'started'; readonly child: PtyChild }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-executable' }
  /** No such folder, no pty left, no node-pty for this machine. `reason` is the system's word for it. */
  | { readonly kind: 'not-started'; readonly reason: string };

/** Starts a child in a pty. It never throws for what the request names or the machine lacks. */
export function startInPty(request: PtyRequest): PtyStart {
  const { file, args, environment, cwd, size } = request;
  const entries = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  if ([file, cwd, ...args, ...entries].some((text) => text.includes('\0'))) {
    // A C string would end there, and the child would be given something else.
    return { kind: 'not-started', reason: 'EINVAL' };
  }
  if (!isFolder(cwd)) return { kind: 'not-started', reason: 'no such folder' };
  const executable = findExecutable(file, environment.PATH, cwd);
  if (executable.kind !== 'found') return executable;
  let exited: (end: PtyChildEnd) => void = () => {};
  const exit = new Promise<PtyChildEnd>((resolve) => {
    exited = resolve;
  });
  let forked: ForkedChild;
  let held: number;
  let binding: PtyBinding;
  try {
    const loaded = loadPtyBinding();
    binding = loaded.binding;
    forked = binding.fork(
      executable.path,
      args,
      entries,
      cwd,
      size.columns,
      size.rows,
      -1,
      -1,
      true,
      loaded.helperPath,
      (code, signal) => exited(readEnd(code, signal)),
    );
    held = holdOpen(forked);
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    return { kind: 'not-started', reason };
  }
  return { kind: 'started', child: followChild(binding, forked, held, exit, request.onData) };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Opens the child's side of the pty. While we hold it, the child's end does not end the reading: Node
 * before 24 takes it for the end of the output, too, and loses what is still in the pty.
 */
function holdOpen({ fd, pid, pty }: ForkedChild): number {
  try {
    return openSync(pty, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch (error) {
    signalHangUp(pid);
    closeSync(fd);
    throw error;
  }
}

function followChild(
  binding: PtyBinding,
  { fd, pid }: ForkedChild,
  held: number,
  exit: Promise<PtyChildEnd>,
  onData: (bytes: Buffer) => void,
): PtyChild {
  const release = withholdDescriptor(fd);
  const output = new ReadStream(fd);
  const input = makeWriteQueue(fd);
  let closed = false;
  const drained = new Promise<void>((resolve) => output.once('close', resolve));
  const close = () => {
    if (closed) return;
    closed = true;
    mark.close();
    input.close();
    output.destroy();
    closeSync(held);
    release();
  };
  const mark = makeEndMark({
    descriptor: held,
    isRead: () => !output.isPaused(),
    onData,
    onEnd: close,
  });
  output.on('data', mark.take);
  // EIO is how a pty ends; whatever it is, nothing more can be read.
  output.on('error', close);
  output.once('end', close);

  let dead = false;
  const ended = exit.then(async (end) => {
    dead = true;
    input.close();
    mark.write();
    await drained;
    return end;
  });
  return {
    pid,
    ended,
    write: input.push,
    taken: input.empty,
    pause: () => {
      output.pause();
    },
    resume: () => {
      output.resume();
    },
    resize: ({ columns, rows }) => {
      if (!closed) binding.resize(fd, columns, rows);
    },
    hangUp: () => {
      if (!dead) signalHangUp(pid);
      close();
    },
  };
}

function signalHangUp(pid: number): void {
  try {
    // Only the child itself; closing the pty tells the others in it, as the kernel sees fit.
    process.kill(pid, 'SIGHUP');
  } catch (error) {
    // It has ended, and its exit is on its way to us.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const signalNames = new Map<number, string>(
  Object.entries(osConstants.signals).map(([name, number]) => [number, name]),
);

/** The code of a child that died by a signal is 0 here. */
function readEnd(code: number, signal: number): PtyChildEnd {
  if (signal === 0) return { kind: 'exited', code };
  return { kind: 'signalled', signal: signalNames.get(signal) ?? `SIG${signal}` };
}
