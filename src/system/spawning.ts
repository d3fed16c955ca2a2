import { withholdingStdio } from './leaked-descriptors.ts';
import { settleWithin } from './settling.ts';

/** What to run and how far to let it go. */
export interface ChildRequest {
  /** An absolute path, or a name that is looked up on the PATH of `environment`. */
  readonly file: string;
  readonly args: readonly string[];
  /** The child's whole environment: nothing of ours is added. */
  readonly environment: Readonly<Record<string, string>>;
  /** An existing folder. A missing one makes the child look as if its file were not found. */
  readonly cwd: string;
  readonly limitMs: number;
  /** Bytes of stdout and stderr together. Nothing is read beyond it. */
  readonly maxOutputBytes: number;
  /**
   * `group`: the child leads a process group of its own, and all of it is killed at a limit.
   * `child`: only the child itself is. Anything that may start long-lived processes must be run
   * with `child`, since killing a group also kills whatever it left running.
   */
  readonly killing: 'group' | 'child';
  readonly signal?: AbortSignal | undefined;
}

interface ChildTimes {
  /** From the start of the child to its outcome. */
  readonly durationMs: number;
}

interface ChildOutput {
  readonly stdout: string;
  /** The end of stderr, at most a few thousand characters. */
  readonly stderrTail: string;
}

/** How a child ended. A child that never started has no output. */
export type ChildOutcome =
  | ({ readonly kind: 'exited'; readonly code: number } & ChildOutput & ChildTimes)
  | ({ readonly kind: 'signalled'; readonly signal: string } & ChildOutput & ChildTimes)
  | ({ readonly kind: 'timed-out'; readonly limitMs: number } & ChildOutput & ChildTimes)
  | ({ readonly kind: 'too-large'; readonly maxOutputBytes: number } & ChildTimes)
  | ({ readonly kind: 'aborted' } & ChildTimes)
  | ({ readonly kind: 'not-found' } & ChildTimes)
  | ({ readonly kind: 'not-executable' } & ChildTimes)
  | ({ readonly kind: 'not-started'; readonly errorCode: string } & ChildTimes);

const STDERR_TAIL_BYTES = 8 * 1024;

/** How long after the child's own end its pipes may stay open in the hands of a grandchild. */
const DRAIN_MS = 250;

/** How long a killed child is awaited; one stuck in the kernel can outlive SIGKILL. */
const REAP_MS = 1_000;

/**
 * Runs a child without a shell, with stdin closed, and reports how it ended. It never rejects for
 * anything the child or the file system does, and never waits for a grandchild that keeps a pipe
 * open.
 */
export async function runChild(request: ChildRequest): Promise<ChildOutcome> {
  // Loading execa costs more than most commands that never need it.
  const { execa } = await import('execa');
  const startedAt = performance.now();
  const measure = (): ChildTimes => ({ durationMs: performance.now() - startedAt });
  if (request.signal?.aborted === true) return { kind: 'aborted', ...measure() };
  if ([request.file, request.cwd, ...request.args].some((text) => text.includes('\0'))) {
    // No system can pass one on, and a workspace's name from outside may hold one.
    return { kind: 'not-started', errorCode: 'EINVAL', ...measure() };
  }

  const child = startChild(execa, request);
  const output = collectOutput(child, request.maxOutputBytes);
  const stop = await awaitStop(child, request, output.full);
  switch (stop.kind) {
    case 'ended':
      await awaitDrained(output.closed);
      break;
    case 'timed-out':
    case 'too-large':
    case 'aborted':
      killChild(child, request.killing);
      await awaitReaped(child);
      break;
    case 'failed-to-start':
      return { ...describeStartFailure(stop.errorCode), ...measure() };
    default:
      stop satisfies never;
  }
  output.release();
  const { stdout, stderrTail, overflowed } = output.read();
  const rest = { stdout, stderrTail, ...measure() };
  switch (stop.kind) {
    case 'ended':
      if (overflowed) return tooLarge(request, measure());
      return stop.signal === null
        ? { kind: 'exited', code: stop.code ?? -1, ...rest }
        : { kind: 'signalled', signal: stop.signal, ...rest };
    case 'timed-out':
      return { kind: 'timed-out', limitMs: request.limitMs, ...rest };
    case 'too-large':
      return tooLarge(request, measure());
    case 'aborted':
      return { kind: 'aborted', ...measure() };
  }
}

function tooLarge(request: ChildRequest, times: ChildTimes): ChildOutcome {
  return { kind: 'too-large', maxOutputBytes: request.maxOutputBytes, ...times };
}

type Stop =
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'failed-to-start'; readonly errorCode: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' };

type PipedChild = ReturnType<typeof startChild>;

function startChild(execa: typeof import('execa').execa, request: ChildRequest) {
  return execa(request.file, request.args, {
    stdio: withholdingStdio(['ignore', 'pipe', 'pipe']),
    buffer: false,
    reject: false,
    extendEnv: false,
    env: { ...request.environment },
    cwd: request.cwd,
    detached: request.killing === 'group',
  });
}

/** Resolves at the first of: the child's end, its failure to start, a limit, the caller's abort. */
function awaitStop(child: PipedChild, request: ChildRequest, full: Promise<void>): Promise<Stop> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle({ kind: 'timed-out' }), request.limitMs);
    const abort = () => {
      // At once: whoever aborts in a signal's handler ends this process right afterwards.
      killChild(child, request.killing);
      settle({ kind: 'aborted' });
    };
    const settle = (stop: Stop) => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
      resolve(stop);
    };
    request.signal?.addEventListener('abort', abort);
    // The exit event and not execa's own promise, which also waits for the pipes to close.
    child.once('exit', (code, signal) => settle({ kind: 'ended', code, signal }));
    void full.then(() => settle({ kind: 'too-large' }));
    void child.then((result) => {
      if (child.pid === undefined) {
        settle({ kind: 'failed-to-start', errorCode: result.code ?? 'unknown' });
      }
    });
  });
}

interface CollectedOutput {
  readonly stdout: string;
  readonly stderrTail: string;
  readonly overflowed: boolean;
}

interface OutputCollection {
  /** Resolves once more than the cap has been printed; never otherwise. */
  readonly full: Promise<void>;
  /** Resolves when nobody can write to either pipe any more. */
  readonly closed: Promise<unknown>;
  read(): CollectedOutput;
  /** Lets go of the pipes, whoever else still holds them. */
  release(): void;
}

function collectOutput(child: PipedChild, maxOutputBytes: number): OutputCollection {
  const { stdout, stderr } = child;
  const chunks: Buffer[] = [];
  let tail = Buffer.alloc(0);
  let bytes = 0;
  let reportFull: () => void = () => {};
  const full = new Promise<void>((resolve) => {
    reportFull = resolve;
  });
  const count = (chunk: Buffer): boolean => {
    bytes += chunk.length;
    if (bytes <= maxOutputBytes) return true;
    chunks.length = 0;
    stdout.pause();
    stderr.pause();
    reportFull();
    return false;
  };
  stdout.on('data', (chunk: Buffer) => {
    if (count(chunk)) chunks.push(chunk);
  });
  stderr.on('data', (chunk: Buffer) => {
    if (count(chunk)) tail = Buffer.concat([tail, chunk]).subarray(-STDERR_TAIL_BYTES);
  });
  const closed = Promise.all(
    [stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve))),
  );
  return {
    full,
    closed,
    read: () => ({
      stdout: Buffer.concat(chunks).toString('utf8'),
      stderrTail: tail.toString('utf8'),
      overflowed: bytes > maxOutputBytes,
    }),
    release: () => {
      stdout.destroy();
      stderr.destroy();
    },
  };
}

async function awaitDrained(closed: Promise<unknown>): Promise<void> {
  if (
    await settleWithin(
      closed.then(() => true),
      DRAIN_MS,
      () => false,
    )
  )
    return;
  // After a blocked event loop the timer comes before what is still in the pipes: read it first.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

async function awaitReaped(child: PipedChild): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await settleWithin(ended, REAP_MS, () => {});
}

function killChild(child: PipedChild, killing: ChildRequest['killing']): void {
  // Once it has been reaped, its number may belong to somebody else.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(killing === 'group' ? -child.pid : child.pid, 'SIGKILL');
  } catch (error) {
    // It ended between the look and the kill.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

type StartFailure =
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-executable' }
  | { readonly kind: 'not-started'; readonly errorCode: string };

function describeStartFailure(errorCode: string): StartFailure {
  switch (errorCode) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'not-found' };
    case 'EACCES':
    case 'ENOEXEC':
      return { kind: 'not-executable' };
    default:
      return { kind: 'not-started', errorCode };
  }
}
