/** The folders of runs, `runs/ID/` in the state folder: what is known of a run, and what it printed. */

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  errorCodeOf,
  ignoreFileError,
  removeAbandonedDrafts,
  type WriteOutcome,
  writeFileAtomicallyNow,
} from '../system/files.ts';
import { readJsonFile } from './json-file.ts';
import { formatRun, parseRun, type RunRecord, runFormat } from './run-record.ts';
import { setAside } from './set-aside.ts';

export type RunCreation =
  | { readonly kind: 'created' }
  | { readonly kind: 'not-written'; readonly errorCode: string };

/**
 * All of it works without yielding: what is saved is on disk before the next step is taken. An id that
 * came from outside names nothing unless it is one (`isRunId`).
 */
export interface RunFolders {
  /** Makes the run's folder with its record in it; to be done before anything of it is started. */
  create(record: RunRecord): RunCreation;
  save(record: RunRecord): WriteOutcome;
  /** Null: there is no such run, or its record can't be read. Moves nothing. */
  read(id: string): RunRecord | null;
  /**
   * The runs that have no end yet, oldest first. A record that is broken is kept as `run.json.bad`, and
   * its run counts as finished; one of a newer version, or that can't be read now, stays as it is.
   */
  listUnfinished(): readonly RunRecord[];
  /** Where the commands of the run print to. The file need not be there. */
  logPath(id: string): string;
  /** Removes the oldest finished runs until `keep` are left, or only unfinished ones. */
  prune(keep?: number): void;
}

const KEPT_RUNS = 50;

/** Opens the run folders of the state folder; makes nothing. */
export function openRunFolders(stateFolder: string): RunFolders {
  const runs = join(stateFolder, 'runs');
  const recordPath = (id: string) => join(folderOf(runs, id), 'run.json');
  const save = (record: RunRecord) =>
    writeFileAtomicallyNow(recordPath(record.id), formatRun(record));
  return {
    create(record) {
      const folder = folderOf(runs, record.id);
      try {
        mkdirSync(runs, { recursive: true, mode: 0o700 });
        mkdirSync(folder, { mode: 0o700 });
      } catch (error) {
        return { kind: 'not-written', errorCode: errorCodeOf(error) };
      }
      const saved = save(record);
      if (saved.kind === 'written') return { kind: 'created' };
      removeFolder(folder);
      return saved;
    },
    save,
    read(id) {
      if (!isRunId(id)) return null;
      const look = lookAtRun(recordPath(id), id);
      return look.kind === 'read' ? look.record : null;
    },
    listUnfinished() {
      return listIds(runs).flatMap((id) => {
        const path = recordPath(id);
        const look = lookAtRun(path, id);
        if (look.kind === 'broken') setAside(path);
        if (look.kind !== 'read' || look.record.endedAt !== null) return [];
        removeAbandonedDrafts(path);
        return [look.record];
      });
    },
    logPath: (id) => join(folderOf(runs, id), 'output.log'),
    prune(keep = KEPT_RUNS) {
      const ids = listIds(runs);
      let surplus = ids.length - keep;
      for (const id of ids) {
        if (surplus <= 0) return;
        const look = lookAtRun(recordPath(id), id);
        if (look.kind === 'unusable') continue;
        if (look.kind === 'read' && look.record.endedAt === null) continue;
        removeFolder(folderOf(runs, id));
        surplus -= 1;
      }
    },
  };
}

/**
 * A new run's id: the instant in UTC, to the millisecond, so that ids sort as the runs were asked for, and
 * something that no other run of that instant has.
 */
export function newRunId(at: number): string {
  const stamp = new Date(at).toISOString().replace(/[-:.]/g, '');
  return `${stamp}-${randomBytes(4).toString('hex')}`;
}

/** Whether a text can name a run: it can then name nothing but a folder among the runs. */
export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9-]{1,64}$/.test(text);
}

function folderOf(runs: string, id: string): string {
  if (!isRunId(id)) throw new Error('not the id of a run: ask isRunId first');
  return join(runs, id);
}

type RunLook =
  | { readonly kind: 'read'; readonly record: RunRecord }
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken' }
  /** It may be read by somebody else, or later. */
  | { readonly kind: 'unusable' };

function lookAtRun(path: string, id: string): RunLook {
  const read = readJsonFile(path, runFormat);
  switch (read.kind) {
    case 'missing':
      return read;
    case 'unusable':
      return { kind: read.why === 'broken' ? 'broken' : 'unusable' };
    case 'read': {
      const record = parseRun(read.object, id);
      return record === null ? { kind: 'broken' } : { kind: 'read', record };
    }
  }
}

/** Oldest first. */
function listIds(runs: string): string[] {
  try {
    return readdirSync(runs, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isRunId(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    ignoreFileError(error);
    return [];
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    // On a disk that takes nothing it stays; the next time may be better.
    ignoreFileError(error);
  }
}
