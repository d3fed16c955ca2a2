/**
 * The helper program of the package `systray2`, which the package leaves without the right to be run. Only
 * these very bytes are run, from a folder that nobody else can write to.
 */

import { createHash, randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf, ignoreFileError } from '../system/files.ts';
import { makeResourceRequire } from '../system/resources.ts';
import type { HelperReason } from './helper-process.ts';

interface PinnedBinary {
  readonly name: string;
  readonly sha256: string;
}

/** Of systray2 2.1.4; both are for x86-64 only. */
const binaries: Readonly<Partial<Record<NodeJS.Platform, PinnedBinary>>> = {
  linux: {
    name: 'tray_linux_release',
    sha256: 'f61eee19036c0af93e2bb0e5b9fff0bd413469aff5ea1261b8fcfe9e2c027c04',
  },
  darwin: {
    name: 'tray_darwin_release',
    sha256: 'b406fe6d13d1ba66f901a07267ecfcf1b615e9c8b3410287be576706bd737791',
  },
};

export type BinaryOutcome =
  | { readonly kind: 'installed'; readonly path: string; readonly scratchFolder: string }
  | { readonly kind: 'refused'; readonly reason: HelperReason };

/**
 * Where the program is in the package, or null. It is looked for from our own package, wherever that is,
 * and never from the current folder.
 */
export function findSystrayBinary(platform: NodeJS.Platform): string | null {
  const binary = binaries[platform];
  if (binary === undefined) return null;
  try {
    const manifest = makeResourceRequire().resolve('systray2/package.json');
    return join(dirname(manifest), 'traybin', binary.name);
  } catch {
    return null;
  }
}

/**
 * Copies the program into a folder of its own (0700) below `folder`, unless it is there, and empties the
 * folder for its pictures, which it leaves behind when it is killed.
 */
export async function installSystrayBinary(
  source: string | null,
  platform: NodeJS.Platform,
  folder: string,
): Promise<BinaryOutcome> {
  const binary = binaries[platform];
  if (source === null || binary === undefined) return refuse('no-package', '');
  const home = join(folder, 'tray', binary.sha256.slice(0, 16));
  const path = join(home, binary.name);
  const scratchFolder = join(home, 'pictures');
  try {
    await makePrivateFolder(join(folder, 'tray'));
    await makePrivateFolder(home);
    if (!(await isInstalled(path, binary.sha256))) {
      const bytes = await readFile(source);
      if (digest(bytes) !== binary.sha256) return refuse('wrong-digest', source);
      await writeProgram(path, bytes);
    }
    await rm(scratchFolder, { recursive: true, force: true });
    await mkdir(scratchFolder, { mode: 0o700 });
    return { kind: 'installed', path, scratchFolder };
  } catch (error) {
    const code = errorCodeOf(error);
    return code === 'ENOENT' ? refuse('no-package', source) : refuse('not-copied', code);
  }
}

function refuse(kind: HelperReason['kind'], detail: string): BinaryOutcome {
  return { kind: 'refused', reason: { kind, detail } };
}

async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  if (!found.isDirectory()) throw Object.assign(new Error(path), { code: 'ENOTDIR' });
  // Fails where it is somebody else's.
  await chmod(path, 0o700);
}

async function isInstalled(path: string, sha256: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (!found.isFile() || (found.mode & 0o777) !== 0o700) return false;
    return digest(await readFile(path)) === sha256;
  } catch (error) {
    ignoreFileError(error);
    return false;
  }
}

/** In one step, so that nobody ever runs a part of it. */
async function writeProgram(path: string, bytes: Buffer): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(draft, bytes, { mode: 0o700, flag: 'wx' });
    await chmod(draft, 0o700);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
