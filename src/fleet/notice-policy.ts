/** Which happenings are worth a banner, and which of those wait for the end of quiet hours. */

import { alarmOf, isSettled } from './alarms.ts';
import { type FleetEvent, needsPerson } from './events.ts';
import type { Effect } from './message.ts';
import type { Model } from './model.ts';
import { quietUntil } from './quiet-hours.ts';

/** When the quiet hours that hold now end; null when it is not quiet. */
export function quietNow(model: Model, at: number): number | null {
  return quietUntil(model.quiet.hours, at, model.utcOffsetMinutes);
}

/** More banners than this within the window are no news but noise; what needs a person is never counted out. */
const MOST_BANNERS = 6;

/**
 * Marks what is told with whether a banner is due. Those of quiet hours are held back, and so are those that
 * came all at once, as after a sleep, and those that are too many; what is held is let go as one digest.
 */
export function applyNoticePolicy(
  model: Model,
  effects: readonly Effect[],
  at: number,
): readonly [Model, readonly Effect[]] {
  const quiet = quietNow(model, at) !== null;
  // A clock that was set back makes what is recent lie ahead.
  const recent = model.bannersAt.filter((then) => Math.abs(at - then) < model.windows.bannersMs);
  const crowd =
    effects.filter((effect) => isDue(model, effect) && !needsPerson(effect.event)).length > 1;
  let held = dropSettled(model);
  const shownAt: number[] = [];
  const isFull = () => recent.length + shownAt.length >= MOST_BANNERS;
  const decided = effects.map((effect): Effect => {
    if (effect.kind !== 'tell') return effect;
    const { event } = effect;
    // What came back while its alarm was held needs no alarm any more.
    if (event.kind === 'back') held = held.filter((other) => other.incident !== event.incident);
    if (!isDue(model, effect)) return { kind: 'tell', event, notice: false, held: false };
    const hold = needsPerson(event)
      ? quiet && !model.quiet.failuresPass
      : quiet || crowd || held.length > 0 || isFull();
    if (hold) held = [...held, event];
    else shownAt.push(at);
    return { kind: 'tell', event, notice: true, held: hold };
  });
  const [first] = held;
  const letGo = first !== undefined && !quiet && (!isFull() || held.some(needsPerson));
  if (letGo) shownAt.push(at);
  const bannersAt = shownAt.length === 0 ? model.bannersAt : [...recent, ...shownAt];
  const isSame = held === model.held && bannersAt === model.bannersAt;
  const next = isSame ? model : { ...model, held, bannersAt };
  if (!letGo) return [next, decided];
  const digest: Effect = { kind: 'digest', incident: `digest:${first.at}`, events: held };
  return [{ ...next, held: [] }, [...decided, digest]];
}

/** What was settled while it was held needs nobody any more, and its digest should not say so. */
function dropSettled(model: Model): Model['held'] {
  const isOver = (event: FleetEvent) => {
    const alarm = alarmOf(event);
    return alarm !== null && isSettled(alarm, model);
  };
  return model.held.some(isOver) ? model.held.filter((event) => !isOver(event)) : model.held;
}

function isDue(model: Model, effect: Effect): effect is Effect & { readonly kind: 'tell' } {
  if (effect.kind !== 'tell') return false;
  const { noticeKind } = effect.event;
  return noticeKind !== null && model.notify[noticeKind];
}
