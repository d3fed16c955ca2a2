import { describe, expect, test } from 'vitest';
import { texts as agentTexts } from '../../src/agent/texts.ts';
import type { EventKind, FleetEvent, NoticeKind } from '../../src/fleet/events.ts';
import type { FinishedRun } from '../../src/fleet/finished-run.ts';
import { texts as fleetTexts } from '../../src/fleet/texts.ts';
import { composeDigest, composeNotice, gatherNotices } from '../../src/notify/composing.ts';

const formatTime = (at: number) => new Date(at).toISOString().slice(11, 16);
/** Those called `up…` are up, so that there is nothing to start. */
const setting = { formatTime, isStartable: (key: string) => !key.startsWith('up') };
const at = Date.parse('2026-11-29T03:12:00Z');

function happening(
  kind: EventKind,
  noticeKind: NoticeKind,
  parts: Partial<FleetEvent> = {},
): FleetEvent {
  return {
    at,
    kind,
    key: 'zork-1',
    incident: `${kind}:x`,
    noticeKind,
    text: `${kind} told.`,
    ...parts,
  };
}

function sumOf(parts: Partial<FinishedRun>): FleetEvent {
  const run: FinishedRun = {
    id: 'r',
    origin: 'outside',
    scope: 'fleet',
    startedAt: Date.parse('2026-11-29T03:02:00Z'),
    endedAt: Date.parse('2026-11-29T03:11:00Z'),
    restarted: [],
    skipped: [],
    failed: [],
    log: null,
    outcome: 'done',
    reason: null,
    seen: false,
    ...parts,
  };
  return happening('run-completed', 'overnight', { key: null, run });
}

const failed = (...keys: string[]) => keys.map((key) => ({ key, reason: 'did not come back' }));
const compose = (event: FleetEvent) =>
  composeNotice('k', event, event.noticeKind ?? 'late', setting);
const idsOf = (notice: { actions: readonly { id: string }[] }) =>
  notice.actions.map(({ id }) => id);

describe('the sum of a rolling restart', () => {
  test.each<[string, Partial<FinishedRun>, string, string, string | null, string[]]>([
    [
      'several',
      { restarted: ['a', 'b'] },
      'Rolling restart complete',
      '2 restarted, 0 failed, 03:02 to 03:11.',
      null,
      ['choose', 'log'],
    ],
    [
      'one',
      { restarted: ['a'] },
      'Rolling restart complete',
      'a was restarted for updates, 03:02 to 03:11.',
      'a',
      ['open', 'log'],
    ],
    [
      'one failed: it comes first, and the banner is about it',
      { restarted: ['a', 'b'], failed: failed('c') },
      'Rolling restart complete, 1 failed',
      'c did not come back. 2 restarted, 1 failed, 03:02 to 03:11.',
      'c',
      ['open', 'start', 'log'],
    ],
    [
      'many failed: three are named, all are counted',
      { restarted: [], failed: failed('c', 'd', 'e', 'f') },
      'Rolling restart complete, 4 failed',
      'c did not come back. d did not come back. e did not come back. 0 restarted, 4 failed, 03:02 to 03:11.',
      null,
      ['choose', 'log'],
    ],
    [
      'one failed that is up all the same: it can not be started',
      { restarted: ['a'], failed: failed('up-c') },
      'Rolling restart complete, 1 failed',
      'up-c did not come back. 1 restarted, 1 failed, 03:02 to 03:11.',
      'up-c',
      ['open', 'log'],
    ],
    [
      'some left as they were, within one minute',
      {
        restarted: ['a', 'b'],
        skipped: failed('c', 'd'),
        endedAt: Date.parse('2026-11-29T03:02:30Z'),
      },
      'Rolling restart complete',
      '2 restarted, 0 failed, at 03:02. 2 left as they were.',
      null,
      ['choose', 'log'],
    ],
  ])('%s', (_what, run, title, body, session, actions) => {
    const notice = compose(sumOf(run));
    expect(notice).toMatchObject({ title, body, session, urgency: 'normal' });
    expect(idsOf(notice)).toEqual(actions);
  });
});

test.each<[EventKind, NoticeKind, string, string, string[]]>([
  ['late', 'late', 'A session did not come back', 'critical', ['open', 'start', 'log']],
  ['down', 'failed', 'A session is down', 'critical', ['open', 'start', 'log']],
  ['start-failed', 'failed', 'A session could not start', 'critical', ['start-in-terminal', 'log']],
  ['back', 'back', 'A session is back', 'normal', ['open', 'log']],
  ['ended', 'ended', 'A session ended', 'normal', ['open', 'log']],
  ['quit', 'ended', 'A session ended', 'normal', ['open', 'log']],
])('%s', (kind, noticeKind, title, urgency, actions) => {
  const notice = compose(happening(kind, noticeKind));
  expect(notice).toMatchObject({
    key: 'k',
    at,
    title,
    urgency,
    session: 'zork-1',
    body: `${kind} told.`,
  });
  expect(idsOf(notice)).toEqual(actions);
});

test.each<[EventKind]>([['late'], ['down'], ['start-failed']])(
  '%s of one that sandy can not start offers no start',
  (kind) => {
    const notice = compose(happening(kind, 'failed', { key: 'up-1' }));
    expect(idsOf(notice)).toEqual(['open', 'log']);
  },
);

test.each([
  [fleetTexts.didNotComeBack, 'a did not come back.'],
  [fleetTexts.updateStepFailed, 'a could not be restarted and is down.'],
  [fleetTexts.stillRuns, 'a could not be restarted and still runs.'],
  [fleetTexts.notSeenRestarted, 'a was restarted, says sandy, but nobody saw that.'],
  [agentTexts.failedUnseen, 'a could not be restarted, says sandy.'],
  [agentTexts.notTried, 'a was not tried.'],
  [agentTexts.leftOut.conflict, 'a is claimed by two workspaces.'],
  [agentTexts.leftOut['no-session'], 'a is not running.'],
  [agentTexts.leftOut['workspace-missing'], 'a has no workspace folder any more.'],
])('“%s” is said of a session in a sentence', (reason, sentence) => {
  const { body } = compose(sumOf({ failed: [{ key: 'a', reason }] }));
  expect(body).toBe(`${sentence} 0 restarted, 1 failed, 03:02 to 03:11.`);
});

test('a run that failed or hangs offers what it printed', () => {
  const { run } = sumOf({});
  const failedRun = happening('run-failed', 'failed', { key: null, ...(run && { run }) });
  expect(idsOf(compose(failedRun))).toEqual(['output', 'log']);
  expect(compose(failedRun)).toMatchObject({ title: 'An update failed', urgency: 'critical' });
  const hung = happening('run-hung', 'failed', { key: null });
  expect(idsOf(compose(hung))).toEqual(['output', 'log']);
});

test('a banner names the runs that it tells of', () => {
  expect(compose(sumOf({ id: 'run-1' })).runs).toEqual(['run-1']);
  const hung = happening('run-hung', 'failed', { key: null, runId: 'run-2' });
  expect(compose(hung).runs).toEqual(['run-2']);
  expect(compose(happening('late', 'late')).runs).toEqual([]);
  const others = Array.from({ length: 6 }, () => happening('late', 'late'));
  const digestOf = (events: readonly FleetEvent[]) => composeDigest('d', events, setting);
  expect(digestOf([sumOf({ id: 'run-1' }), hung]).runs).toEqual(['run-2', 'run-1']);
  // What is only counted was not read.
  expect(digestOf([sumOf({ id: 'run-1' }), ...others]).runs).toEqual([]);
  expect(gatherNotices([compose(sumOf({ id: 'run-1' })), compose(hung)], formatTime).runs).toEqual([
    'run-2',
    'run-1',
  ]);
});

describe('a digest', () => {
  const digest = (events: readonly FleetEvent[]) => composeDigest('digest:1', events, setting);

  test('of one is that one', () => {
    const one = digest([happening('back', 'back')]);
    expect(one).toEqual({ ...compose(happening('back', 'back')), key: 'digest:1', kind: 'digest' });
  });

  test('of several puts what needs a person first', () => {
    const notice = digest([
      sumOf({ restarted: ['a', 'b'] }),
      happening('late', 'late', { at: at + 60_000 }),
      happening('back', 'back', { key: 'b' }),
    ]);
    expect(notice).toMatchObject({
      title: 'Meanwhile: one thing needs you',
      urgency: 'critical',
      session: null,
      body: '03:13 late told.\n03:12 2 restarted, 0 failed, 03:02 to 03:11.\n03:12 back told.',
    });
    expect(idsOf(notice)).toEqual(['choose', 'log']);
    expect(notice.alarms).toEqual([{ kind: 'session', key: 'zork-1' }]);
  });

  test('knows all that needs a person in it', () => {
    const { run } = sumOf({ id: 'r2' });
    const notice = digest([
      happening('late', 'late', { key: 'a' }),
      happening('back', 'back', { key: 'b' }),
      happening('run-hung', 'failed', { key: null, runId: 'r1' }),
      happening('run-failed', 'failed', { key: null, ...(run && { run }) }),
    ]);
    expect(notice.alarms).toEqual([
      { kind: 'session', key: 'a' },
      { kind: 'hung-run', id: 'r1' },
      { kind: 'failed-run', id: 'r2' },
    ]);
    expect(digest([happening('back', 'back'), sumOf({})]).alarms).toBeUndefined();
  });

  test('about one session alone opens it', () => {
    const notice = digest([happening('ended', 'ended'), happening('back', 'back')]);
    expect(notice).toMatchObject({ title: 'Meanwhile: 2 events', session: 'zork-1' });
    expect(idsOf(notice)).toEqual(['open', 'log']);
  });

  test('knows whom a sum in it is about', () => {
    const notice = digest([
      sumOf({ restarted: ['a', 'b'] }),
      happening('back', 'back', { key: 'b' }),
    ]);
    expect(notice.session).toBe(null);
  });

  test('of very many counts those that it does not tell', () => {
    const many = Array.from({ length: 9 }, (_, index) =>
      happening('back', 'back', { key: `s${index}` }),
    );
    const lines = digest(many).body.split('\n');
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)).toBe('3 more; see the log.');
  });
});

describe('what nothing was there to show', () => {
  const sum = compose(sumOf({ restarted: ['a', 'b'] }));
  const alarm = compose(happening('late', 'late', { at: at + 60_000 }));

  test('is one banner, what needs a person first', () => {
    const gathered = gatherNotices([sum, alarm], formatTime);
    expect(gathered.alarms).toEqual([{ kind: 'session', key: 'zork-1' }]);
    expect(gathered).toMatchObject({
      title: 'Meanwhile: one thing needs you',
      urgency: 'critical',
      session: null,
      body: '03:13 late told.\n03:12 2 restarted, 0 failed, 03:02 to 03:11.',
    });
    expect(idsOf(gathered)).toEqual(['choose', 'log']);
  });

  test('of one session opens that one', () => {
    const back = compose(happening('back', 'back', { at: at + 120_000 }));
    const gathered = gatherNotices([alarm, back], formatTime);
    expect(gathered.session).toBe('zork-1');
    expect(idsOf(gathered)).toEqual(['open', 'log']);
  });
});
