/** Whether something happened in the night before a day, as people say "last night". */

const EVENING_HOUR = 20;
const MORNING_HOUR = 9;

/**
 * Whether `iso` fell between eight in the evening and nine in the morning, in the night before the day of
 * `now`, by the local clock. Before dawn the night is not over, and nothing was last night.
 */
export function isLastNight(iso: string, now: Date): boolean {
  const at = new Date(iso).getTime();
  const hour = (days: number, hours: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours).getTime();
  return (
    now.getHours() >= 5 &&
    at >= hour(-1, EVENING_HOUR) &&
    at < hour(0, MORNING_HOUR) &&
    at <= now.getTime()
  );
}
