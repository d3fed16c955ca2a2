/** The saved state of the fleet, `state.json`: what a new process needs to see what changed meanwhile. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../fleet/model.ts';
import {
  ignoreFileError,
  removeAbandonedDrafts,
  type WriteOutcome,
  writeFileAtomicallyNow,
} from '../system/files.ts';
import { readJsonFile, type Unusable } from './json-file.ts';
import {
  formatSaved,
  mergeRows,
  nothingSaved,
  parseSaved,
  type SavedFleet,
  savedFormat,
  savedFrom,
} from './saved-fleet.ts';
import { keepCopy, type SetAside, setAside } from './set-aside.ts';
import { texts } from './texts.ts';

export interface FleetState {
  /** What was saved; nothing at a first start, or when the file could not be used. */
  readonly saved: SavedFleet;
  /** Sentences for the person: what could not be read, and where it is kept. May grow at a save. */
  readonly problems: readonly string[];
  /**
   * Saves what of the model outlives the process. Rows on disk that the model doesn't have stay, unless
   * their keys are forgotten; keys whose forgetting could not be written are remembered for the next
   * save. Writes nothing when nothing has changed.
   */
  save(model: Model, forgottenKeys?: Iterable<string>): WriteOutcome;
}

/** Opens the fleet's state in the state folder. A file that can't be used is kept as `.bad`. */
export function openFleetState(folder: string): FleetState {
  const path = join(folder, 'state.json');
  removeAbandonedDrafts(path);
  let disk = readState(path);
  const { saved: savedBefore } = disk;
  const problems = [...disk.problems];
  let forgotten: ReadonlySet<string> = new Set();

  return {
    saved: savedBefore,
    problems,
    save(model, forgottenKeys = []) {
      forgotten = new Set([...forgotten, ...forgottenKeys]);
      if (disk.stamp === null || disk.stamp !== stampFile(path)) {
        disk = readState(path);
        problems.push(...disk.problems.filter((problem) => !problems.includes(problem)));
      }
      // What could be neither used nor kept elsewhere must not be written over.
      if (disk.kept?.kind === 'not-kept') {
        return { kind: 'not-written', errorCode: disk.kept.errorCode };
      }
      const current = savedFrom(model);
      const saved = { ...current, rows: mergeRows(current.rows, disk.saved.rows, forgotten) };
      const text = formatSaved(saved);
      if (text === disk.text) return { kind: 'written' };
      const outcome = writeFileAtomicallyNow(path, text);
      if (outcome.kind === 'not-written') return outcome;
      disk = { saved, text, problems: [], kept: null, stamp: stampFile(path) };
      forgotten = new Set();
      return outcome;
    },
  };
}

/** The file as it was read or written last. */
interface StateOnDisk {
  readonly saved: SavedFleet;
  /** The same as text; null when it must be written anew in any case. */
  readonly text: string | null;
  readonly problems: readonly string[];
  /** Where an unusable file, or a copy of a partly usable one, is kept; null: all of it was usable. */
  readonly kept: SetAside | null;
  /** Tells this file from any that replaces it; null: not there, or it has to be read again. */
  readonly stamp: string | null;
}

function readState(path: string): StateOnDisk {
  const stamp = stampFile(path);
  const read = readJsonFile(path, savedFormat);
  switch (read.kind) {
    case 'missing':
      return { saved: nothingSaved, text: null, problems: [], kept: null, stamp: null };
    case 'unusable':
      return loseState(path, read);
    case 'read': {
      const parsed = parseSaved(read.object);
      if (parsed === null) return loseState(path, { why: 'broken' });
      const { saved, lostParts } = parsed;
      if (lostParts === 0) {
        return { saved, text: formatSaved(saved), problems: [], kept: null, stamp };
      }
      const kept = keepCopy(path);
      const problems = [texts.lostParts(path, lostParts, kept)];
      return { saved, text: null, problems, kept, stamp: kept.kind === 'kept' ? stamp : null };
    }
  }
}

function loseState(path: string, unusable: Unusable): StateOnDisk {
  const kept = setAside(path);
  const problems = [texts.lostFile(path, unusable, kept, texts.lostStateMeans)];
  return { saved: nothingSaved, text: null, problems, kept, stamp: null };
}

function stampFile(path: string): string | null {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    ignoreFileError(error);
    return null;
  }
}
