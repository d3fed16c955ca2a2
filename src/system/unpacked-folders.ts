/** Who runs from which unpacked folder, and the removal of those that nobody runs from. */

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreFileError } from './files.ts';
import { existsProcess } from './process-identity.ts';

/** Holds a file named by its pid for each process, in a folder named as the unpacked one. */
const HOLDERS = 'in-use';

/** The notes of this process. */
const notes = new Set<string>();

/**
 * Notes until this process ends that it runs from the folder `name`. On a full disk nothing is noted: the
 * folder can then be used all the same.
 */
export function holdFolder(base: string, name: string): void {
  const note = join(base, HOLDERS, name, String(process.pid));
  try {
    mkdirSync(join(base, HOLDERS, name), { recursive: true, mode: 0o700 });
    writeFileSync(note, '', { mode: 0o600 });
    if (notes.size === 0) process.once('exit', () => notes.forEach(remove));
    notes.add(note);
  } catch (error) {
    ignoreFileError(error);
  }
}

/**
 * Removes the folders below `base` of other versions that no process runs from, and what processes that
 * were killed left half done. What can't be removed stays.
 */
export function pruneFolders(base: string, current: string): void {
  for (const name of list(base)) {
    const maker = /^\.(?:draft|old)-(\d+)-/.exec(name)?.[1];
    if (maker !== undefined) {
      if (!existsProcess(Number(maker))) remove(join(base, name));
    } else if (name !== current && /^\d.*-[0-9a-f]{12}$/.test(name) && !isHeld(base, name)) {
      removeVersion(base, name);
    }
  }
}

function removeVersion(base: string, name: string): void {
  const old = join(base, `.old-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    renameSync(join(base, name), old);
    // One that began just now notes itself before it looks for the folder.
    if (isHeld(base, name)) renameSync(old, join(base, name));
    else rmSync(join(base, HOLDERS, name), { recursive: true, force: true });
  } catch (error) {
    ignoreFileError(error);
  }
  remove(old);
}

function isHeld(base: string, name: string): boolean {
  return list(join(base, HOLDERS, name)).some((pid) => existsProcess(Number(pid)));
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    ignoreFileError(error);
    return [];
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    ignoreFileError(error);
  }
}
