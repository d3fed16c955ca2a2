import type { Incarnation } from './observation.ts';

/**
 * Whether two looks saw the same life of a session. The id decides where both have one: it is new on
 * every stop and start and survives a docker restart. A part that one look could not read says nothing.
 */
export function isSameIncarnation(a: Incarnation, b: Incarnation): boolean {
  if (a.id !== null && b.id !== null) return a.id === b.id;
  if (a.startedAt !== null && b.startedAt !== null) return a.startedAt === b.startedAt;
  return true;
}

/**
 * Whether `next` is proof of an update restart after `previous`. Only a non-null `updatedAt` that
 * differs proves it: it lives as long as its container, so that merely having one proves nothing.
 */
export function isUpdateOf(previous: Incarnation | null, next: Incarnation): boolean {
  return next.updatedAt !== null && next.updatedAt !== previous?.updatedAt;
}

/** The same life with what the newer look could not read filled in from the older one. */
export function mergeIncarnation(known: Incarnation, seen: Incarnation): Incarnation {
  return {
    id: seen.id ?? known.id,
    startedAt: seen.startedAt ?? known.startedAt,
    updatedAt: seen.updatedAt ?? known.updatedAt,
  };
}

/** A stable name for one life, for the ids under which things are told once. */
export function nameIncarnation(incarnation: Incarnation): string {
  return incarnation.id ?? incarnation.startedAt ?? incarnation.updatedAt ?? 'unknown';
}

/**
 * Parses a container's creation time as docker prints it, with its numeric offset, or an ISO instant.
 * Null for anything else, a zone that only has a name included: a wrong instant is worse than none.
 */
export function parseStamp(stamp: string | null): number | null {
  const match = stampPattern.exec(stamp ?? '');
  if (match === null) return null;
  const [, date, time, hours, minutes] = match;
  const at = Date.parse(`${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  return Number.isNaN(at) ? null : at;
}

const stampPattern =
  /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:Z| ([+-]\d{2})(\d{2})(?: [A-Z]+| [+-]\d+)?)$/;
