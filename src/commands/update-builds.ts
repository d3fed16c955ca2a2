/** How far an update is with building images, as far as what it prints tells. */

import type { UpdateLine } from '../sandy/update-output.ts';

export interface Builds {
  /** How many sessions sandy found; null until it says so. */
  readonly found: number | null;
  /** The sessions whose turn has come, each once. */
  readonly keys: readonly string[];
  /** What is built now, in words; null before the first. */
  readonly now: string | null;
}

export const noBuilds: Builds = { found: null, keys: [], now: null };

/** Adds a line of the output. Of several commands after one another each begins anew. */
export function readBuilds(builds: Builds, line: UpdateLine): Builds {
  switch (line.kind) {
    case 'found':
      return { ...noBuilds, found: line.count };
    case 'refreshing':
      return { ...builds, keys: addKey(builds.keys, line.key), now: line.key };
    case 'folder-missing':
      return { ...builds, keys: addKey(builds.keys, line.key) };
    case 'heartbeat':
      return { ...builds, now: `${line.key} ${line.phase}` };
    default:
      return builds;
  }
}

/** Which of how many is built now; null where there is but one, or where sandy counts otherwise. */
export function countBuilds({ found, keys, now }: Builds): readonly [number, number] | null {
  if (now === null || found === null || found < 2 || keys.length > found) return null;
  return [keys.length, found];
}

function addKey(keys: readonly string[], key: string): readonly string[] {
  return keys.includes(key) ? keys : [...keys, key];
}
