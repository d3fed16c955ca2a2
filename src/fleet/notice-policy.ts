/** Which happenings are worth a banner, and which of those wait for the end of quiet hours. */

import type { FleetEvent } from './events.ts';
import type { Effect } from './message.ts';
import type { Model } from './model.ts';
import { quietUntil } from './quiet-hours.ts';

/** When the quiet hours that hold now end; null when it is not quiet. */
export function quietNow(model: Model, at: number): number | null {
  return quietUntil(model.quiet.hours, at, model.utcOffsetMinutes);
}

/** Marks what is told with whether a banner is due; holds it back in quiet hours, and lets go after them. */
export function applyNoticePolicy(
  model: Model,
  effects: readonly Effect[],
  at: number,
): readonly [Model, readonly Effect[]] {
  const quiet = quietNow(model, at) !== null;
  let held = model.held;
  const decided = effects.map((effect): Effect => {
    if (effect.kind !== 'tell') return effect;
    const { event } = effect;
    const notice = event.noticeKind !== null && model.notify[event.noticeKind];
    // What came back while its alarm was held needs no alarm any more.
    if (event.kind === 'back') held = held.filter((other) => other.incident !== event.incident);
    const hold = notice && quiet && !passesQuiet(model, event);
    if (hold) held = [...held, event];
    return { kind: 'tell', event, notice, held: hold };
  });
  const [first] = held;
  if (quiet || first === undefined)
    return [held === model.held ? model : { ...model, held }, decided];
  const digest: Effect = { kind: 'digest', incident: `digest:${first.at}`, events: held };
  return [{ ...model, held: [] }, [...decided, digest]];
}

function passesQuiet(model: Model, event: FleetEvent): boolean {
  return model.quiet.failuresPass && (event.noticeKind === 'late' || event.noticeKind === 'failed');
}
