import { constants, copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { errorCodeOf, ignoreFileError } from '../system/files.ts';

/** Where a file that can't be used is kept now, or why it could not be kept. */
export type SetAside =
  | { readonly kind: 'kept'; readonly path: string }
  | { readonly kind: 'not-kept'; readonly errorCode: string };

/**
 * Moves a file that can't be read to the first free of `NAME.bad`, `NAME.2.bad` and so on. A file that
 * could not be moved must not be written over.
 */
export function setAside(path: string): SetAside {
  try {
    const target = firstFree(path);
    renameSync(path, target);
    return { kind: 'kept', path: target };
  } catch (error) {
    return { kind: 'not-kept', errorCode: errorCodeOf(error) };
  }
}

/**
 * Keeps a copy under the same names, for a file of which most can still be used. The same text is kept
 * once: a process that dies before its first save must not leave one copy a start.
 */
export function keepCopy(path: string): SetAside {
  try {
    const bytes = readFileSync(path);
    for (const target of namesFor(path)) {
      if (!existsSync(target)) {
        copyFileSync(path, target, constants.COPYFILE_EXCL);
        return { kind: 'kept', path: target };
      }
      if (isSameText(target, bytes)) return { kind: 'kept', path: target };
    }
  } catch (error) {
    return { kind: 'not-kept', errorCode: errorCodeOf(error) };
  }
  throw new Error('unreachable: the names never end');
}

/** Whether anything was ever set aside for this file and is still there. */
export function wasSetAside(path: string): boolean {
  return existsSync(`${path}.bad`);
}

function firstFree(path: string): string {
  for (const target of namesFor(path)) if (!existsSync(target)) return target;
  throw new Error('unreachable: the names never end');
}

function* namesFor(path: string): Generator<string> {
  yield `${path}.bad`;
  for (let count = 2; ; count += 1) yield `${path}.${count}.bad`;
}

function isSameText(path: string, bytes: Buffer): boolean {
  try {
    return readFileSync(path).equals(bytes);
  } catch (error) {
    ignoreFileError(error);
    return false;
  }
}
