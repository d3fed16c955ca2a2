import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SessionView } from '../fleet/view.ts';
import { texts } from './texts.ts';

export type SessionChoice =
  | { readonly kind: 'found'; readonly session: SessionView }
  | { readonly kind: 'refused'; readonly why: 'none' | 'several'; readonly text: string };

/**
 * Finds the session that SESSION means: a key, a workspace path (also `.`), or a unique prefix of a key.
 * Workspaces are compared as sandy names them, which is canonical: a look at the folder of every session
 * would hang on one whose disk is gone. Only for a folder that fits none so are the others looked at.
 */
export function chooseSession(
  argument: string,
  sessions: readonly SessionView[],
  cwd: string,
): SessionChoice {
  const exact = sessions.find((session) => session.key === argument);
  if (exact !== undefined) return { kind: 'found', session: exact };
  const written = resolve(cwd, argument);
  const path = findPath(written);
  const there =
    sessions.find(({ workspace }) => workspace === path && path !== null) ??
    sessions.find(({ workspace }) => workspace === written);
  if (there !== undefined) return { kind: 'found', session: there };
  // A key may begin with a dot, but `.` is a folder.
  const isPath = argument === '.' || argument === '..';
  const matching = sessions.filter(
    (session) => argument !== '' && !isPath && session.key.startsWith(argument),
  );
  const [first] = matching;
  if (first !== undefined && matching.length === 1) return { kind: 'found', session: first };
  const moved =
    path === null || matching.length > 0
      ? undefined
      : sessions.find(({ workspace }) => workspace !== null && findPath(workspace) === path);
  if (moved !== undefined) return { kind: 'found', session: moved };
  const keys = (matching.length > 1 ? matching : sessions).map((session) => session.key);
  return matching.length > 1
    ? { kind: 'refused', why: 'several', text: texts.manySessions(argument, keys) }
    : { kind: 'refused', why: 'none', text: texts.noSession(argument, keys) };
}

/** The folder that an argument names, canonical; null: it names none. */
export function findFolder(argument: string, cwd: string): string | null {
  if (argument === '') return null;
  const path = resolve(cwd, argument);
  try {
    return statSync(path).isDirectory() ? findPath(path) : null;
  } catch {
    return null;
  }
}

/** As `pwd -P` says it, which is how sandy knows a workspace; null: there is nothing. */
function findPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
