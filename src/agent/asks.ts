/** What can be asked of the host's one slot, and who joins whom. */

/** One thing to be done with sandy. */
export interface Ask {
  readonly op: 'update' | 'check' | 'start' | 'stop';
  /** The sessions concerned; null: all of them. A start or a stop has exactly one. */
  readonly keys: readonly string[] | null;
  /** Only sessions that have been idle for so long. */
  readonly idleForMinutes: number | null;
  readonly rebuild: boolean;
}

/**
 * Whether what is being done covers what is asked for, so that who asks joins it: the same thing, with the
 * same or more sessions and no condition that leaves some of them out. A dry run covers dry runs only.
 */
export function covers(running: Ask, ask: Ask): boolean {
  if (running.op !== ask.op) return false;
  const { keys } = running;
  if (keys !== null && (ask.keys === null || !ask.keys.every((key) => keys.includes(key)))) {
    return false;
  }
  if (running.idleForMinutes !== null && running.idleForMinutes !== ask.idleForMinutes)
    return false;
  return running.rebuild || !ask.rebuild;
}

/** A stop of the session that is being started: it is stopped when it lands. */
export function isStopOfStart(running: Ask, ask: Ask): boolean {
  return running.op === 'start' && ask.op === 'stop' && running.keys?.[0] === ask.keys?.[0];
}
