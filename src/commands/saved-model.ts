import { type Model, newModel } from '../fleet/model.ts';
import { windowsFrom } from '../fleet/windows.ts';
import { applySaved, type SavedFleet } from '../store/saved-fleet.ts';
import type { Setup } from './setup.ts';

/** What the last agent knew, for commands that find none running. */
export function modelFromDisk({ preferences, timeScale }: Setup, saved: SavedFleet | null): Model {
  const blank = newModel(windowsFrom(preferences, timeScale), preferences.notify);
  return saved === null ? blank : applySaved(blank, saved);
}
