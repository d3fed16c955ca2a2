/**
 * What the rules of evidence make of a whole series of looks, worked out backwards from all of it: which
 * absences must have had an alarm, and at which look. The fleet decides the same look by look.
 */

import type { Lock, SessionSight } from '../../src/fleet/observation.ts';
import type { Sample } from './host-observer.ts';

interface Seen {
  readonly index: number;
  readonly session: SessionSight | null;
  readonly lock: Lock;
}

export interface Verdict {
  readonly key: string;
  /** The looks in which it was not ready: from the first on, up to but without the next ready one. */
  readonly from: number;
  readonly to: number;
  /** The look that must bring the alarm; null when none may come for this absence. */
  readonly alarmAt: number | null;
}

const WINDOW_MS = 90_000;
const QUIT_MS = 15_000;
const NOT_ATTACHABLE_MS = 600_000;
const LATE_MS = 30_000;
const RECENT_MS = 30 * 60_000;

const isReady = ({ session }: Seen) => session !== null && session.attachedClients !== null;

function isOld({ index, session }: Seen, samples: readonly Sample[]): boolean {
  const stamp = /^(\S+) (\S+) /.exec(session?.incarnation.startedAt ?? '');
  const startedAt = Date.parse(`${stamp?.[1]}T${stamp?.[2]}Z`);
  return (samples[index]?.message.at ?? 0) - startedAt >= 600_000;
}

export function judgeHistory(samples: readonly Sample[], keys: readonly string[]): Verdict[] {
  const awake = countAwake(samples);
  const returns = keys.flatMap((key) =>
    findUpdateReturns(look(samples, key), samples).map((at) => ({ key, at })),
  );
  return keys.flatMap((key) => judgeKey(key, samples, awake, returns));
}

/** What the sighted looks showed of one key. */
function look(samples: readonly Sample[], key: string): Seen[] {
  return samples.flatMap(({ observation }, index) => {
    if (observation.kind === 'blind') return [];
    const session = observation.sessions.find((one) => one.key === key) ?? null;
    const lock = observation.sandboxes.find((one) => one.key === key)?.lock ?? { kind: 'unknown' };
    return [{ index, session, lock }];
  });
}

/** Awake, sighted time at the end of each look. */
function countAwake(samples: readonly Sample[]): number[] {
  let total = 0;
  return samples.map(({ observation, gapMs, capMs }, index) => {
    const before = samples[index - 1]?.observation.kind;
    if (observation.kind === 'sighted' && before === 'sighted') total += Math.min(gapMs, capMs);
    return total;
  });
}

/** The looks at which a key was ready under a life that an update made, and was known before. */
function findUpdateReturns(seen: readonly Seen[], samples: readonly Sample[]): number[] {
  const known = seen.filter((one, at) => isReady(one) || (at === 0 && isOld(one, samples)));
  return known.flatMap((now, at) => {
    const before = known[at - 1]?.session?.incarnation;
    const life = now.session?.incarnation;
    if (before === undefined || life === undefined || before.id === life.id) return [];
    return life.updatedAt !== null && life.updatedAt !== before.updatedAt ? [now.index] : [];
  });
}

function judgeKey(
  key: string,
  samples: readonly Sample[],
  awake: readonly number[],
  returns: readonly { readonly key: string; readonly at: number }[],
): Verdict[] {
  const seen = look(samples, key);
  const verdicts: Verdict[] = [];
  for (let at = 0; at < seen.length; at += 1) {
    const now = seen[at];
    // One that was silent when it was first seen is known all the same if its container is old.
    const before = at === 0 ? now : seen[at - 1];
    if (before === undefined || now === undefined || isReady(now)) continue;
    if (at === 0 ? !isOld(now, samples) : !isReady(before)) continue;
    const rest = seen.slice(at);
    const length = rest.findIndex(isReady);
    const stretch = length < 0 ? rest : rest.slice(0, length);
    verdicts.push(judgeStretch(key, before, stretch, samples, awake, returns));
  }
  return verdicts;
}

function judgeStretch(
  key: string,
  before: Seen,
  stretch: readonly Seen[],
  samples: readonly Sample[],
  awake: readonly number[],
  returns: readonly { readonly key: string; readonly at: number }[],
): Verdict {
  const from = stretch[0]?.index ?? 0;
  const to = (stretch.at(-1)?.index ?? 0) + 1;
  const none: Verdict = { key, from, to, alarmAt: null };
  const baseline = before.session?.incarnation;
  const isEnding = ({ session }: Seen) => session?.incarnation.id === baseline?.id;
  const begins = stretch.findIndex((one) => !isEnding(one));
  const first = stretch[begins];
  if (first === undefined || baseline === undefined) return none;
  const awakeAt = (index: number) => awake[index] ?? 0;

  const silent = stretch[0];
  const lastSilent = stretch[begins - 1];
  const silentMs =
    silent !== undefined && lastSilent !== undefined
      ? awakeAt(lastSilent.index) - awakeAt(silent.index)
      : 0;

  const hasEvidence = (until: number): boolean => {
    let listedBefore = stretch[begins - 1] ?? before;
    let freeSeen = listedBefore.lock.kind === 'free';
    for (const one of stretch.slice(begins, until + 1)) {
      if (one.session !== null) {
        // (e) listed under a life that an update made.
        const { updatedAt } = one.session.incarnation;
        if (updatedAt !== null && updatedAt !== baseline.updatedAt) return true;
        listedBefore = one;
        freeSeen = one.lock.kind === 'free';
        continue;
      }
      // (b) nobody listed, and somebody else holds the lock.
      if (one.lock.kind === 'free') freeSeen = true;
      if (one.lock.kind === 'held') {
        const old = listedBefore.lock;
        if (freeSeen || (old.kind === 'held' && old.pid !== one.lock.pid)) return true;
      }
    }
    // (c) an update process when the vanishing was noticed.
    const answer = first.session === null ? samples[first.index]?.looked : null;
    const concerned = answer?.some(
      ({ dryRun, ours, workspace }) =>
        !dryRun && !ours && (workspace === null || workspace === `/ws/${key}`),
    );
    if (concerned === true && until > begins) return true;
    // (d) noticed late, and another came back updated.
    const sighted = samples.flatMap(({ observation }, index) =>
      observation.kind === 'sighted' && index < first.index ? [index] : [],
    );
    const lastMs = samples[sighted.at(-1) ?? -1]?.endMs ?? Number.NEGATIVE_INFINITY;
    const noticedMs = samples[first.index]?.endMs ?? 0;
    if (noticedMs - lastMs <= LATE_MS) return false;
    return stretch
      .slice(begins, until + 1)
      .some(({ index }) =>
        returns.some(
          (other) =>
            other.key !== key &&
            other.at <= index &&
            awakeAt(index) - awakeAt(other.at) <= RECENT_MS,
        ),
      );
  };

  for (let at = begins + 1; at < stretch.length; at += 1) {
    const now = stretch[at];
    const sample = samples[now?.index ?? 0];
    if (now === undefined || sample === undefined) break;
    const confirmed = at === begins + 1 && first.session === null && now.session === null;
    if (confirmed && silentMs >= QUIT_MS && !hasEvidence(at)) return none;
    if (awakeAt(now.index) - awakeAt(first.index) < WINDOW_MS || sample.gapMs > sample.capMs)
      continue;
    if (hasEvidence(at)) return { ...none, alarmAt: now.index };
    // Ended. Listed, it is somebody's start that takes its time, and the watch goes on for a while.
    const silentSince = listedSince(stretch, at);
    if (silentSince === null) return none;
    if (awakeAt(now.index) - awakeAt(silentSince) >= NOT_ATTACHABLE_MS) return none;
  }
  return none;
}

/** The look since which a silent session is listed under the life that it has now. */
function listedSince(stretch: readonly Seen[], at: number): number | null {
  const id = stretch[at]?.session?.incarnation.id;
  if (id === undefined) return null;
  let since = at;
  while (stretch[since - 1]?.session?.incarnation.id === id) since -= 1;
  return stretch[since]?.index ?? null;
}
