import { cleanForeignText } from '../system/foreign-text.ts';
import {
  mayAnnounceRestart,
  type PlannedAction,
  parseUpdateLine,
  type RestartStep,
  type UpdateLine,
} from './update-line.ts';

export type { UpdateLine } from './update-line.ts';

/** One line of an update's output. */
export interface ReadLine {
  /** For display: one harmless line of at most 400 characters. */
  readonly text: string;
  readonly line: UpdateLine;
}

/** Cuts an update's output into lines. One for each stream: it keeps what has no line break yet. */
export interface LineReader {
  readonly take: (bytes: Buffer) => ReadLine[];
  /** The output has ended: gives the last line when it came without a line break. */
  readonly end: () => ReadLine[];
}

/** What all lines so far add up to. The lists hold each key once. */
export interface UpdateProgress {
  /** How many sessions sandy found; null until it says so. */
  readonly found: number | null;
  /** Set while images are refreshed. */
  readonly building: Building | null;
  /** The rows of the table by key; null until the first. */
  readonly planned: ReadonlyMap<string, Plan> | null;
  readonly missingFolders: readonly string[];
  readonly buildFailed: readonly string[];
  /** In the order in which sandy announced them. */
  readonly restarting: readonly string[];
  readonly restarted: readonly string[];
  readonly failed: readonly FailedRestart[];
  /** The words with which sandy said that it is done; null also for a run that was cut or refused. */
  readonly finished: 'summary' | 'dry-run' | 'nothing' | 'none' | null;
}

/** Images being refreshed for one session. Seconds are sandy's own: none are known between heartbeats. */
export interface Building {
  readonly key: string;
  readonly seconds: number;
  /** What the build printed last, at most 4 KB; null until the first heartbeat. */
  readonly phase: string | null;
  /** For how long the phase has not changed. A build that failed may leave sandy at it for ever. */
  readonly unchangedSeconds: number;
}

export interface Plan {
  readonly action: PlannedAction;
  readonly reason: string;
}

export interface FailedRestart {
  readonly key: string;
  readonly step: RestartStep;
}

export const noProgress: UpdateProgress = {
  found: null,
  building: null,
  planned: null,
  missingFolders: [],
  buildFailed: [],
  restarting: [],
  restarted: [],
  failed: [],
  finished: null,
};

const MAX_LINE_BYTES = 4096;
const MAX_SHOWN_CHARACTERS = 400;
/** Many times the largest fleet; an output without end shall not fill the memory. */
const MAX_SESSIONS = 1000;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const BUILD_FAILED = 'build failed';
const FOLDER_MISSING = 'workspace folder is missing';

/**
 * Lines end with \n or \r\n. A bare \r ends none: sandy prints none of its own, so what follows one is
 * another program's word. Of each line 4 KB are kept and the rest is dropped.
 */
export function createLineReader(): LineReader {
  const line = Buffer.alloc(MAX_LINE_BYTES);
  let length = 0;
  const finish = (unfinished: boolean): ReadLine => {
    while (length > 0 && line[length - 1] === CARRIAGE_RETURN) length -= 1;
    const raw = line.toString('utf8', 0, length);
    length = 0;
    return {
      text: cleanForeignText(raw, MAX_SHOWN_CHARACTERS),
      line: parseUpdateLine(raw, unfinished),
    };
  };
  return {
    take(bytes) {
      const lines: ReadLine[] = [];
      let start = 0;
      for (;;) {
        const newline = bytes.indexOf(NEWLINE, start);
        // Copies only what there is room for.
        length += bytes.copy(line, length, start, newline === -1 ? bytes.length : newline);
        if (newline === -1) return lines;
        lines.push(finish(false));
        start = newline + 1;
      }
    },
    end: () => (length === 0 ? [] : [finish(true)]),
  };
}

/**
 * Adds a line to the progress. Reading the same output again from its start changes nothing more.
 * What is told of a restart is believed as it stands: streams may arrive in another order.
 */
export function readUpdateOutput(progress: UpdateProgress, line: UpdateLine): UpdateProgress {
  switch (line.kind) {
    case 'found':
      return { ...progress, found: line.count };
    case 'none':
      return { ...progress, found: 0, finished: 'none' };
    case 'refreshing':
      return {
        ...progress,
        building: { key: line.key, seconds: 0, phase: null, unchangedSeconds: 0 },
      };
    case 'heartbeat':
      return { ...progress, building: readHeartbeat(progress.building, line) };
    case 'folder-missing': {
      const missingFolders = addKey(progress.missingFolders, line.key);
      const plan = progress.planned?.get(line.key);
      const known = { ...progress, building: null, missingFolders };
      return plan === undefined ? known : addPlan(known, line.key, plan);
    }
    case 'build-failed':
      return {
        ...progress,
        building: progress.building?.key === line.key ? null : progress.building,
        buildFailed: addKey(progress.buildFailed, line.key),
      };
    case 'planned':
      return addPlan({ ...progress, building: null }, line.key, {
        action: line.action,
        reason: line.reason,
      });
    case 'dry-run':
    case 'nothing':
    case 'summary':
      return { ...progress, building: null, finished: line.kind };
    case 'restarting':
      return { ...progress, building: null, restarting: addKey(progress.restarting, line.key) };
    case 'restarted':
      return { ...progress, restarted: addKey(progress.restarted, line.key) };
    case 'step-failed':
      return { ...progress, failed: addFailure(progress.failed, line) };
    case 'other':
      return progress;
  }
}

/**
 * Whether a restart may have begun: from then on, cutting the run may leave a session down. `output`
 * is all that came so far on sandy's stdout, from its start; its last line may be unfinished.
 */
export function mayHaveBegun(output: Buffer): boolean {
  let start = 0;
  for (;;) {
    const newline = output.indexOf(NEWLINE, start);
    const unfinished = newline === -1;
    const line = output.toString('utf8', start, unfinished ? output.length : newline);
    if (mayAnnounceRestart(line, unfinished)) return true;
    if (unfinished) return false;
    start = newline + 1;
  }
}

function readHeartbeat(
  before: Building | null,
  beat: Extract<UpdateLine, { kind: 'heartbeat' }>,
): Building {
  const { key, seconds, phase } = beat;
  const passed = before === null ? 0 : seconds - before.seconds;
  // Seconds that run backwards are those of another build, or of the same output read again.
  if (before?.key !== key || before.phase !== phase || passed < 0)
    return { key, seconds, phase, unchangedSeconds: 0 };
  return { key, seconds, phase, unchangedSeconds: before.unchangedSeconds + passed };
}

function addPlan(progress: UpdateProgress, key: string, told: Plan): UpdateProgress {
  const before = progress.planned ?? new Map<string, Plan>();
  // In the table sandy calls a build failed that it never tried, for want of the folder.
  const neverTried =
    told.action === 'skip' && told.reason === BUILD_FAILED && progress.missingFolders.includes(key);
  const plan = neverTried ? { ...told, reason: FOLDER_MISSING } : told;
  const known = before.get(key);
  if (known === undefined ? before.size >= MAX_SESSIONS : isSamePlan(known, plan)) return progress;
  return { ...progress, planned: new Map(before).set(key, plan) };
}

function isSamePlan(one: Plan, other: Plan): boolean {
  return one.action === other.action && one.reason === other.reason;
}

function addKey(keys: readonly string[], key: string): readonly string[] {
  return keys.length >= MAX_SESSIONS || keys.includes(key) ? keys : [...keys, key];
}

function addFailure(
  failures: readonly FailedRestart[],
  { key, step }: FailedRestart,
): readonly FailedRestart[] {
  if (failures.length >= MAX_SESSIONS || failures.some((failure) => failure.key === key))
    return failures;
  return [...failures, { key, step }];
}
