/** Cancelling a run of sandy, which is safe only as long as it has not begun to restart a session. */

import { ignoreFileError } from '../system/files.ts';
import { isAlive, type ProcessIdentity } from '../system/process-identity.ts';
import {
  continueProcess,
  killProcess,
  listDescendants,
  stopProcess,
} from '../system/process-tree.ts';

export interface Cancelling {
  /** The run's own process, ours or adopted; nothing but it decides what is done next. */
  readonly process: ProcessIdentity;
  /** All that the run has printed so far, to the last byte. */
  readonly readOutput: () => Promise<Buffer>;
  /** Whether a run that has printed this may be restarting a session, or be about to. */
  readonly mayHaveBegun: (output: Buffer) => boolean;
}

/**
 * `cancelled`: the run is over, and no session was touched. `too-late`: it goes on, since a restart may
 * have begun, or since this machine could not tell that none has. `gone`: it had ended before.
 */
export type Cancellation = 'cancelled' | 'too-late' | 'gone';

/** How long killed processes are awaited; one stuck in the kernel can outlive SIGKILL. */
const GONE_LIMIT_MS = 10_000;
const GONE_LOOK_MS = 5;

/** How often the processes are asked for before it is taken as not to be known. */
const LISTING_TRIES = 3;

/**
 * Ends a run where nothing was touched yet. What the run has printed counts only while its process is
 * seen to be stopped: it can't go on to a restart between the look and the kill. Whoever works for it is
 * stopped too, before anybody is killed, so that nobody new comes; then the run's own process is killed
 * first, since it alone would answer the end of another one by going on.
 *
 * When this process dies in the middle, the run is left stopped as a whole: the next one calls this
 * again, or `continueRun`. Dying between two of the kills, which nothing comes between, could leave
 * stopped processes of an image build, but none that touches a session.
 */
export async function cancelRun(cancelling: Cancelling): Promise<Cancellation> {
  const { process } = cancelling;
  let cancellation: Cancellation = 'too-late';
  try {
    cancellation = await stopAndKill(cancelling);
  } finally {
    if (cancellation === 'too-late') await continueRun(process);
  }
  return cancellation;
}

/**
 * Lets a run go on that may have been stopped by somebody who died: its own process and all that work for
 * it. To be called by whoever adopts a run; does nothing to one that is not stopped.
 */
export async function continueRun(process: ProcessIdentity): Promise<void> {
  // First, since a session may be down until it goes on.
  await continueProcess(process);
  for (const worker of (await listWorkers(process.pid)) ?? []) await continueProcess(worker);
}

/** Leaves the run stopped where it says `too-late`. */
async function stopAndKill(cancelling: Cancelling): Promise<Cancellation> {
  const { process } = cancelling;
  const verdict = await stopAndDecide(cancelling);
  if (verdict !== 'untouched') return verdict;
  const workers = await stopWorkers(process.pid);
  if (workers === null) return 'too-late';
  // What a worker printed before it was stopped counts, and so does anybody who let the run go on.
  if ((await stopAndDecide(cancelling)) === 'too-late') return 'too-late';
  if (!(await killProcess(process)) && (await isAlive(process))) return 'too-late';
  for (const worker of workers) await killProcess(worker);
  await waitUntilGone([process, ...workers]);
  return 'cancelled';
}

async function stopAndDecide({
  process,
  readOutput,
  mayHaveBegun,
}: Cancelling): Promise<'untouched' | 'too-late' | 'gone'> {
  if (!(await stopProcess(process))) return (await isAlive(process)) ? 'too-late' : 'gone';
  let output: Buffer;
  try {
    output = await readOutput();
  } catch (error) {
    // What can't be read may say anything.
    ignoreFileError(error);
    return 'too-late';
  }
  return mayHaveBegun(output) ? 'too-late' : 'untouched';
}

/** Stops all that work for a stopped run, and gives them; null: this machine could not tell who they are. */
async function stopWorkers(pid: number): Promise<readonly ProcessIdentity[] | null> {
  const stopped = new Map<string, ProcessIdentity>();
  for (;;) {
    const workers = await listWorkers(pid);
    if (workers === null) return null;
    const fresh = workers.filter((worker) => !stopped.has(nameOf(worker)));
    if (fresh.length === 0) return [...stopped.values()];
    for (const worker of fresh) {
      // One that can't be stopped is stuck or has ended: it starts nobody.
      await stopProcess(worker);
      stopped.set(nameOf(worker), worker);
    }
  }
}

async function listWorkers(pid: number): Promise<readonly ProcessIdentity[] | null> {
  for (let tries = 0; tries < LISTING_TRIES; tries += 1) {
    const workers = await listDescendants(pid);
    if (workers !== null) return workers;
  }
  return null;
}

const nameOf = ({ pid, birth }: ProcessIdentity) => `${pid} ${birth}`;

async function waitUntilGone(everybody: readonly ProcessIdentity[]): Promise<void> {
  const endAt = performance.now() + GONE_LIMIT_MS;
  for (const one of everybody) {
    while ((await isAlive(one)) && performance.now() < endAt) {
      await new Promise((resolve) => setTimeout(resolve, GONE_LOOK_MS));
      // The system may not have known it a moment ago.
      await killProcess(one);
    }
  }
}
