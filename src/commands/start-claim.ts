/** Before a start in a terminal that attaches: the host's one slot, and a look for everybody else. */

import { setTimeout as pause } from 'node:timers/promises';
import { isStartedIn } from '../agent/others.ts';
import type { Target } from '../attach/look-reading.ts';
import type { StartBy } from '../attach/machine.ts';
import type { StartClaim } from '../attach/shim.ts';
import { acquireSlot, readSlot, type SlotUse } from '../store/slot.ts';
import type { LockHolder } from '../system/lock-file.ts';
import { contactAgent } from './agent-connection.ts';
import type { Prepared } from './attach-target.ts';
import { findOtherNow } from './others-now.ts';
import type { Setup } from './setup.ts';
import { texts } from './texts.ts';

/** How often a start that is awaited is looked for. */
const LOOK_EVERY_MS = 2_000;

/**
 * Takes the slot and looks for somebody else who changes sessions; a start of the same session is joined.
 * `prepare` is called before that look, since it may take a while.
 */
export async function claimStart(
  setup: Setup,
  { target, sandy }: Prepared,
  prepare: () => Promise<void>,
): Promise<StartClaim> {
  const { folders, timeScale } = setup;
  const join = (by: StartBy, pid: number, goesOn: () => Promise<boolean>): StartClaim => ({
    kind: 'joined',
    by,
    pid,
    async over(isOff) {
      do await pause(LOOK_EVERY_MS / timeScale, null, { ref: false });
      while (!isOff() && (await goesOn()));
    },
  });
  const keys = target.key === null ? [] : [target.key];
  const { workspace } = target;
  const use = { op: 'start', keys, workspace, since: new Date().toISOString() } as const;
  const slot = await acquireSlot(folders.state, use);
  if (slot.kind === 'busy') {
    const { holder } = slot;
    if (!isStartOf(target, holder)) return { kind: 'busy', text: texts.slotBusy(holder) };
    return join('one of ours', holder.pid, async () => {
      const now = await readSlot(folders.state);
      return now.kind === 'busy' && isStartOf(target, now.holder);
    });
  }
  const release = slot.kind === 'held' ? slot.release : async () => {};
  await prepare();
  const contact = await contactAgent(folders.state, 'attach');
  const connection = contact.kind === 'connected' ? contact.connection : null;
  const other = await findOtherNow(connection, setup, sandy);
  connection?.close();
  if (other === null) return { kind: 'held', release };
  await release();
  const same = other.starts.find((start) => start.workspace === workspace);
  if (same === undefined) return { kind: 'busy', text: other.text };
  return join('sandy itself', same.pid, () => isStartedIn(workspace));
}

function isStartOf({ key, workspace }: Target, { info }: LockHolder<SlotUse>): boolean {
  if (info?.op !== 'start') return false;
  return info.workspace === workspace || (key !== null && info.keys?.[0] === key);
}
