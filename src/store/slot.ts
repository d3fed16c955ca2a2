import * as z from 'zod/mini';
import { acquireLock, type LockOutcome } from '../system/lock-file.ts';

/** What one mutating sandy command on this host is about. */
export interface SlotUse {
  readonly op: 'start' | 'stop' | 'update' | 'check';
  /** The sessions concerned; null: all of them. */
  readonly keys: readonly string[] | null;
  /** ISO, wall clock. */
  readonly since: string;
}

const slotUse = z.object({
  op: z.enum(['start', 'stop', 'update', 'check']),
  keys: z.nullable(z.array(z.string())),
  since: z.string(),
}) satisfies z.ZodMiniType<SlotUse>;

/**
 * Takes the host's one slot for mutating commands: starts in parallel hang each other, and an update
 * that meets a stop leaves sessions down. A holder that died has let go of it.
 */
export function acquireSlot(stateFolder: string, use: SlotUse): Promise<LockOutcome<SlotUse>> {
  return acquireLock(
    { folder: stateFolder, name: 'slot', infoSchema: slotUse as z.ZodMiniType<SlotUse> },
    use,
  );
}
