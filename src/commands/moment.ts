import { formatClock, formatDate, formatWeekday } from '../system/local-time.ts';

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
