/**
 * The files that belong to the program and are no code of its bundle: one way to them from a checkout, an
 * installed package and a one-file executable.
 */

import { existsSync } from 'node:fs';
// By another name: the banner of the built files has this one.
import { createRequire as makeRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findHome } from './home-folder.ts';
import { findPack, isWhole, type Pack } from './pack.ts';
import { nameDataFolder } from './paths.ts';
import { ResourcesError } from './resources-error.ts';
import { describeNoResources } from './texts.ts';
import { pruneFolders } from './unpacked-folders.ts';
import { unpack } from './unpacking.ts';

const pack: Pack | null = findPack();
let root: string | null = null;

/** Whether this is a one-file executable: then `process.execPath` is the program itself. */
export function isPacked(): boolean {
  return pack !== null;
}

/** Where a file of the program is, by its path from the root of the package. Throws `ResourcesError`. */
export function resourcePath(...parts: readonly string[]): string {
  root ??= pack === null ? findPackageFolder() : unpackAll(pack);
  return join(root, ...parts);
}

/** Loads, or finds, packages as a script of the program's own would. Throws `ResourcesError`. */
export function makeResourceRequire(): NodeJS.Require {
  return makeRequire(resourcePath('package.json'));
}

/** Imports a script that is one of the program's files. Throws `ResourcesError`. */
export async function importResource(...parts: readonly string[]): Promise<unknown> {
  const path = resourcePath(...parts);
  // The import() of an executable knows Node's own modules only.
  return isPacked() ? makeRequire(path)(path) : import(pathToFileURL(path).href);
}

/**
 * Whether `path` is this file of the program, whole, in whichever folder it was unpacked to: another
 * environment may name another one. False where nothing is ever unpacked.
 */
export function isUnpackedResource(path: string, resource: string): boolean {
  if (pack === null || !path.endsWith(`/${resource}`)) return false;
  const folder = path.slice(0, -resource.length - 1);
  const file = pack.files.find((one) => one.path === resource);
  return basename(folder) === pack.name && file !== undefined && isWhole(folder, file);
}

/** Removes what older executables unpacked and nobody uses any more. */
export function pruneResources(): void {
  const named = pack === null ? null : nameRuntimeFolder();
  if (pack !== null && named?.kind === 'found') pruneFolders(named.folder, pack.name);
}

/** Above the bundle, or above this file, the nearest folder with a package.json. */
function findPackageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return here;
}

function unpackAll(ours: Pack): string {
  const named = nameRuntimeFolder();
  if (named.kind !== 'found') throw new ResourcesError(describeNoResources(named));
  const outcome = unpack(ours, named.folder);
  if (outcome.kind !== 'unpacked') throw new ResourcesError(describeNoResources(outcome));
  return outcome.folder;
}

function nameRuntimeFolder() {
  const named = nameDataFolder({
    environment: process.env,
    home: findHome(),
    platform: process.platform,
  });
  return named.kind === 'found' ? { ...named, folder: join(named.folder, 'runtime') } : named;
}
