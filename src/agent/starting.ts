/** Carries out a start or a stop, and waits until polls show what came of it. */

import type { Model } from '../fleet/model.ts';
import { isListed, isReady } from '../fleet/session.ts';
import type { RunOutcome } from '../store/run-record.ts';
import { LONGEST_BLIND_STEP_MS, STUCK_MS } from './confirming.ts';
import { carryOutStep, type Operation, readLastLine, type StepEnd } from './operation.ts';
import { nothing } from './summing-up.ts';
import { texts } from './texts.ts';
import type { OperationParts } from './updating.ts';

const LOOK_EVERY_MS = 2_000;
/** How long a command that says it has done it has to be right. Awake, sighted time. */
const START_SEEN_MS = 90_000;
const STOP_SEEN_MS = 60_000;

type Ended = Exclude<StepEnd, { kind: 'left' }>;
type Verdict = Pick<RunOutcome, 'kind' | 'text'>;

/** What the one command of a start or a stop came to by itself. */
interface Done {
  readonly id: string;
  readonly key: string;
  readonly end: Ended;
  /** The last that sandy said. */
  readonly words: string | null;
}

async function carryOutOnly(operation: Operation, parts: OperationParts): Promise<Done | null> {
  const end = await carryOutStep(operation, 0, parts, () => {});
  if (end.kind === 'left') return null;
  const { id, steps } = operation.record();
  return { id, key: steps[0]?.key ?? '', end, words: readLastLine(operation, 0) };
}

/** Resolves to what the start came to; null: the agent is stopping and the next one goes on with it. */
export async function carryOutStart(
  operation: Operation,
  parts: OperationParts,
): Promise<RunOutcome | null> {
  const done = await carryOutOnly(operation, parts);
  if (done === null) return null;
  const { id, key, end, words } = done;
  const verdict = await confirm(parts, end, START_SEEN_MS, (model, isOver) => {
    if (isReady(model.rows.get(key))) return { kind: 'ok', text: null };
    const said = end.kind === 'ended' && end.code === 0;
    // What sandy says it has done may take a moment to show; what it says it has not, has its reason.
    if (said && !isOver) return null;
    return { kind: 'start-failed', text: texts.startFailed(key, describeEnd(end), words) };
  });
  if (verdict === null) return null;
  const at = Date.now();
  if (operation.record().wish === 'stop')
    return { ...nothing, kind: 'cancelled', text: texts.startCancelled };
  if (verdict.kind === 'start-failed') {
    const text = verdict.text ?? '';
    parts.dispatch({ kind: 'start-failed', at, key, attempt: id, text });
  } else if (verdict.kind === 'stuck') {
    parts.dispatch({ kind: 'stuck', at, keys: [key], attempt: id });
  }
  return { ...nothing, ...verdict };
}

/** The same for a stop: gone from two looks that are two seconds apart. */
export async function carryOutStop(
  operation: Operation,
  parts: OperationParts,
): Promise<RunOutcome | null> {
  const done = await carryOutOnly(operation, parts);
  if (done === null) return null;
  const { id, key, end, words } = done;
  let goneSince: number | null = null;
  const verdict = await confirm(parts, end, STOP_SEEN_MS, (model, isOver) => {
    const now = performance.now();
    if (isListed(model.rows.get(key))) {
      goneSince = null;
      const failed = end.kind === 'not-started' || end.code === 1;
      if (!failed && !isOver) return null;
      return { kind: 'failed', text: texts.stopFailed(key, describeEnd(end), words) };
    }
    goneSince ??= now;
    if (now - goneSince < LOOK_EVERY_MS / parts.timeScale) return null;
    const wasThere = end.kind !== 'ended' || end.code !== NO_SUCH_SESSION;
    return wasThere ? { kind: 'ok', text: null } : { kind: 'no-session', text: null };
  });
  if (verdict === null) return null;
  if (verdict.kind === 'stuck') {
    parts.dispatch({ kind: 'stuck', at: Date.now(), keys: [key], attempt: id });
  }
  if (verdict.kind === 'failed') parts.dispatch({ kind: 'stop-failed', at: Date.now(), key });
  return { ...nothing, ...verdict };
}

/** sandy's exit code of a stop where there was nothing to stop. */
const NO_SUCH_SESSION = 4;

/**
 * Asks `judge` after each look that saw the sessions, until it gives a verdict; `isOver` once the limit
 * has passed. Blind looks decide nothing, until it has been too long. Null: the agent is stopping.
 */
async function confirm(
  { looks, timeScale }: OperationParts,
  end: Ended,
  limitMs: number,
  judge: (model: Model, isOver: boolean) => Verdict | null,
): Promise<Verdict | null> {
  const everyMs = LOOK_EVERY_MS / timeScale;
  let seenMs = 0;
  let blindMs = 0;
  for (;;) {
    const before = performance.now();
    // Somebody may wait for the first word; what takes longer has the rhythm of all looks.
    const model = await (seenMs + blindMs === 0 ? looks.freshNow() : looks.fresh());
    if (model === null) return null;
    if (model.sight.kind === 'sighted') {
      const verdict = judge(model, seenMs >= limitMs / timeScale);
      if (verdict !== null) return verdict;
    } else if (end.kind === 'ended' && end.code === 1) {
      // Its first step was to ask docker.
      const { reason } = model.sight.kind === 'blind' ? model.sight : { reason: null };
      if (reason === 'docker-unreachable') return { kind: reason, text: texts.dockerUnreachable };
    }
    if (!(await looks.pause(everyMs))) return null;
    // Sleep counts as one step.
    const stepMs = performance.now() - before;
    if (model.sight.kind === 'sighted') seenMs += Math.min(stepMs, 10 * everyMs);
    else blindMs += Math.min(stepMs, LONGEST_BLIND_STEP_MS / timeScale);
    if (blindMs >= STUCK_MS / timeScale) return { kind: 'stuck', text: texts.nobodySaw };
  }
}

function describeEnd(end: Ended): string {
  if (end.kind === 'not-started') return end.text;
  if (end.signal !== null) return texts.sandySignalled(end.signal);
  return end.code === null ? texts.sandyEndedUnseen : texts.exitCode(end.code);
}
