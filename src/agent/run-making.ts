import type { RunOrigin } from '../fleet/finished-run.ts';
import type { Model } from '../fleet/model.ts';
import { newRunId } from '../store/run-folders.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { Ask } from './asks.ts';

export interface AskedBy {
  readonly origin: Exclude<RunOrigin, 'outside'>;
  /** A person's terminal shows what is going on. */
  readonly onTerminal: boolean;
}

/** The record of a new run: its steps, each with what sandy is to be asked. */
export function makeRun(asked: Ask, by: AskedBy, { rows }: Model): RunRecord {
  const now = Date.now();
  const scopes = asked.keys ?? [null];
  return {
    id: newRunId(now),
    ...by,
    ...asked,
    keys: asked.keys === null ? null : [...asked.keys],
    askedAt: now,
    steps: scopes.map((key) => {
      const workspace = key === null ? null : (rows.get(key)?.workspace ?? null);
      return { ...blankStep, key, workspace, args: argumentsFor(asked, key, workspace) };
    }),
    wish: null,
    outcome: null,
    endedAt: null,
  };
}

/** Whoever asked has long turned to something else by then. */
const FORGOTTEN_MS = 15 * 60 * 1000;

/**
 * Whether nothing of a run has happened for a quarter of an hour, so that what is not begun of it is begun
 * no more: no session may be restarted out of the blue because an agent starts, or another command does.
 */
export function isForgotten({ askedAt, steps }: RunRecord, now: number): boolean {
  const instants = steps.flatMap(({ startedAt, endedAt }) => [startedAt ?? 0, endedAt ?? 0]);
  return now - Math.max(askedAt, ...instants) >= FORGOTTEN_MS;
}

const blankStep = {
  logFrom: 0,
  process: null,
  startedAt: null,
  endedAt: null,
  exitCode: null,
  signal: null,
  outcome: null,
};

/** What to ask sandy; a step of a start or a stop always has its workspace. */
function argumentsFor(asked: Ask, key: string | null, workspace: string | null): string[] {
  // Of a session whose workspace is not known sandy refuses the empty one, where none would mean all.
  const scope = key === null ? [] : ['--workspace', workspace ?? ''];
  if (asked.op === 'start' || asked.op === 'stop') return [`--${asked.op}`, ...scope];
  const idle = asked.idleForMinutes === null ? [] : ['--idle-for', String(asked.idleForMinutes)];
  return [
    '--update-sessions',
    asked.op === 'check' ? '--dry-run' : '--yes',
    ...idle,
    ...(asked.rebuild ? ['--rebuild'] : []),
    ...scope,
  ];
}
