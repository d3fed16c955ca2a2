/**
 * Puts what an executable carries on the disk, since addons can't be loaded and programs can't be run from
 * inside of it. Each version has a folder of its own below `base`, which appears whole and is never another
 * one's: an older agent keeps what it runs from.
 */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCodeOf } from './files.ts';
import { isWhole, type Pack, type PackedFile } from './pack.ts';
import { holdFolder } from './unpacked-folders.ts';

export type UnpackOutcome =
  | { readonly kind: 'unpacked'; readonly folder: string }
  /** `base` is somebody else's, others can write to it, or it is no folder. */
  | { readonly kind: 'not-private'; readonly base: string }
  /** Nothing may be run from there, as on a file system that is mounted `noexec`. */
  | { readonly kind: 'not-executable'; readonly base: string }
  | { readonly kind: 'not-written'; readonly base: string; readonly errorCode: string };

/**
 * Makes sure that all of `pack` is in its folder below `base`, and gives that. Of many that do it at once
 * one makes the folder; whoever finds a damaged file puts it right, one file in one step.
 */
export function unpack(pack: Pack, base: string): UnpackOutcome {
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    if (!isPrivate(base)) return { kind: 'not-private', base };
    holdFolder(base, pack.name);
    const folder = join(base, pack.name);
    if (!existsSync(folder) && !makeFolder(pack, base, folder)) {
      return { kind: 'not-executable', base };
    }
    for (const file of pack.files) if (!isWhole(folder, file)) placeFile(pack, file, folder);
    return { kind: 'unpacked', folder };
  } catch (error) {
    return { kind: 'not-written', base, errorCode: errorCodeOf(error) };
  }
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

/** Fills a folder beside it and puts that in its place. False: nothing can be run there. */
function makeFolder(pack: Pack, base: string, folder: string): boolean {
  const draft = join(base, `.draft-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(draft, { mode: 0o700 });
    if (!runsPrograms(draft)) return false;
    for (const file of pack.files) placeFile(pack, file, draft);
    renameSync(draft, folder);
  } catch (error) {
    // Another one was quicker.
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCodeOf(error))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return true;
}

function runsPrograms(folder: string): boolean {
  const probe = join(folder, 'probe');
  writeFileSync(probe, '#!/bin/sh\n', { mode: 0o700 });
  const { error } = spawnSync(probe, { stdio: 'ignore', env: {} });
  rmSync(probe);
  return (error as NodeJS.ErrnoException | undefined)?.code !== 'EACCES';
}

/**
 * In one step, so that nobody ever loads a part of it. Nothing is waited for to be on the disk: what a power
 * cut makes of it is found and put right at the next start.
 */
function placeFile(pack: Pack, { path, mode }: PackedFile, folder: string): void {
  const place = join(folder, path);
  const draft = `${place}.${randomBytes(6).toString('hex')}.tmp`;
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, pack.read(path));
    // Whatever the umask is.
    fchmodSync(file, mode);
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
