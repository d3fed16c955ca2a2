/**
 * A lock between processes of one host that survives `kill -9`, and whose leftover any number of
 * processes may try to take over while exactly one succeeds. There is no `flock` in Node.
 *
 * Each holding is a file of its own, NAME.1, NAME.2 and so on; the highest one counts. It names its
 * holder. One that is empty is free, and so is one whose holder no longer runs. To take the lock is to
 * link a complete file under the next number, which only one process can.
 *
 * The highest file is never removed, so that numbers only grow. A process that was slow may still
 * link a number that came and went meanwhile; the look after linking then shows it a higher one.
 * (That look reads a folder of a few dozen entries in one system call, which local file systems
 * answer in one piece. The lock is not for network file systems.)
 */

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCodeOf, ignoreFileError, type WriteOutcome, writeFileAtomically } from './files.ts';
import { identifyProcess, isAlive, processIdentity } from './process-identity.ts';

/** Which lock, and how what its holder says about itself must look. */
export interface LockPlace<Info> {
  readonly folder: string;
  /** Letters, digits, `-` and `_`; anything else is a bug and throws. */
  readonly name: string;
  readonly infoSchema: z.ZodMiniType<Info>;
}

/** Who holds a lock. `info` is null where another version of the program wrote one unknown to us. */
export interface LockHolder<Info> {
  readonly pid: number;
  readonly info: Info | null;
}

export interface HeldLock<Info> {
  readonly kind: 'held';
  /** Replaces what others read about the holder. After `release` nothing is written ("released"). */
  update(info: Info): Promise<WriteOutcome>;
  /** False: somebody removed its file, and perhaps another process took the lock since. */
  isHeld(): Promise<boolean>;
  /** Lets the next one in. Works on a full disk. A process that ends without it frees the lock too. */
  release(): Promise<WriteOutcome>;
}

export type LockOutcome<Info> =
  | HeldLock<Info>
  | { readonly kind: 'busy'; readonly holder: LockHolder<Info> }
  /** The disk is full or read-only, or the files can't be read; nobody knows who holds the lock. */
  | { readonly kind: 'failed'; readonly errorCode: string };

export type LockState<Info> =
  | { readonly kind: 'free' }
  | { readonly kind: 'busy'; readonly holder: LockHolder<Info> }
  | { readonly kind: 'failed'; readonly errorCode: string };

/** Each new try means that somebody else got on; this many mean that the file system lies. */
const MOST_TRIES = 1_000;

const content = z.object({ holder: processIdentity, info: z.unknown() });

/** Takes the lock if it is free; never waits for its holder. */
export async function acquireLock<Info>(
  place: LockPlace<Info>,
  info: Info,
): Promise<LockOutcome<Info>> {
  checkName(place.name);
  const holder = await identifyProcess(process.pid);
  if (holder === null) return { kind: 'failed', errorCode: 'no-identity' };
  const text = JSON.stringify({ holder, info });
  try {
    await mkdir(place.folder, { recursive: true, mode: 0o700 });
    for (let count = 0; count < MOST_TRIES; count += 1) {
      const generations = await listGenerations(place);
      const newest = generations.at(-1) ?? 0;
      const found = newest === 0 ? null : await readHolder(place, newest);
      if (found === 'gone') continue;
      if (found !== null) return { kind: 'busy', holder: found };
      const own = newest + 1;
      if (!(await linkGeneration(place, own, text))) continue;
      if (!(await confirmGeneration(place, own))) continue;
      await removeLeftovers(place, own);
      return holdGeneration(place, own, (newInfo) => JSON.stringify({ holder, info: newInfo }));
    }
    return { kind: 'failed', errorCode: 'EAGAIN' };
  } catch (error) {
    return { kind: 'failed', errorCode: errorCodeOf(error) };
  }
}

/** Who holds the lock at this moment; takes and changes nothing. */
export async function readLock<Info>(place: LockPlace<Info>): Promise<LockState<Info>> {
  checkName(place.name);
  try {
    for (let count = 0; count < MOST_TRIES; count += 1) {
      const newest = (await listGenerations(place)).at(-1);
      if (newest === undefined) return { kind: 'free' };
      const found = await readHolder(place, newest);
      if (found === 'gone') continue;
      return found === null ? { kind: 'free' } : { kind: 'busy', holder: found };
    }
    return { kind: 'failed', errorCode: 'EAGAIN' };
  } catch (error) {
    const errorCode = errorCodeOf(error);
    return errorCode === 'ENOENT' ? { kind: 'free' } : { kind: 'failed', errorCode };
  }
}

/** The numbers that exist, lowest first. */
async function listGenerations({ folder, name }: LockPlace<unknown>): Promise<number[]> {
  const pattern = new RegExp(`^${name}\\.([1-9]\\d{0,14})$`);
  return (await readdir(folder))
    .flatMap((entry) => pattern.exec(entry)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * The live holder that a file names; null where there is none; `gone` where the file went meanwhile.
 *
 * A file that says nothing sensible has no holder: files appear whole, by link or rename, and are
 * emptied only by their own holder's release, so that what is broken was left by a power cut or a
 * hand. A file that can't be read at all may well have a live holder: that throws. So may one whose
 * `info` is another version's: the holder counts, and only its words are lost.
 */
async function readHolder<Info>(
  place: LockPlace<Info>,
  generation: number,
): Promise<LockHolder<Info> | null | 'gone'> {
  let text: string;
  try {
    text = await readFile(nameFile(place, generation), 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return 'gone';
    throw error;
  }
  const parsed = content.safeParse(parseJson(text));
  if (!parsed.success || !(await isAlive(parsed.data.holder))) return null;
  const info = place.infoSchema.safeParse(parsed.data.info);
  return { pid: parsed.data.holder.pid, info: info.success ? info.data : null };
}

/** Whether the number is ours now. The file appears under it with its whole content or not at all. */
async function linkGeneration(
  place: LockPlace<unknown>,
  generation: number,
  text: string,
): Promise<boolean> {
  const file = nameFile(place, generation);
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await link(draft, file);
    return true;
  } catch (error) {
    // ENOENT: the one who won has cleared our draft away.
    if (['EEXIST', 'ENOENT'].includes(errorCodeOf(error))) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whether our number is the highest; when it isn't, it had come and gone before we linked it. */
async function confirmGeneration(place: LockPlace<unknown>, own: number): Promise<boolean> {
  const file = nameFile(place, own);
  try {
    const highest = (await listGenerations(place)).at(-1) ?? 0;
    if (highest <= own) return true;
    await rm(file, { force: true });
    return false;
  } catch (error) {
    // Nobody may be kept out by a holder that does not know that it is one.
    await emptyFile(file);
    throw error;
  }
}

/**
 * Removes what came before, and the drafts of those who were killed or have lost. What can't be
 * removed stays for the next holder: nobody looks at it.
 */
async function removeLeftovers(place: LockPlace<unknown>, own: number): Promise<void> {
  const draft = new RegExp(`^${place.name}\\.\\d+\\.[0-9a-f]{12}\\.tmp$`);
  try {
    const drafts = (await readdir(place.folder)).filter((entry) => draft.test(entry));
    const older = (await listGenerations(place)).filter((generation) => generation < own);
    const files = [...older.map((generation) => `${place.name}.${generation}`), ...drafts];
    for (const file of files) await rm(join(place.folder, file), { force: true });
  } catch (error) {
    ignoreFileError(error);
  }
}

function holdGeneration<Info>(
  place: LockPlace<Info>,
  generation: number,
  compose: (info: Info) => string,
): HeldLock<Info> {
  const file = nameFile(place, generation);
  let released = false;
  let heldAt: string | null = null;
  // One after the other: an update that lands after the release would hold the lock for ever.
  let last: Promise<WriteOutcome> = Promise.resolve({ kind: 'written' });
  const queue = (write: () => Promise<WriteOutcome>): Promise<WriteOutcome> => {
    last = last.then(write);
    return last;
  };
  return {
    kind: 'held',
    update: (info) => {
      if (released) return Promise.resolve({ kind: 'not-written', errorCode: 'released' });
      return queue(() => writeFileAtomically(file, compose(info)));
    },
    isHeld: async () => {
      // Nothing came, went or was replaced in the folder since it was last found held.
      const stamp = stampFolder(place.folder);
      if (stamp !== null && stamp === heldAt) return true;
      try {
        if ((await listGenerations(place)).at(-1) !== generation) return false;
        const holder = await readHolder(place, generation);
        const ours = holder !== null && holder !== 'gone' && holder.pid === process.pid;
        heldAt = ours ? stamp : null;
        return ours;
      } catch (error) {
        // What can't be looked at is taken for what it was.
        return errorCodeOf(error) !== 'ENOENT';
      }
    },
    release: () => {
      released = true;
      return queue(() => emptyFile(file));
    },
  };
}

/** Tells whether a folder's entries changed, in one call that wakes no other thread; null: it is gone. */
function stampFolder(folder: string): string | null {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.mtimeNs}`;
}

/** Emptied and not rewritten: that needs no room on the disk, and no state between is a lie. */
async function emptyFile(file: string): Promise<WriteOutcome> {
  try {
    await truncate(file);
    return { kind: 'written' };
  } catch (error) {
    return { kind: 'not-written', errorCode: errorCodeOf(error) };
  }
}

function nameFile({ folder, name }: LockPlace<unknown>, generation: number): string {
  return join(folder, `${name}.${generation}`);
}

function checkName(name: string): void {
  if (!/^[\w-]+$/.test(name)) throw new RangeError(`"${name}" can't name a lock`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
