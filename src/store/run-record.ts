/** What is saved of one run of a mutating sandy command. */

import * as z from 'zod/mini';
import { processIdentity } from '../system/process-identity.ts';

export const runFormat = 1;

const text = z.nullable(z.string());
const instant = z.nullable(z.number());
/** What only tells: where it can't be read, nothing is lost by not knowing it. */
const known = <T extends z.ZodMiniType>(schema: T) => z.catch(z.nullable(schema), null);
const reasons = z.catch(z.array(z.object({ key: z.string(), reason: z.string() })), []);
const keys = z.catch(z.array(z.string()), []);

/** One command of a run, in the order in which they are started. */
const step = z.object({
  key: text,
  workspace: text,
  args: z.array(z.string()),
  /** Bytes of the log that were there before it: its output begins here. */
  logFrom: z.int().check(z.nonnegative()),
  /** Null: not started, or not known. */
  process: z.nullable(processIdentity),
  /** Instants are in milliseconds since 1970. */
  startedAt: instant,
  endedAt: instant,
  /** Null: not known, or it has none. */
  exitCode: known(z.int()),
  signal: known(z.string()),
  outcome: known(z.string()),
});

const outcome = z.object({
  kind: z.enum([
    'ok',
    'cancelled',
    'failed',
    'start-failed',
    'no-session',
    'docker-unreachable',
    'workspace-missing',
    'conflict',
    'stuck',
    'lost',
  ]),
  text: known(z.string()),
  restarted: keys,
  /** What a dry run would restart. */
  candidates: keys,
  skipped: reasons,
  failed: reasons,
});

const nothingKnown = (): z.output<typeof outcome> => ({
  kind: 'lost',
  text: null,
  restarted: [],
  candidates: [],
  skipped: [],
  failed: [],
});

const runRecord = z.object({
  /** Also the name of its folder. */
  id: z.string(),
  op: z.enum(['update', 'check', 'start', 'stop']),
  origin: z.enum(['menu', 'cli', 'schedule']),
  /** Whether it runs on the terminal of the person who asked for it. */
  onTerminal: z.catch(z.boolean(), false),
  /** The sessions concerned; null: all of them. */
  keys: z.nullable(z.array(z.string())),
  idleForMinutes: known(z.number()),
  rebuild: z.catch(z.boolean(), false),
  askedAt: z.number(),
  steps: z.array(step),
  /**
   * What somebody wants of it meanwhile: `stop`, that what is being started is stopped when it lands;
   * `cut`, that no further step is begun.
   */
  wish: z.catch(z.nullable(z.enum(['stop', 'cut'])), null),
  /** Null while it is not decided. One that can't be read is a decision all the same. */
  outcome: z.catch(z.nullable(outcome), ({ value }) => (value == null ? null : nothingKnown())),
  /** Null: unfinished. */
  endedAt: instant,
});

export type RunRecord = z.output<typeof runRecord>;
export type RunStep = RunRecord['steps'][number];
export type RunOutcome = NonNullable<RunRecord['outcome']>;

/**
 * Reads a saved run of this format; null where it is none. Fields that it doesn't know are left out, and
 * what only tells is null where it can't be read; whatever decides who is adopted must be right.
 */
export function parseRun(object: Readonly<Record<string, unknown>>, id: string): RunRecord | null {
  const parsed = runRecord.safeParse(object);
  return parsed.success && parsed.data.id === id ? parsed.data : null;
}

/** The file's text. */
export function formatRun(record: RunRecord): string {
  return `${JSON.stringify({ format: runFormat, ...record }, null, 2)}\n`;
}
