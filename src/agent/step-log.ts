import {
  createLineReader,
  noProgress,
  readUpdateOutput,
  type UpdateProgress,
} from '../sandy/update-output.ts';
import { readBytes, sizeOfFile } from '../system/file-end.ts';

/** What one step of an update has printed, read as far as it goes. */
export interface StepLog {
  /** Takes in what is new; without yielding, so that who reads and who decides can't be out of step. */
  readonly readOn: () => UpdateProgress;
  /** All of it, as it is now; null: it is far longer than any update's. */
  readonly readAll: () => Buffer | null;
}

const MOST_READ_BYTES = 64 * 1024 * 1024;

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
