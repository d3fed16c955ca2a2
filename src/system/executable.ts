/** Where a program is, as `execvp` would look; node-pty's own answer is text on the child's screen. */

import { accessSync, constants, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type FoundExecutable =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-executable' };

/** Finds `file` on `searchPath`; with a slash in it, from `cwd`. */
export function findExecutable(
  file: string,
  searchPath: string | undefined,
  cwd: string,
): FoundExecutable {
  if (file === '') return { kind: 'not-found' };
  const folders = file.includes('/') ? [''] : (searchPath ?? '/usr/bin:/bin').split(':');
  let refused = false;
  for (const folder of folders) {
    const path = resolve(cwd, join(folder, file));
    const verdict = judge(path);
    if (verdict === 'executable') return { kind: 'found', path };
    refused ||= verdict === 'refused';
  }
  return { kind: refused ? 'not-executable' : 'not-found' };
}

function judge(path: string): 'executable' | 'refused' | 'absent' {
  try {
    if (!statSync(path).isFile()) return 'refused';
    accessSync(path, constants.X_OK);
    return 'executable';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'refused' : 'absent';
  }
}
