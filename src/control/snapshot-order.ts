/** Where a snapshot stands among the others of its sender. */
export interface SnapshotStamp {
  /** Random per agent start. */
  readonly epoch: string;
  /** Grows with every snapshot of one epoch. */
  readonly rev: number;
}

/** What has been taken so far: the newest stamp, and the epochs that ended before it, newest last. */
export interface SnapshotOrder {
  readonly newest: SnapshotStamp | null;
  readonly ended: readonly string[];
}

export const noSnapshots: SnapshotOrder = { newest: null, ended: [] };

/** An agent that restarts all day fills this many; what is older does not come back. */
const MOST_ENDED = 100;

/**
 * The order after taking this snapshot, or null where it is not newer and must be ignored. Within an
 * epoch a higher rev is newer. Any snapshot of a new epoch is taken, whatever its rev, and from then
 * on nothing of the epochs before it.
 */
export function takeSnapshot(order: SnapshotOrder, stamp: SnapshotStamp): SnapshotOrder | null {
  const { newest, ended } = order;
  if (newest === null) return { newest: stamp, ended };
  if (stamp.epoch === newest.epoch) {
    return stamp.rev > newest.rev ? { newest: stamp, ended } : null;
  }
  if (ended.includes(stamp.epoch)) return null;
  return { newest: stamp, ended: [...ended, newest.epoch].slice(-MOST_ENDED) };
}
