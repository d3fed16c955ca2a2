/**
 * Local times as people here write them, without Intl: loading its data costs a process 8 MB and more
 * time than most of our commands take.
 */

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** `03:08`. */
export function formatClock(at: Date): string {
  return `${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

/** `03:08:59`. */
export function formatClockSeconds(at: Date): string {
  return `${formatClock(at)}:${pad(at.getSeconds())}`;
}

/** `2026-11-29`. */
export function formatDate(at: Date): string {
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}

/** `Mon`. */
function formatWeekday(at: Date): string {
  return weekdays[at.getDay()] ?? '';
}

const DAY_MS = 86_400_000;

/** An instant as a person in this zone says it: `03:08` today, `Mon 09:10` this week, else the date. */
export function formatMoment(iso: string | null, now: Date): string {
  if (iso === null) return '-';
  const moment = new Date(iso);
  const clock = formatClock(moment);
  if (formatDate(moment) === formatDate(now)) return clock;
  const days = Math.abs(now.getTime() - moment.getTime()) / DAY_MS;
  return days < 6 ? `${formatWeekday(moment)} ${clock}` : formatDate(moment);
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
