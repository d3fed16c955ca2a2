import * as z from 'zod/mini';
import type { FleetEvent } from '../fleet/events.ts';

/**
 * One line of the log: the contract of `log --json`. It holds closed names, keys and our own sentences;
 * there is no field for a workspace or for what a program printed.
 */
export interface EventRecord {
  /** ISO instant. */
  readonly at: string;
  /** An `EventKind`; in a log that a newer version wrote, perhaps one that we don't know. */
  readonly kind: string;
  readonly key: string | null;
  readonly incident: string | null;
  /** A banner was due. */
  readonly notice: boolean;
  readonly text: string;
}

const recordSchema = z.object({
  at: z.string(),
  kind: z.string(),
  key: z.nullable(z.string()),
  incident: z.nullable(z.string()),
  notice: z.boolean(),
  text: z.string(),
}) satisfies z.ZodMiniType<EventRecord>;

/** What the log keeps of an event. */
export function recordOf(event: FleetEvent, notice: boolean): EventRecord {
  const { at, kind, key, incident, text } = event;
  return { at: new Date(at).toISOString(), kind, key, incident, notice, text };
}

/** The whole line, its end included. */
export function formatRecord(record: EventRecord): string {
  return `${JSON.stringify(record)}\n`;
}

export interface ParsedRecords {
  readonly records: readonly EventRecord[];
  /** Lines that are no records. */
  readonly unreadable: number;
}

/**
 * Reads the text of a log file. Fields that we don't know are kept. What stands after the last line end
 * is no line: it is still being written, or its writer was killed in it.
 */
export function parseRecords(text: string): ParsedRecords {
  const records: EventRecord[] = [];
  let unreadable = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    const record = parseRecord(line);
    if (record === null) unreadable += 1;
    else records.push(record);
  }
  return { records, unreadable };
}

function parseRecord(line: string): EventRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return recordSchema.safeParse(value).success ? (value as EventRecord) : null;
  } catch {
    return null;
  }
}

/**
 * The id under which a happening is logged and shown once: `kind:incident`. One incident has several
 * happenings (late, back, down), each told once. Null where a repetition is a new happening.
 */
export function nameHappening(event: Pick<EventRecord, 'kind' | 'incident'>): string | null {
  return event.incident === null ? null : `${event.kind}:${event.incident}`;
}
