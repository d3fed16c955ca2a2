import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/** What was found at a path. */
type ProgramState = 'program' | 'missing' | 'directory' | 'not-executable';

/** Why there is no sandy to run. `setting` is the preference, `variable` is `$SANDY_TRAY_SANDY`. */
export type FindingProblem =
  | {
      readonly kind: 'named-wrongly';
      readonly by: 'setting' | 'variable';
      readonly path: string;
      readonly wrong: 'not-absolute' | Exclude<ProgramState, 'program'>;
    }
  /** Nowhere on PATH or in the usual folders; `unusable` is one that can't be run, if one was seen. */
  | { readonly kind: 'nowhere'; readonly unusable: string | null };

/** Where sandy is. */
export type Finding =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'not-found'; readonly problem: FindingProblem };

export interface FindingQuestion {
  /** The preference `sandyPath`. */
  readonly setting: string | null;
  /** `$SANDY_TRAY_SANDY`; empty counts as not set. */
  readonly variable: string | undefined;
  /** Absolute folders, in order. */
  readonly folders: readonly string[];
}

/**
 * Finds sandy: the preference, else the variable, else the folders. A path that somebody named is
 * used or refused; looking elsewhere would run another sandy than the one they meant.
 */
export async function findSandy({ setting, variable, folders }: FindingQuestion): Promise<Finding> {
  if (setting !== null) return checkNamed('setting', setting);
  if (variable) return checkNamed('variable', variable);
  let unusable: string | null = null;
  for (const folder of folders) {
    const path = join(folder, 'sandy');
    const state = await examineProgram(path);
    if (state === 'program') return { kind: 'found', path };
    if (state === 'not-executable') unusable ??= path;
  }
  return { kind: 'not-found', problem: { kind: 'nowhere', unusable } };
}

/** Whether a program of this name can be run from one of the folders. */
export async function hasProgram(name: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    if ((await examineProgram(join(folder, name))) === 'program') return true;
  }
  return false;
}

async function checkNamed(by: 'setting' | 'variable', path: string): Promise<Finding> {
  const wrong = isAbsolute(path) ? await examineProgram(path) : 'not-absolute';
  if (wrong === 'program') return { kind: 'found', path };
  return { kind: 'not-found', problem: { kind: 'named-wrongly', by, path, wrong } };
}

async function examineProgram(path: string): Promise<ProgramState> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'directory';
  } catch {
    return 'missing';
  }
  try {
    await access(path, constants.X_OK);
    return 'program';
  } catch {
    return 'not-executable';
  }
}

/** Which file a path leads to now. An upgrade changes at least one part. */
export interface FileIdentity {
  readonly realPath: string;
  readonly device: number;
  readonly inode: number;
  readonly modifiedAt: number;
  readonly bytes: number;
}

/** Looks a program's file up; null when it is gone. */
export async function identifyFile(path: string): Promise<FileIdentity | null> {
  try {
    const [realPath, found] = await Promise.all([realpath(path), stat(path)]);
    return {
      realPath,
      device: found.dev,
      inode: found.ino,
      modifiedAt: found.mtimeMs,
      bytes: found.size,
    };
  } catch {
    return null;
  }
}

/** Whether two looks found the same file. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.realPath === other.realPath &&
    one.device === other.device &&
    one.inode === other.inode &&
    one.modifiedAt === other.modifiedAt &&
    one.bytes === other.bytes
  );
}
