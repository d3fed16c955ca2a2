/**
 * Stops that were asked for, one small file each, for terminals that find no agent: written before sandy is
 * asked to stop the session, so that its end is known to be meant.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import {
  errorCodeOf,
  ignoreFileError,
  type WriteOutcome,
  writeFileAtomicallyNow,
} from '../system/files.ts';
import { readJsonFile } from './json-file.ts';

const format = 1;
const intent = z.object({ key: z.string(), at: z.number() });

/** Older ones are removed by the next: no stop takes an hour to show. */
const KEPT_MS = 60 * 60 * 1000;

/** Says that this session is about to be stopped. `at`: wall clock, milliseconds. */
export function writeStopIntent(stateFolder: string, key: string, at: number): WriteOutcome {
  const folder = folderOf(stateFolder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeOld(folder, at);
  } catch (error) {
    return { kind: 'not-written', errorCode: errorCodeOf(error) };
  }
  const text = `${JSON.stringify({ format, key, at })}\n`;
  return writeFileAtomicallyNow(join(folder, nameFile(key)), text);
}

/** When a stop of this session was last asked for (wall clock, milliseconds); null: not lately. */
export function readStopIntent(stateFolder: string, key: string): number | null {
  const read = readJsonFile(join(folderOf(stateFolder), nameFile(key)), format);
  if (read.kind !== 'read') return null;
  const parsed = intent.safeParse(read.object);
  return parsed.success && parsed.data.key === key ? parsed.data.at : null;
}

/** Takes back what did not come about. */
export function removeStopIntent(stateFolder: string, key: string): void {
  try {
    rmSync(join(folderOf(stateFolder), nameFile(key)), { force: true });
  } catch (error) {
    ignoreFileError(error);
  }
}

function folderOf(stateFolder: string): string {
  return join(stateFolder, 'stops');
}

/** Keys come from outside and name no file. */
function nameFile(key: string): string {
  return `${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`;
}

function removeOld(folder: string, at: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (at - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}
