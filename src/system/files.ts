import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Whether a file is now on disk. A full or read-only disk is an answer, not a bug. */
export type WriteOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'not-written'; readonly errorCode: string };

/**
 * Replaces a file in one step: a reader sees the old text or the new one, never a part. The file is
 * for this user only (0600), and so are the folders that it creates (0700).
 */
export async function writeFileAtomically(path: string, text: string): Promise<WriteOutcome> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
    return { kind: 'written' };
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    return { kind: 'not-written', errorCode: errorCodeOf(error) };
  }
}

/**
 * The same in one go, without yielding: for files that must be on disk before the next step is taken,
 * and whose writes may never overtake one another.
 */
export function writeFileAtomicallyNow(path: string, text: string): WriteOutcome {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
    return { kind: 'written' };
  } catch (error) {
    removeDraft(draft);
    return { kind: 'not-written', errorCode: errorCodeOf(error) };
  }
}

function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch (error) {
    // On a disk that takes nothing it may be there for good; why it is so, the write itself says.
    ignoreFileError(error);
  }
}

/** Long after any write is over: what is left then belongs to a process that was killed in one. */
const ABANDONED_MS = 3_600_000;

/** Removes the drafts of atomic writes of `path` that were cut short. What can't be removed stays. */
export function removeAbandonedDrafts(path: string): void {
  const prefix = `${basename(path)}.`;
  try {
    for (const name of readdirSync(dirname(path))) {
      const middle = name.startsWith(prefix) ? name.slice(prefix.length) : '';
      if (!/^[0-9a-f]{12}\.tmp$/.test(middle)) continue;
      const draft = join(dirname(path), name);
      if (Date.now() - statSync(draft).mtimeMs > ABANDONED_MS) unlinkSync(draft);
    }
  } catch (error) {
    ignoreFileError(error);
  }
}

/** Takes what the file system says for granted; a bug is thrown on. */
export function ignoreFileError(error: unknown): void {
  errorCodeOf(error);
}

/** The code of an error of the file system, such as `ENOSPC`. Anything else is a bug and is thrown on. */
export function errorCodeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === undefined) throw error;
  return code;
}
