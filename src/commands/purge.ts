/** Removing the program's own folders, never under somebody who works in them. */

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { claimAgent } from '../control/agent-lock.ts';
import { texts } from '../service/texts.ts';
import { openRunFolders } from '../store/run-folders.ts';
import { readSlot } from '../store/slot.ts';
import { errorCodeOf } from '../system/files.ts';
import type { Folders } from '../system/paths.ts';
import { isAlive } from '../system/process-identity.ts';
import { serviceTexts } from './service-texts.ts';
import { version } from './version.ts';

/** Each once; on macOS some are the same. */
export function listOwnFolders({ config, state, logs }: Folders): string[] {
  return [...new Set([config, state, logs])];
}

export type PurgeOutcome =
  | { readonly kind: 'removed' }
  /** `text`: why nothing, or not all, was removed, and what to do. */
  | { readonly kind: 'refused'; readonly text: string };

/** Removes these of the folders, with the agent's lock held so that none starts meanwhile. */
export async function purgeFolders(
  { state }: Folders,
  present: readonly string[],
): Promise<PurgeOutcome> {
  // The lock would make the folder.
  if (!existsSync(state)) return await removeFolders(present);
  const claim = await claimAgent(state, { version, passing: true });
  switch (claim.kind) {
    case 'already-running':
      return { kind: 'refused', text: serviceTexts.purgeAgent(claim.pid) };
    case 'failed':
      return { kind: 'refused', text: serviceTexts.purgeUnknown(claim.errorCode) };
    case 'claimed': {
      const outcome = (await isAtWork(state))
        ? ({ kind: 'refused', text: serviceTexts.purgeRun } as const)
        : await removeFolders(present);
      await claim.release();
      return outcome;
    }
  }
}

/** Whether a command with sandy goes on that was begun here, with or without who began it. */
async function isAtWork(state: string): Promise<boolean> {
  if ((await readSlot(state)).kind === 'busy') return true;
  for (const { steps } of openRunFolders(state).listUnfinished()) {
    for (const { process } of steps) {
      if (process !== null && (await isAlive(process))) return true;
    }
  }
  return false;
}

async function removeFolders(folders: readonly string[]): Promise<PurgeOutcome> {
  for (const folder of folders) {
    try {
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      return { kind: 'refused', text: texts.notChanged(folder, errorCodeOf(error)) };
    }
  }
  return { kind: 'removed' };
}
