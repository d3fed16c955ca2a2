/** What other programs print into files: read from a place on, in parts, or only its last words. */

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { ignoreFileError } from './files.ts';
import { cleanForeignText } from './foreign-text.ts';

const CHUNK_BYTES = 64 * 1024;
const LAST_LINE_BYTES = 4 * 1024;
const LAST_LINE_CHARACTERS = 200;

/** The last line of a file after `from` that holds a word, harmless; null: there is none. */
export function readFileEnd(path: string, from: number): string | null {
  const start = Math.max(from, sizeOfFile(path) - LAST_LINE_BYTES);
  let text = '';
  readBytes(path, start, null, (bytes) => {
    text += bytes.toString('utf8');
  });
  // Docker ends lines for terminals, and rewrites one with each bare return.
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => cleanForeignText(line, LAST_LINE_CHARACTERS).trim());
  return lines.findLast((line) => line !== '') ?? null;
}

/** When it was last written to (wall clock, milliseconds); 0 where there is no such file. */
export function writtenAt(path: string): number {
  try {
    return Math.floor(statSync(path).mtimeMs);
  } catch (error) {
    ignoreFileError(error);
    return 0;
  }
}

/** 0 where there is no such file. */
export function sizeOfFile(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    ignoreFileError(error);
    return 0;
  }
}

/** Hands out what is there in parts. A file that can't be read has nothing. */
export function readBytes(
  path: string,
  from: number,
  to: number | null,
  take: (bytes: Buffer) => void,
): void {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    ignoreFileError(error);
    return;
  }
  try {
    const end = Math.min(fstatSync(file).size, to ?? Number.MAX_SAFE_INTEGER);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = from; at < end; ) {
      const length = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, end - at), at);
      if (length === 0) return;
      take(chunk.subarray(0, length));
      at += length;
    }
  } finally {
    closeSync(file);
  }
}
