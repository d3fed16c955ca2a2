/** Why sandy can't be asked for something, or need not be. */

import { stat } from 'node:fs/promises';
import type { Model } from '../fleet/model.ts';
import { isReady } from '../fleet/session.ts';
import type { SandyReadiness } from '../sandy/client.ts';
import { texts as sandyTexts } from '../sandy/texts.ts';
import type { RunOutcome } from '../store/run-record.ts';
import { settleWithin } from '../system/settling.ts';
import type { Ask } from './asks.ts';
import { texts } from './texts.ts';

export type Refusal =
  /** There is nothing to do. */
  | { readonly kind: 'done'; readonly text: string }
  | {
      readonly kind: 'refused';
      readonly why: Exclude<RunOutcome['kind'], 'ok'> | 'too-old' | 'unavailable';
      readonly text: string;
    };

const needs = {
  update: { flag: '--update-sessions', capability: 'updateSessions', version: '1.2.0' },
  check: { flag: '--update-sessions', capability: 'updateSessions', version: '1.2.0' },
  start: { flag: '--start', capability: 'start', version: '1.1.0' },
  stop: { flag: '--stop', capability: 'stop', version: '1.1.0' },
} as const;

/** Looks for what stands against an ask that is about sandy as a whole, or about one session; null: nothing. */
export async function findRefusal(
  { op, keys }: Ask,
  model: Model,
  ready: SandyReadiness,
): Promise<Refusal | null> {
  if (ready.kind === 'unusable') return { kind: 'refused', why: 'unavailable', text: ready.text };
  const { flag, capability, version } = needs[op];
  if (!ready.info.schemaRead) {
    return { kind: 'refused', why: 'unavailable', text: sandyTexts.schemaUnreadable };
  }
  if (!ready.info.capabilities[capability]) {
    return {
      kind: 'refused',
      why: 'too-old',
      text: texts.tooOld(flag, ready.info.version, version),
    };
  }
  const [key] = keys ?? [];
  if (keys?.length !== 1 || key === undefined) return null;
  if (op === 'start' && isReady(model.rows.get(key))) {
    return { kind: 'done', text: texts.alreadyRuns(key) };
  }
  const problem = await findProblem(model, key);
  if (problem === null) return null;
  // What does not run is what a start is for; of what was never seen nobody knows where it runs.
  if (op === 'start' && problem === 'no-session' && model.rows.has(key)) return null;
  const isStopped = op === 'stop' && problem === 'no-session';
  const text = isStopped ? texts.notThere(key) : sentences[problem](key);
  return { kind: 'refused', why: problem, text };
}

export type Problem = 'conflict' | 'no-session' | 'workspace-missing';

/** Why sandy can't be asked to update this session; null: it can. */
export async function findProblem(model: Model, key: string): Promise<Problem | null> {
  const row = model.rows.get(key);
  if (row === undefined) return 'no-session';
  if (row.conflict) return 'conflict';
  if (row.workspace === null || !(await isFolder(row.workspace))) return 'workspace-missing';
  return row.phase.kind === 'off' ? 'no-session' : null;
}

const FOLDER_LIMIT_MS = 5_000;

/** Whether sandy could work there; a mount that does not answer is as good as missing. */
async function isFolder(path: string): Promise<boolean> {
  const found = await settleWithin(
    stat(path).catch(() => null),
    FOLDER_LIMIT_MS,
    () => null,
  );
  return found?.isDirectory() === true;
}

const sentences: Readonly<Record<Problem, (key: string) => string>> = {
  conflict: texts.conflict,
  'no-session': texts.notRunning,
  'workspace-missing': texts.workspaceMissing,
};
