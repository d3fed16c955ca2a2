import * as z from 'zod/mini';
import { acquireLock, type LockOutcome, type LockState, readLock } from '../system/lock-file.ts';

/** What one mutating sandy command on this host is about. */
export interface SlotUse {
  readonly op: 'start' | 'stop' | 'update' | 'check';
  /** The sessions concerned; null: all of them. */
  readonly keys: readonly string[] | null;
  /** Of a start: where; canonical. A session that was never seen has no key yet. */
  readonly workspace?: string | undefined;
  /** ISO, wall clock. */
  readonly since: string;
}

const slotUse = z.object({
  op: z.enum(['start', 'stop', 'update', 'check']),
  keys: z.nullable(z.array(z.string())),
  workspace: z.optional(z.string()),
  since: z.string(),
}) satisfies z.ZodMiniType<SlotUse>;

/**
 * Takes the host's one slot for mutating commands: starts in parallel hang each other, and an update
 * that meets a stop leaves sessions down. A holder that died has let go of it.
 */
export function acquireSlot(stateFolder: string, use: SlotUse): Promise<LockOutcome<SlotUse>> {
  return acquireLock(place(stateFolder), use);
}

/** Who has the slot now. */
export function readSlot(stateFolder: string): Promise<LockState<SlotUse>> {
  return readLock(place(stateFolder));
}

function place(folder: string) {
  return { folder, name: 'slot', infoSchema: slotUse as z.ZodMiniType<SlotUse> };
}
