import { parseStamp } from './incarnation.ts';

/** A stamp in UTC with a day that every month has: it need not be parsed to be written another way. */
const PLAIN =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8]))[ T]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:Z| \+0000(?: UTC)?)$/;

/** A container's stamp as programs get it; null for what is none. Called for each session at each view. */
export function writeStampAsIso(stamp: string | null): string | null {
  if (stamp === null) return null;
  const plain = PLAIN.exec(stamp);
  if (plain !== null) return `${plain[1]}T${plain[2]}.000Z`;
  const at = parseStamp(stamp);
  return at === null ? null : new Date(at).toISOString();
}
