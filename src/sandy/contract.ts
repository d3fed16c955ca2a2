/**
 * The fields of `sandy --print-state` that we use, as sandy 0.12 to 2.x prints them. Everything else
 * in the document is ignored, whatever it is. Optional fields are those that came after 0.12, or
 * that light mode leaves out.
 */

import * as z from 'zod/mini';
import { $ZodObjectJIT } from 'zod/v4/core';

/** How one field must look, how that is said to a person, and what stands in for it when it's wrong. */
interface Field<T> {
  readonly schema: z.ZodMiniType<T>;
  readonly expected: string;
  readonly fallback: T;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

/** The entries of one list in the document. */
export interface EntryKind<F extends Fields> {
  readonly list: string;
  readonly fields: F;
  readonly schema: z.core.$ZodType<Values<F>>;
}

const text = z.string().check(z.minLength(1));
const optionalBoolean = z.optional(z.nullable(z.boolean()));

/** A sandbox's `name` is its key; without one the entry is lost. */
export const sandboxEntry = defineEntry('sandboxes', {
  name: field(text, 'text', null),
  /** Since 1.0. Empty for a sandbox that was made before sandy wrote it down. */
  workspace_path: field(
    z.optional(z.nullable(z.string().check(z.regex(/^(\/|$)/)))),
    'an absolute path or empty text',
    null,
  ),
  /** Since 1.8. */
  workspace_exists: field(optionalBoolean, 'true, false or null', null),
  lock_held: field(z.boolean(), 'true or false', null),
  /** Text with digits; empty for an instant while the lock is taken. */
  lock_holder_pid: field(z.nullable(z.union([z.string(), z.int()])), 'text or null', null),
  lock_holder_alive: field(z.nullable(z.boolean()), 'true, false or null', null),
});

/** A daemon session's container. `sandbox` is its key; without it `name` must do. */
export const sessionEntry = defineEntry('running_containers', {
  sandbox: field(text, 'text', null),
  name: field(text, 'text', null),
  id: field(text, 'text', null),
  started_at: field(text, 'text', null),
  attached_clients: field(z.nullable(z.int().check(z.nonnegative())), 'integer or null', null),
  /** Since 1.2. */
  updated_at: field(z.optional(z.nullable(text)), 'text or null', null),
  /** Since 1.2, in full mode only. */
  image_stale: field(optionalBoolean, 'true, false or null', null),
});

/** The document's own fields, apart from its lists. */
export const documentFields = {
  schema_version: field(z.int(), 'integer', null),
  sandy_home: field(text, 'text', null),
  docker_reachable: field(z.boolean(), 'true or false', null),
};

/** Tells a daemon session from a bare container; since 1.1, so that it is missing before. */
export const daemonField = field(z.optional(z.boolean()), 'true or false', undefined);

function field<Value, Fallback>(
  schema: z.ZodMiniType<Value>,
  expected: string,
  fallback: Fallback,
): Field<Value | Fallback> {
  return { schema, expected, fallback };
}

function defineEntry<F extends Fields>(list: string, fields: F): EntryKind<F> {
  const shape = Object.fromEntries(
    Object.entries(fields).map(([name, { schema }]) => [name, schema]),
  );
  // zod/mini interprets an object field by field; zod's compiled kind reads the same shape several
  // times as fast, which a host with a thousand sessions feels at every look.
  const compiled = new $ZodObjectJIT({ type: 'object', shape });
  // Each value is what its field's schema gives: the type says so, the shape's own can't.
  const schema = compiled as unknown as z.core.$ZodType<Values<F>>;
  return { list, fields, schema };
}

/** A field or an entry of the document that could not be used. */
export interface Loss {
  /** Stable, such as `running_containers[].attached_clients: expected integer or null`. */
  readonly id: string;
}

/** Reads one field; a wrong value is a loss and gives the field's fallback. */
export function readField<T>(path: string, wanted: Field<T>, value: unknown, losses: Loss[]): T {
  const result = z.safeParse(wanted.schema, value);
  if (result.success) return result.data;
  losses.push({ id: `${path}: expected ${wanted.expected}` });
  return wanted.fallback;
}

/** Reads one entry of a list. A wrong field costs that field; null when it isn't an object at all. */
export function readEntry<F extends Fields>(
  kind: EntryKind<F>,
  value: unknown,
  losses: Loss[],
): Values<F> | null {
  // Almost every entry is right: one pass, and the slow way only for the others.
  const whole = z.safeParse(kind.schema, value);
  if (whole.success) return whole.data;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    losses.push({ id: `${kind.list}[]: expected object` });
    return null;
  }
  const given = value as Readonly<Record<string, unknown>>;
  const entries = Object.entries(kind.fields).map(([name, wanted]) => [
    name,
    readField(`${kind.list}[].${name}`, wanted, given[name], losses),
  ]);
  return Object.fromEntries(entries) as Values<F>;
}
