const time = { hour: '2-digit', minute: '2-digit', hour12: false } as const;

/** An instant as a person in this zone says it: `03:08` today, `Mon 09:10` this week, else the date. */
export function formatMoment(iso: string | null, now: Date): string {
  if (iso === null) return '-';
  const moment = new Date(iso);
  const clock = moment.toLocaleTimeString('en-GB', time);
  if (moment.toDateString() === now.toDateString()) return clock;
  const days = Math.abs(now.getTime() - moment.getTime()) / 86_400_000;
  if (days < 6) return `${moment.toLocaleDateString('en-GB', { weekday: 'short' })} ${clock}`;
  const [month, day] = [moment.getMonth() + 1, moment.getDate()].map((n) =>
    String(n).padStart(2, '0'),
  );
  return `${moment.getFullYear()}-${month}-${day}`;
}
