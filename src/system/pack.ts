/** The files that a one-file executable carries with it. */

import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The asset in which the list of the others is. */
const PACK_LIST = 'pack.json';

export interface PackedFile {
  /** Below the folder that they are unpacked to. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
}

export interface Pack {
  /** Of the version and of all that is in it: two packs of one name are the same. */
  readonly name: string;
  readonly files: readonly PackedFile[];
  readonly read: (path: string) => Uint8Array;
}

/** What this executable carries; null: this is no such executable. */
export function findPack(): Pack | null {
  // Missing where Node is older than any that executables are made of.
  const sea = process.getBuiltinModule?.('node:sea');
  if (sea?.isSea() !== true) return null;
  const { name, files } = JSON.parse(sea.getAsset(PACK_LIST, 'utf8')) as Omit<Pack, 'read'>;
  return { name, files, read: (path) => new Uint8Array(sea.getRawAsset(path) as ArrayBuffer) };
}

/** Whether a file below `folder` is as it was packed, this user's own and no link. */
export function isWhole(folder: string, file: PackedFile): boolean {
  const path = join(folder, file.path);
  try {
    const found = lstatSync(path);
    if (!found.isFile() || found.uid !== process.getuid?.()) return false;
    if (found.size !== file.size || (found.mode & 0o777) !== file.mode) return false;
    return createHash('sha256').update(readFileSync(path)).digest('hex') === file.sha256;
  } catch {
    return false;
  }
}
