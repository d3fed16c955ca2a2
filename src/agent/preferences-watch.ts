import { mkdirSync, watch } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { configFileName, type Preferences, readPreferences } from '../store/preferences.ts';

/** An editor may write in several steps, and a file that is read between two of them looks broken. */
const SETTLE_MS = 100;

export interface PreferencesWatch {
  /** The config folder. */
  readonly folder: string;
  /** What holds now. */
  readonly first: Preferences;
  /** Takes a sentence on a value that can't be used, once as long as it stays so. */
  readonly warn: (sentence: string) => void;
  readonly onChange: (preferences: Preferences) => void;
}

/** Reads config.json again whenever it was written or replaced; returns how to stop. */
export function watchPreferences({ folder, first, warn, onChange }: PreferencesWatch): () => void {
  let preferences = first;
  let problems: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const reread = () => {
    const read = readPreferences(folder);
    for (const problem of read.problems) if (!problems.includes(problem)) warn(problem);
    problems = read.problems;
    if (isDeepStrictEqual(read.preferences, preferences)) return;
    preferences = read.preferences;
    onChange(preferences);
  };
  try {
    // A folder that isn't there can't be watched.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, { persistent: false }, (_event, changed) => {
      if (changed !== null && changed !== configFileName) return;
      clearTimeout(timer);
      timer = setTimeout(reread, SETTLE_MS);
    });
    watcher.on('error', () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    // Without it, changes wait for the next start.
    return () => {};
  }
}
