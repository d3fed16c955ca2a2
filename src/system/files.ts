import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

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
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { kind: 'not-written', errorCode: code };
  }
}
