/** What needs a person, and when it no longer does: what is held back or shown of it is then no news. */

import { type FleetEvent, needsPerson } from './events.ts';
import type { Model } from './model.ts';

/** What a happening that needs a person is about. */
export type Alarm =
  /** Settled once nothing is pinned for it: it is back, or somebody took the pin down. */
  | { readonly kind: 'session'; readonly key: string }
  /** Settled once its build moves again, or it is over. */
  | { readonly kind: 'hung-run'; readonly id: string }
  /** Settled once somebody looked at what it came to. */
  | { readonly kind: 'failed-run'; readonly id: string }
  /** Of a run that nobody can tell any more. */
  | { readonly kind: 'unknown' };

/** The alarm of a happening; null: it needs nobody. */
export function alarmOf(event: FleetEvent): Alarm | null {
  if (!needsPerson(event)) return null;
  const { key, run, runId } = event;
  if (key !== null) return { kind: 'session', key };
  if (run !== undefined) return { kind: 'failed-run', id: run.id };
  return runId === undefined ? { kind: 'unknown' } : { kind: 'hung-run', id: runId };
}

/** Whether nobody has to do anything about it any more. */
export function isSettled(
  alarm: Alarm,
  { rows, run, lastRun }: Pick<Model, 'rows' | 'run' | 'lastRun'>,
): boolean {
  switch (alarm.kind) {
    case 'session':
      return (rows.get(alarm.key)?.failure ?? null) === null;
    case 'hung-run':
      return run?.id !== alarm.id || run.phase !== 'hung';
    case 'failed-run':
      return lastRun?.id === alarm.id && lastRun.seen;
    case 'unknown':
      return false;
  }
}
