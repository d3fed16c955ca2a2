import { type Preferences, type PreferencesRead, readPreferences } from '../store/preferences.ts';
import { findHome } from '../system/home-folder.ts';
import { type Folders, type FoldersOutcome, nameFolders } from '../system/paths.ts';
import { describeWrongFolders, describeWrongTimeScale } from '../system/texts.ts';
import { parseTimeScale } from '../system/time-scale.ts';
import { UsageError } from './command.ts';

/** What every command that does something starts from. */
export interface Setup {
  readonly folders: Folders;
  readonly preferences: Preferences;
  readonly preferencesRead: PreferencesRead;
  readonly timeScale: number;
}

/**
 * Names the folders and reads the preferences. Problems with config.json go to stderr and cost only
 * the values concerned. Throws `UsageError` where the environment leaves nothing to stand on.
 */
export function setUp(): Setup {
  const outcome = nameOwnFolders();
  if (outcome.kind !== 'found') throw new UsageError(describeWrongFolders(outcome));
  const scale = parseTimeScale(process.env.SANDY_TRAY_TIME_SCALE);
  if (scale.kind === 'wrong') throw new UsageError(describeWrongTimeScale(scale.value));
  const preferencesRead = readPreferences(outcome.folders.config);
  for (const problem of preferencesRead.problems) process.stderr.write(`${problem}\n`);
  return {
    folders: outcome.folders,
    preferences: preferencesRead.preferences,
    preferencesRead,
    timeScale: scale.scale,
  };
}

/** Names the folders of whoever runs this; creates and reads nothing. */
export function nameOwnFolders(): FoldersOutcome {
  return nameFolders({
    environment: process.env,
    home: findHome(),
    platform: process.platform,
  });
}
