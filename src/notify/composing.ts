/** PURE: which banner a happening makes. */

import { type Alarm, alarmOf } from '../fleet/alarms.ts';
import { type FleetEvent, type NoticeKind, needsPerson } from '../fleet/events.ts';
import type { FinishedRun, KeyedReason } from '../fleet/finished-run.ts';
import type { Notice, NoticeAction } from './notifier.ts';
import { texts } from './texts.ts';

/** What a click does; the ids of a notice's actions. */
export type NoticeActionId = keyof typeof texts.actions;

/** Failed sessions that a sum names; the count has all of them, and the menu names each. */
const NAMED_FAILURES = 3;

/** Happenings of a digest that it tells one by one. */
const DIGEST_EVENTS = 6;

/** What a banner needs besides what happened. */
export interface Setting {
  /** Writes a wall time as people here do. */
  readonly formatTime: (at: number) => string;
  /** Whether a session can be started now, and may need it. */
  readonly isStartable: (key: string) => boolean;
}

/** The banner of one happening. */
export function composeNotice(
  key: string,
  event: FleetEvent,
  kind: NoticeKind,
  setting: Setting,
): Notice {
  const { at, run } = event;
  const common = { key, kind, at, runs: runsOf(event) };
  if (run !== undefined && event.kind === 'run-completed') {
    return { ...common, ...composeSum(run, setting) };
  }
  const alarm = alarmOf(event);
  return {
    ...common,
    session: event.key,
    title: texts.titles[event.kind] ?? texts.otherTitle,
    body: event.text,
    urgency: alarm === null ? 'normal' : 'critical',
    ...(alarm === null ? {} : { alarms: [alarm] }),
    actions: chooseActions(event, setting),
  };
}

/** What hangs has no sum yet, and is only named. */
function runsOf({ run, runId }: FleetEvent): readonly string[] {
  const id = run?.id ?? runId;
  return id === undefined ? [] : [id];
}

function chooseActions(event: FleetEvent, setting: Setting): readonly NoticeAction[] {
  const { key, kind } = event;
  // Without a session it is about an update of ours, and the reason stands in what that printed.
  if (key === null) return pick(['output', 'log']);
  const isStartable = needsPerson(event) && setting.isStartable(key);
  // What has just failed where nobody could answer it fails there again.
  if (isStartable && kind === 'start-failed') return pick(['start-in-terminal', 'log']);
  return pick(chooseFor(isStartable));
}

/** One summary of a rolling restart: what failed comes first, and the sum has its times. */
function composeSum(
  { restarted, failed, skipped, startedAt, endedAt }: FinishedRun,
  { formatTime, isStartable }: Setting,
): Pick<Notice, 'session' | 'title' | 'body' | 'urgency' | 'actions'> {
  const span = texts.span(formatTime(startedAt), formatTime(endedAt));
  const named = failed.slice(0, NAMED_FAILURES);
  const session = aboutOne(restarted, failed);
  const hasFailed = failed.length > 0;
  const sentences = [
    ...named.map(({ key, reason }) => texts.failedSession(key, reason)),
    ...(restarted.length === 1 && !hasFailed
      ? [texts.restartedOne(session ?? '', span)]
      : [texts.sum(restarted.length, failed.length, span)]),
    ...(skipped.length > 0 ? [texts.skipped(skipped.length)] : []),
  ];
  return {
    session,
    title: texts.sumTitle(failed.length),
    body: sentences.join(' '),
    urgency: 'normal',
    actions: pick(
      session === null ? ['choose', 'log'] : chooseFor(hasFailed && isStartable(session)),
    ),
  };
}

/** With one that failed the sum is about it, as whoever clicks wants to mend it. */
function aboutOne(restarted: readonly string[], failed: readonly KeyedReason[]): string | null {
  const [onlyFailed, ...moreFailed] = failed;
  if (onlyFailed !== undefined) return moreFailed.length === 0 ? onlyFailed.key : null;
  const [only, ...more] = restarted;
  return only !== undefined && more.length === 0 ? only : null;
}

function chooseFor(isStartable: boolean): readonly NoticeActionId[] {
  return isStartable ? ['open', 'start', 'log'] : ['open', 'log'];
}

/** One banner for all that was held back; what needs a person comes first. */
export function composeDigest(
  key: string,
  events: readonly FleetEvent[],
  setting: Setting,
): Notice {
  const [first, ...rest] = events;
  if (first?.noticeKind && rest.length === 0) {
    return { ...composeNotice(key, first, first.noticeKind, setting), kind: 'digest' };
  }
  const needy = events.filter(needsPerson);
  const ordered = [...needy, ...events.filter((event) => !needsPerson(event))];
  const foremost = ordered.slice(0, DIGEST_EVENTS);
  const told = foremost.map((event) => {
    const { kind, run, at, text } = event;
    const isSum = kind === 'run-completed' && run !== undefined;
    return `${setting.formatTime(at)} ${isSum ? composeSum(run, setting).body : text}`;
  });
  const at = events.at(-1)?.at ?? 0;
  const alarms = needy.flatMap((event) => alarmOf(event) ?? []);
  const runs = foremost.flatMap(runsOf);
  return frameDigest({ key, at, told, runs, count: events.length, needy: needy.length, alarms }, [
    ...new Set(events.flatMap(concerned)),
  ]);
}

/** One banner for several that nothing was there to show; those that need a person come first. */
export function gatherNotices(
  notices: readonly Notice[],
  formatTime: (at: number) => string,
): Notice {
  const needy = notices.filter(({ urgency }) => urgency === 'critical');
  const ordered = [...needy, ...notices.filter(({ urgency }) => urgency !== 'critical')];
  const foremost = ordered.slice(0, DIGEST_EVENTS);
  const told = foremost.map(({ at, body }) => `${formatTime(at)} ${body.replaceAll('\n', ' ')}`);
  const at = notices.at(-1)?.at ?? 0;
  const alarms = notices.flatMap((notice) => notice.alarms ?? []);
  const runs = foremost.flatMap((notice) => notice.runs ?? []);
  return frameDigest(
    { key: `gathered:${at}`, at, told, runs, count: notices.length, needy: needy.length, alarms },
    [...new Set(notices.map(({ session }) => session))],
  );
}

interface DigestParts {
  readonly key: string;
  readonly at: number;
  /** The first happenings, in words; the others are counted. */
  readonly told: readonly string[];
  readonly runs: readonly string[];
  readonly count: number;
  readonly needy: number;
  readonly alarms: readonly Alarm[];
}

/** @param sessions that it is about; null among them: several, or none */
function frameDigest(
  { key, at, told, runs, count, needy, alarms }: DigestParts,
  sessions: readonly (string | null)[],
): Notice {
  const hidden = count - told.length;
  const [onlySession = null] = sessions.length === 1 ? sessions : [];
  return {
    key,
    kind: 'digest',
    at,
    session: onlySession,
    runs,
    title: needy > 0 ? texts.digestNeedsYou(needy) : texts.digest(count),
    body: [...told, ...(hidden > 0 ? [texts.moreEvents(hidden)] : [])].join('\n'),
    urgency: needy > 0 ? 'critical' : 'normal',
    ...(alarms.length === 0 ? {} : { alarms }),
    actions: pick(onlySession === null ? ['choose', 'log'] : ['open', 'log']),
  };
}

function concerned({ key, run }: FleetEvent): readonly string[] {
  const ofRun = run === undefined ? [] : [...run.failed.map((one) => one.key), ...run.restarted];
  return key === null ? ofRun : [key];
}

function pick(ids: readonly NoticeActionId[]): readonly NoticeAction[] {
  return ids.map((id) => ({ id, label: texts.actions[id] }));
}
