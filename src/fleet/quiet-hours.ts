/** The hours in which banners are held: told all the same, but shown as one digest afterwards. */

/** A daily span in minutes after local midnight; it may run over midnight. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

const DAY_MINUTES = 24 * 60;

/** Reads `HH:MM-HH:MM`; null where it is no such text. An empty span is never quiet. */
export function parseQuietHours(text: string | null): QuietHours | null {
  const match = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(text ?? '');
  if (match === null) return null;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = match.slice(1).map(Number);
  return { fromMinute: fromHour * 60 + fromMinute, toMinute: toHour * 60 + toMinute };
}

/**
 * When the quiet span that holds at `at` ends (wall clock), or null when it is not quiet then.
 * `utcOffsetMinutes` is what local time is ahead of UTC.
 */
export function quietUntil(
  hours: QuietHours | null,
  at: number,
  utcOffsetMinutes: number,
): number | null {
  if (hours === null) return null;
  const { fromMinute, toMinute } = hours;
  const minute = modulo(Math.floor(at / 60_000) + utcOffsetMinutes, DAY_MINUTES);
  const lengthMinutes = modulo(toMinute - fromMinute, DAY_MINUTES);
  const intoMinutes = modulo(minute - fromMinute, DAY_MINUTES);
  if (intoMinutes >= lengthMinutes) return null;
  return (Math.floor(at / 60_000) + lengthMinutes - intoMinutes) * 60_000;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
