import type * as z from 'zod/mini';
import { newAwakeClock } from '../fleet/awake-clock.ts';
import type { FleetEvent } from '../fleet/events.ts';
import type { FinishedRun } from '../fleet/finished-run.ts';
import type { Model } from '../fleet/model.ts';
import type { Run } from '../fleet/runs.ts';
import type { Row } from '../fleet/session.ts';
import {
  eventShape,
  finishedRunShape,
  frameShape,
  rowShape,
  runShape,
  stopIntentShape,
} from './saved-shapes.ts';

export const savedFormat = 1;

/** What of the model outlives a process. Lists, never objects by key: keys come from outside. */
export interface SavedFleet {
  readonly clock: { readonly awakeMs: number; readonly sightedAt: number | null };
  readonly baselined: boolean;
  readonly checkedAt: number | null;
  readonly imagesCheckedAt: number | null;
  readonly rows: readonly Row[];
  readonly run: Run | null;
  readonly lastRun: FinishedRun | null;
  readonly stopIntents: readonly { readonly key: string; readonly askedAwakeMs: number }[];
  /** Notices that wait for the end of the quiet hours. */
  readonly held: readonly FleetEvent[];
}

/** Nothing known: what comes first is a baseline. */
export const nothingSaved: SavedFleet = {
  clock: { awakeMs: 0, sightedAt: null },
  baselined: false,
  checkedAt: null,
  imagesCheckedAt: null,
  rows: [],
  run: null,
  lastRun: null,
  stopIntents: [],
  held: [],
};

/** The part of a model that is saved. */
export function savedFrom(model: Model): SavedFleet {
  const { awakeMs, sightedAt } = model.clock;
  return {
    clock: { awakeMs, sightedAt },
    baselined: model.baselined,
    checkedAt: model.polls.checkedAt,
    imagesCheckedAt: model.polls.imagesCheckedAt,
    rows: [...model.rows.values()],
    run: model.run,
    lastRun: model.lastRun,
    stopIntents: [...model.stopIntents].map(([key, askedAwakeMs]) => ({ key, askedAwakeMs })),
    held: model.held,
  };
}

/**
 * Puts what was saved into a new model. Time not running counts as slept: the clock has no last poll.
 * What a run asked of a process that is gone is answered by nobody, so it will have to ask again.
 */
export function applySaved(model: Model, saved: SavedFleet): Model {
  return {
    ...model,
    clock: { ...newAwakeClock, ...saved.clock },
    baselined: saved.baselined,
    polls: {
      ...model.polls,
      checkedAt: saved.checkedAt,
      imagesCheckedAt: saved.imagesCheckedAt,
    },
    rows: new Map(saved.rows.map((row) => [row.key, row])),
    run: saved.run === null ? null : { ...saved.run, asked: false },
    lastRun: saved.lastRun,
    stopIntents: new Map(saved.stopIntents.map((one) => [one.key, one.askedAwakeMs])),
    held: saved.held,
  };
}

/**
 * The rows to write: the model's, and those on disk that it doesn't have, unless they were forgotten on
 * purpose. A known session's row is never deleted by one bad look, nor by a process that never read it.
 */
export function mergeRows(
  rows: readonly Row[],
  onDisk: readonly Row[],
  forgottenKeys: ReadonlySet<string>,
): readonly Row[] {
  const known = new Set(rows.map((row) => row.key));
  return [...rows, ...onDisk.filter(({ key }) => !known.has(key) && !forgottenKeys.has(key))];
}

export function formatSaved(saved: SavedFleet): string {
  return `${JSON.stringify({ format: savedFormat, ...saved })}\n`;
}

/** What a state file's object says, and how many of its parts could not be read and were left out. */
export interface SavedRead {
  readonly saved: SavedFleet;
  readonly lostParts: number;
}

/** Reads a state file's object; a wrong part costs that part. Null: not even the frame is right. */
export function parseSaved(object: Readonly<Record<string, unknown>>): SavedRead | null {
  const frame = frameShape.safeParse(object);
  if (!frame.success) return null;
  let lostParts = 0;
  const readPart = <T>(schema: z.ZodMiniType<T>, value: unknown): T | null => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    lostParts += 1;
    return null;
  };
  const readList = <T>(schema: z.ZodMiniType<T>, value: unknown): T[] => {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return list.flatMap((one) => readPart(schema, one) ?? []);
  };
  const { run, lastRun, stopIntents, held } = object;
  const saved = {
    ...frame.data,
    rows: readList<Row>(rowShape, frame.data.rows),
    run: run === null ? null : readPart<Run>(runShape, run),
    lastRun: lastRun === null ? null : readPart<FinishedRun>(finishedRunShape, lastRun),
    stopIntents: readList(stopIntentShape, stopIntents),
    held: readList<FleetEvent>(eventShape, held),
  };
  return { saved, lostParts };
}
