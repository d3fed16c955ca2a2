/**
 * The shapes of what is saved of the fleet. The fleet's own types are the authority; the last lines make
 * the compiler refuse a schema that says anything else.
 */

import * as z from 'zod/mini';
import type { FleetEvent } from '../fleet/events.ts';
import type { FinishedRun } from '../fleet/finished-run.ts';
import type { Incarnation } from '../fleet/observation.ts';
import type { Run } from '../fleet/runs.ts';
import type { Absence, Failure, Phase, Row } from '../fleet/session.ts';

const text = z.nullable(z.string());
const flag = z.nullable(z.boolean());
const count = z.int().check(z.nonnegative());
const milliseconds = z.number();

const incarnation = z.object({ id: text, startedAt: text, updatedAt: text });

const absence = z.object({
  at: milliseconds,
  spentMs: milliseconds,
  late: z.boolean(),
  oldHolder: z.nullable(z.int()),
  freeSeen: z.boolean(),
  look: z.enum(['asked', 'update', 'none', 'unknown']),
  evidence: z.nullable(
    z.enum([
      'own-run',
      'start-in-progress',
      'update-process',
      'others-updated',
      'updated-incarnation',
    ]),
  ),
});

const failedStep = z.nullable(z.object({ step: z.enum(['stop', 'start']), ageMs: milliseconds }));

const phase = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('up'),
    clients: z.nullable(count),
    nullMs: milliseconds,
    absence: z.nullable(absence),
    failedStep,
  }),
  z.object({
    kind: z.literal('away'),
    origin: z.enum(['vanished', 'started']),
    absence,
    listed: z.nullable(z.object({ incarnation, nullMs: milliseconds })),
    alarmed: z.boolean(),
    failedStep,
  }),
  z.object({
    kind: z.literal('off'),
    why: z.enum(['stopped', 'quit', 'ended', 'update-failed', 'late', 'not-attachable']),
    unanswered: z.nullable(incarnation),
  }),
]);

const failure = z.object({
  kind: z.enum(['late', 'update-failed', 'start-failed', 'not-attachable', 'stuck']),
  at: milliseconds,
  incident: z.string(),
  text: z.string(),
});

export const rowShape = z.object({
  key: z.string(),
  workspace: text,
  workspaceExists: flag,
  phase,
  since: milliseconds,
  incarnation: z.nullable(incarnation),
  resumptions: count,
  hadClient: z._default(z.boolean(), false),
  imageStale: flag,
  holder: z.enum(['free', 'alive', 'dead', 'unknown']),
  holderPid: z.nullable(z.int()),
  restarting: z.boolean(),
  updateSeenAwakeMs: z.nullable(milliseconds),
  failure: z.nullable(failure),
  conflict: z.boolean(),
  sandboxGone: z.boolean(),
});

const origin = z.enum(['menu', 'cli', 'schedule', 'outside']);
const scope = z.union([z.literal('fleet'), z.readonly(z.array(z.string()))]);
const reasons = z.readonly(z.array(z.object({ key: z.string(), reason: z.string() })));

export const runShape = z.object({
  id: z.string(),
  origin,
  scope,
  phase: z.enum(['building', 'hung', 'restarting', 'settling']),
  startedAt: milliseconds,
  current: text,
  total: z.nullable(count),
  restarts: z.readonly(
    z.array(
      z.object({
        key: z.string(),
        updatedAt: milliseconds,
        createdAt: milliseconds,
        told: z.boolean(),
      }),
    ),
  ),
  announced: z.readonly(z.array(z.string())),
  stepsFailed: z.readonly(z.array(z.string())),
  skipped: reasons,
  leftOut: reasons,
  log: text,
  end: z.nullable(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('done') }),
      z.object({ kind: z.literal('cancelled') }),
      z.object({ kind: z.literal('failed'), reason: z.string() }),
    ]),
  ),
  quietMs: milliseconds,
  askAtMs: milliseconds,
  asked: z.boolean(),
});

export const finishedRunShape = z.object({
  id: z.string(),
  origin,
  scope,
  startedAt: milliseconds,
  endedAt: milliseconds,
  restarted: z.readonly(z.array(z.string())),
  skipped: reasons,
  failed: reasons,
  log: text,
  outcome: z.enum(['done', 'cancelled', 'failed']),
  /** Not in files of older versions. */
  reason: z._default(text, null),
  seen: z.boolean(),
});

export const eventShape = z.object({
  at: milliseconds,
  kind: z.enum([
    'agent-started',
    'agent-stopped',
    'baseline',
    'started',
    'stopped',
    'ended',
    'quit',
    'vanished',
    'returned',
    'restarted',
    'late',
    'back',
    'down',
    'start-failed',
    'run-started',
    'run-completed',
    'run-failed',
    'run-hung',
    'run-cancelled',
    'blind',
    'sighted',
    'slept',
    'conflict',
  ]),
  key: text,
  incident: text,
  noticeKind: z.nullable(z.enum(['overnight', 'late', 'failed', 'back', 'ended', 'progress'])),
  text: z.string(),
  run: z.exactOptional(finishedRunShape),
  runId: z.exactOptional(z.string()),
});

export const stopIntentShape = z.object({ key: z.string(), askedAwakeMs: milliseconds });

/** What holds the rest together: wrong in here, nothing of the file can be trusted. */
export const frameShape = z.object({
  /** `last` is not saved: time not running counts as slept. */
  clock: z.object({ awakeMs: milliseconds, sightedAt: z.nullable(milliseconds) }),
  baselined: z.boolean(),
  checkedAt: z.nullable(milliseconds),
  imagesCheckedAt: z.nullable(milliseconds),
  rows: z.readonly(z.array(z.unknown())),
});

/** True only where each type can stand for the other, so that neither has a field the other lacks. */
type Agree<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

true satisfies Agree<Incarnation, z.output<typeof incarnation>>;
true satisfies Agree<Absence, z.output<typeof absence>>;
true satisfies Agree<Phase, z.output<typeof phase>>;
true satisfies Agree<Failure, z.output<typeof failure>>;
true satisfies Agree<Row, z.output<typeof rowShape>>;
true satisfies Agree<Run, z.output<typeof runShape>>;
true satisfies Agree<FinishedRun, z.output<typeof finishedRunShape>>;
true satisfies Agree<FleetEvent, z.output<typeof eventShape>>;
