import { realpathSync } from 'node:fs';
import type { Preferences } from '../store/preferences.ts';
import { prepareScope } from '../system/own-scope.ts';
import { isPacked } from '../system/resources.ts';
import type { OpenParts } from '../terminal/opening.ts';
import type { Setup } from './setup.ts';

/**
 * What runs us: the file itself and not a link to it, which may be gone when a window comes up. To be asked
 * for at the start, as an upgrade may take the file away later. An executable is all that it needs.
 */
export function findProgram(): readonly string[] {
  if (isPacked()) return [process.execPath];
  return [process.execPath, realpathSync(process.argv[1] ?? '')];
}

/** What a window is opened with by this process. */
export async function prepareWindows(
  { folders, timeScale }: Pick<Setup, 'folders' | 'timeScale'>,
  { terminal }: Pick<Preferences, 'terminal'>,
  program: readonly string[] = findProgram(),
): Promise<OpenParts> {
  return {
    platform: process.platform,
    environment: process.env,
    stateFolder: folders.state,
    setting: terminal,
    program,
    timeScale,
    // A desktop's shortcuts are run by a service of its own.
    wrap: await prepareScope(process.env),
  };
}
