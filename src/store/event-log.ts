/**
 * The log of what happened: `log.jsonl` and, before it, `log.1.jsonl`. The agent is its one writer.
 *
 * Nothing is kept open or remembered of the files between two appends, so that a log that somebody
 * moved, deleted or cut is simply what it is at the next one.
 *
 * What is rotated away can't make a happening come twice. A process never forgets what it has told. A
 * new process can see a change again only if the fleet's state was not saved after it, which is the
 * last batch of events; and behind the newest record there are always at least `capBytes` minus one
 * record of older ones, thousands of them. Should saving fail for longer than that, the record that
 * comes again is still the only one of its kind in what is left, and its banner is kept from coming
 * twice by the ledger, which is not rotated.
 */

import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { FleetEvent } from '../fleet/events.ts';
import { errorCodeOf, ignoreFileError } from '../system/files.ts';
import {
  type EventRecord,
  formatRecord,
  nameHappening,
  parseRecords,
  recordOf,
} from './event-record.ts';

/** Each of the two files is at most this long, unless one record alone is longer. */
const capBytes = 512 * 1024;

/** How many records wait in memory for a disk that takes none; the newest are kept. */
const queueLimit = 500;

/** What became of one event. `failed`: it waits in memory and is tried again by later appends. */
export type AppendOutcome =
  | { readonly kind: 'appended' }
  | { readonly kind: 'already-there' }
  | { readonly kind: 'failed'; readonly errorCode: string };

/** Why records are not on disk: the last error, how many wait, and how many were given up. */
export interface LogTrouble {
  readonly errorCode: string;
  readonly waiting: number;
  readonly lost: number;
}

export interface EventLog {
  /**
   * Adds an event at the end unless its happening (`kind:incident`) is in the log or waits for it.
   * Events without an incident are always added. Never throws for what the disk does.
   */
  append(event: FleetEvent, notice: boolean): AppendOutcome;
  /** Tries once more to write what waits; null when nothing waits any more. */
  flush(): LogTrouble | null;
  /** What is wrong now; null when every record is on disk. */
  trouble(): LogTrouble | null;
}

/** What the log says, oldest first. */
export interface LogRead {
  readonly records: readonly EventRecord[];
  /** Lines that are no records, in both files. */
  readonly unreadable: number;
  /** Why a file could not be read; null when both could, or are not there. */
  readonly errorCode: string | null;
}

/** Opens the log of the state folder for writing. Nothing is created before the first append. */
export function openEventLog(folder: string): EventLog {
  let told: Set<string> | null = null;
  let queue: EventRecord[] = [];
  let lost = 0;
  let lastErrorCode: string | null = null;

  /** Until the log was read once, nobody knows what it has, and nothing may be added. */
  const readTold = (): string | null => {
    if (told !== null) return null;
    const read = readEventLog(folder);
    if (read.errorCode !== null) return read.errorCode;
    const logged = new Set(read.records.flatMap((record) => nameHappening(record) ?? []));
    queue = queue.filter((record) => !logged.has(nameHappening(record) ?? ''));
    told = logged;
    return null;
  };
  const writeQueue = (): string | null => {
    const unread = readTold();
    if (unread !== null) return unread;
    for (let record = queue[0]; record !== undefined; record = queue[0]) {
      const errorCode = appendLine(folder, formatRecord(record));
      if (errorCode !== null) return errorCode;
      const id = nameHappening(record);
      if (id !== null) told?.add(id);
      queue.shift();
    }
    return null;
  };
  const flush = (): LogTrouble | null => {
    lastErrorCode = writeQueue();
    return trouble();
  };
  const trouble = (): LogTrouble | null =>
    lastErrorCode === null ? null : { errorCode: lastErrorCode, waiting: queue.length, lost };

  readTold();
  return {
    append(event, notice) {
      const record = recordOf(event, notice);
      const id = nameHappening(record);
      readTold();
      if (id !== null && (told?.has(id) || queue.some((one) => nameHappening(one) === id))) {
        return { kind: 'already-there' };
      }
      queue.push(record);
      const failed = flush();
      if (failed === null) return { kind: 'appended' };
      if (queue.length > queueLimit) {
        queue.shift();
        lost += 1;
      }
      return { kind: 'failed', errorCode: failed.errorCode };
    },
    flush,
    trouble,
  };
}

/** Reads both files for a person or a program; a log that isn't there is empty. */
export function readEventLog(folder: string): LogRead {
  const opened: number[] = [];
  try {
    const parsed = openBoth(folder, opened).map((file) => parseRecords(readFileSync(file, 'utf8')));
    return {
      records: parsed.flatMap(({ records }) => records),
      unreadable: parsed.reduce((sum, { unreadable }) => sum + unreadable, 0),
      errorCode: null,
    };
  } catch (error) {
    return { records: [], unreadable: 0, errorCode: errorCodeOf(error) };
  } finally {
    for (const file of opened) release(file);
  }
}

function namePaths(folder: string): { readonly current: string; readonly previous: string } {
  return { current: join(folder, 'log.jsonl'), previous: join(folder, 'log.1.jsonl') };
}

/**
 * Opens the older and the newer file of one moment, whatever is renamed meanwhile; the caller closes
 * all that was `opened`. The newer one comes first: rotated in between, it is met again under the older
 * name and nothing falls between the two.
 */
function openBoth(folder: string, opened: number[]): readonly number[] {
  const { current, previous } = namePaths(folder);
  const openIfThere = (path: string): readonly number[] => {
    try {
      const file = openSync(path, 'r');
      opened.push(file);
      return [file];
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return [];
      throw error;
    }
  };
  const [newer, older] = [openIfThere(current), openIfThere(previous)];
  const inodes = [...older, ...newer].map((file) => fstatSync(file).ino);
  return inodes.length === 2 && inodes[0] === inodes[1]
    ? [...older, ...openIfThere(current)]
    : [...older, ...newer];
}

/** Writes one line at the end of the log, in a new file when this one is full. Null: it is there. */
function appendLine(folder: string, line: string): string | null {
  const bytes = Buffer.from(line);
  let file: number | null = null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    file = openForAppending(folder, bytes.length);
    writeWhole(file, bytes);
    return null;
  } catch (error) {
    return errorCodeOf(error);
  } finally {
    if (file !== null) release(file);
  }
}

function openForAppending(folder: string, addedBytes: number): number {
  const { current, previous } = namePaths(folder);
  const file = openSync(current, 'a+', 0o600);
  try {
    const sizeBytes = cutTornLine(file);
    if (sizeBytes === 0 || sizeBytes + addedBytes <= capBytes) return file;
    renameSync(current, previous);
  } catch (error) {
    release(file);
    throw error;
  }
  release(file);
  return openSync(current, 'a+', 0o600);
}

/**
 * Cuts off what stands after the last line end: a record whose writer was killed in it, or for which
 * there was no room. It counts as not logged, so it goes. Returns the size that is left.
 */
function cutTornLine(file: number): number {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  if (size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === 0x0a)) return size;
  const text = Buffer.alloc(size);
  const end = text.subarray(0, readSync(file, text, 0, size, 0)).lastIndexOf(0x0a) + 1;
  ftruncateSync(file, end);
  return end;
}

/** One write for the whole line; a part that the disk didn't take is asked for once more, for its reason. */
function writeWhole(file: number, bytes: Buffer): void {
  const { size } = fstatSync(file);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

function release(file: number): void {
  try {
    closeSync(file);
  } catch (error) {
    // Some disks report a write's failure only here; the number is free all the same.
    ignoreFileError(error);
  }
}
