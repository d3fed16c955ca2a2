import type { Model } from '../fleet/model.ts';
import type { RunOrigin } from '../fleet/runs.ts';
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
      return { ...blankStep, key, workspace, args: argumentsFor(asked, workspace) };
    }),
    stopAfter: false,
    outcome: null,
    endedAt: null,
  };
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
function argumentsFor(asked: Ask, workspace: string | null): string[] {
  const scope = workspace === null ? [] : ['--workspace', workspace];
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
