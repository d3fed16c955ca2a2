import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import {
  createLineReader,
  noProgress,
  readUpdateOutput,
  type UpdateProgress,
} from '../sandy/update-output.ts';
import { errorCodeOf } from '../system/files.ts';
import { cleanForeignText } from '../system/foreign-text.ts';

/** What one step of an update has printed, read as far as it goes. */
export interface StepLog {
  /** Takes in what is new; without yielding, so that who reads and who decides can't be out of step. */
  readonly readOn: () => UpdateProgress;
  /** All of it, as it is now; null: it is far longer than any update's. */
  readonly readAll: () => Buffer | null;
}

const CHUNK_BYTES = 64 * 1024;
const MOST_READ_BYTES = 64 * 1024 * 1024;
const LAST_LINE_BYTES = 4 * 1024;
const LAST_LINE_CHARACTERS = 200;

/** Opens a step's part of a log: from `from` to where the next step's begins, once there is one. */
export function openStepLog(path: string, from: number, endOf: () => number | null): StepLog {
  const reader = createLineReader();
  let progress = noProgress;
  let at = from;
  return {
    readOn() {
      readBytes(path, at, endOf(), (bytes) => {
        at += bytes.length;
        for (const { line } of reader.take(bytes)) progress = readUpdateOutput(progress, line);
      });
      return progress;
    },
    readAll() {
      if (sizeOfFile(path) - from > MOST_READ_BYTES) return null;
      const parts: Buffer[] = [];
      readBytes(path, from, endOf(), (bytes) => parts.push(Buffer.from(bytes)));
      return Buffer.concat(parts);
    },
  };
}

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
    errorCodeOf(error);
    return 0;
  }
}

/** 0 where there is no such file. */
export function sizeOfFile(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    errorCodeOf(error);
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
    errorCodeOf(error);
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
