import * as z from 'zod/mini';

/** How far the showing of one notice has come, by itself or in a digest. `done`: its alarm is over. */
export type LedgerStep = 'intent' | 'shown' | 'done';

/** One notice, by its happening (`kind:incident`). Ids hold keys from outside: lists, never objects by id. */
export interface LedgerEntry {
  readonly id: string;
  readonly step: LedgerStep;
  /** When it came to this step (wall clock). */
  readonly at: number;
}

export interface LedgerContent {
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** When a ledger was lost, so that what was shown before is not known; null: never, or long ago. */
  readonly doubtedAt: number | null;
}

export const ledgerFormat = 1;

const dayMs = 24 * 3_600_000;
const keptMs = 30 * dayMs;
const keptEntries = 1_000;

const contentSchema = z.object({
  doubtedAt: z.nullable(z.number()),
  entries: z.array(
    z.object({ id: z.string(), step: z.enum(['intent', 'shown', 'done']), at: z.number() }),
  ),
});

export function formatLedger({ entries, doubtedAt }: LedgerContent): string {
  return `${JSON.stringify({ format: ledgerFormat, doubtedAt, entries: [...entries.values()] })}\n`;
}

/** The content of a ledger's object; null when any of it is wrong: half a ledger can't be trusted. */
export function parseLedger(object: unknown): LedgerContent | null {
  const parsed = contentSchema.safeParse(object);
  if (!parsed.success) return null;
  const entries = new Map(parsed.data.entries.map((entry) => [entry.id, entry]));
  return { entries, doubtedAt: parsed.data.doubtedAt };
}

/**
 * Whether a notice may be shown: only when it certainly was not yet. An intent without `shown` is
 * unsure. So is, after a ledger was lost, all that was in the log before it was asked about.
 */
export function decideShowing(content: LedgerContent, id: string, loggedNow: boolean): boolean {
  if (content.entries.has(id)) return false;
  return loggedNow || content.doubtedAt === null;
}

/**
 * Drops what is older than 30 days, and the oldest beyond 1,000, but nothing younger than a day.
 * Returns the same content when there is nothing to drop.
 */
export function pruneLedger(content: LedgerContent, at: number): LedgerContent {
  const doubtedAt =
    content.doubtedAt !== null && at - content.doubtedAt > keptMs ? null : content.doubtedAt;
  const newestFirst = [...content.entries.values()].sort((a, b) => b.at - a.at);
  const kept = new Set(
    newestFirst.filter(
      (entry, index) => at - entry.at <= dayMs || (at - entry.at <= keptMs && index < keptEntries),
    ),
  );
  if (kept.size === content.entries.size && doubtedAt === content.doubtedAt) return content;
  const entries = new Map([...content.entries].filter(([, entry]) => kept.has(entry)));
  return { entries, doubtedAt };
}
