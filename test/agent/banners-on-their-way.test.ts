/** What becomes of a banner whose words are no longer so, without a desktop. */

import { expect, test } from 'vitest';
import { createBanners } from '../../src/agent/banners.ts';
import type { Deed } from '../../src/agent/deeds.ts';
import type { FleetEvent } from '../../src/fleet/events.ts';
import { type Model, newModel } from '../../src/fleet/model.ts';
import { newRun, type RunPhase } from '../../src/fleet/runs.ts';
import { view } from '../../src/fleet/view.ts';
import { composeDigest, composeNotice, gatherNotices } from '../../src/notify/composing.ts';
import type { Notice, Notifier, ShowOutcome } from '../../src/notify/notifier.ts';
import { composeProgress } from '../../src/notify/own-notices.ts';
import { allNotices, defaultWindows } from '../fleet/watched-fleet.ts';
import { makeRow, withRows } from '../store/fleet-parts.ts';
import { run as runView } from '../tray/fleet-sketches.ts';

const lateOf = (key: string): FleetEvent => ({
  at: 0,
  kind: 'late',
  key,
  incident: `${key}:1`,
  noticeKind: 'late',
  text: `${key} did not come back.`,
});
const late = lateOf('zork-1');
const backOf = (key: string): FleetEvent => ({ ...lateOf(key), kind: 'back', noticeKind: 'back' });
const hung: FleetEvent = {
  at: 0,
  kind: 'run-hung',
  key: null,
  incident: 'run:r',
  noticeKind: 'failed',
  text: 'The update hangs.',
  runId: 'r',
};
const setting = { formatTime: () => '12:00', isStartable: () => true };
const shownBySomebody: ShowOutcome = { kind: 'shown', server: 'test', clickable: true };

const blank = newModel(defaultWindows, allNotices, { hours: null, failuresPass: true });

/** A fleet in which these are pinned, with a run `r` in a phase. */
function sketch(pinned: readonly string[], phase: RunPhase | null = null): Model {
  const rows = pinned.map((key) =>
    makeRow(key, { failure: { kind: 'late', at: 0, incident: key, text: '' } }),
  );
  const begun = { id: 'r', origin: 'menu', scope: 'fleet', startedAt: 0, log: null } as const;
  return { ...withRows(blank, rows), run: phase && { ...newRun(begun, 0), phase } };
}

/** Banners of a fleet, in which nothing is pinned unless it is given; `answer` is what the desktop says of the oldest. */
async function start(first = blank) {
  let model = first;
  const warned: string[] = [];
  const withdrawn: string[] = [];
  const waiting: ((outcome: ShowOutcome) => void)[] = [];
  const clicked: Deed[] = [];
  let clickOn = (_key: string, _actionId: string) => {};
  const notifier: Notifier = {
    show: () => new Promise((settle) => waiting.push(settle)),
    withdraw: async (key) => void withdrawn.push(key),
    close: async () => {},
  };
  const banners = await createBanners({
    start: async (desktop) => {
      clickOn = (key, actionId) => desktop.onClick({ key, actionId, activationToken: null });
      return notifier;
    },
    model: () => model,
    showsProgress: () => false,
    timeScale: 1,
    formatTime: () => '12:00',
    onClick: ({ action }) => clicked.push(action),
    warn: (sentence) => warned.push(sentence),
  });
  const answer = (outcome: ShowOutcome) => waiting.shift()?.(outcome);
  const note = (next = model) => {
    model = next;
    banners.note(view(model, 0));
  };
  const click = (key: string, actionId: string) => clickOn(key, actionId);
  return { banners, answer, warned, withdrawn, clicked, click, note };
}

const digest = () => composeDigest('digest:0', [late], setting);

test('an alarm that a digest told goes when its session is back', async () => {
  const { banners, answer, withdrawn } = await start();
  const shown = banners.show(digest());
  answer({ kind: 'shown', server: 'test', clickable: true });
  await shown;
  expect(withdrawn).toEqual(['digest:0']);
});

test('one that is taken down on its way is no banner that was not shown', async () => {
  const { banners, answer, warned, withdrawn, note } = await start();
  const shown = banners.show(digest());
  note();
  expect(withdrawn).toEqual(['digest:0']);
  answer({ kind: 'not-shown', reason: 'It was withdrawn' });
  await shown;
  expect(warned).toEqual([]);
});

test('one that an ending agent no longer shows is none either', async () => {
  const { banners, answer, warned } = await start();
  const shown = banners.show(digest());
  await banners.close();
  answer({ kind: 'not-shown', reason: 'It is closed' });
  await shown;
  expect(warned).toEqual([]);
});

test.each<[string, Model]>([
  ['moves again', sketch([], 'building')],
  ['is cancelled, or ended', sketch([])],
])('the alarm of an update that hangs goes when that %s', async (_when, then) => {
  const { banners, answer, withdrawn, note } = await start(sketch([], 'hung'));
  const shown = banners.show(composeNotice('hung', hung, 'failed', setting));
  answer(shownBySomebody);
  await shown;
  note();
  expect(withdrawn).toEqual([]);
  note(then);
  expect(withdrawn).toEqual(['hung']);
});

const several: Readonly<Record<string, (events: readonly FleetEvent[]) => Notice>> = {
  'a digest': (events) => composeDigest('several', events, setting),
  'a gathered banner': (events) => ({
    ...gatherNotices(
      events.map((event) => composeNotice('one', event, event.noticeKind ?? 'late', setting)),
      setting.formatTime,
    ),
    key: 'several',
  }),
};

test.each(Object.entries(several))(
  'several alarms in %s go once all of them are settled',
  async (_how, compose) => {
    const { banners, answer, withdrawn, note } = await start(sketch(['a', 'b'], 'hung'));
    const shown = banners.show(compose([backOf('c'), lateOf('a'), hung, lateOf('b')]));
    answer(shownBySomebody);
    await shown;
    for (const model of [sketch(['a', 'b'], 'hung'), sketch(['b'], 'hung'), sketch([], 'hung')]) {
      note(model);
      expect(withdrawn).toEqual([]);
    }
    note(sketch([]));
    expect(withdrawn).toEqual(['several']);
  },
);

test.each(Object.entries(several))('%s without an alarm stays', async (_how, compose) => {
  const { banners, answer, withdrawn, note } = await start();
  const shown = banners.show(compose([backOf('a'), backOf('b')]));
  answer(shownBySomebody);
  await shown;
  note();
  expect(withdrawn).toEqual([]);
});

test('one that could not be shown is in no log where it tells of progress, and nobody says so', async () => {
  const { banners, answer, warned } = await start();
  const shown = banners.show(composeProgress(runView(), 0));
  answer({ kind: 'not-shown', reason: 'Nothing shows notifications' });
  await shown;
  expect(warned).toEqual([
    'A banner was not shown: Nothing shows notifications. `sandy-tray log` says what happened, `sandy-tray status` how things are now.',
  ]);
});

test('a click on one of a start that failed opens a terminal to start it in', async () => {
  const { banners, answer, clicked, click } = await start(sketch(['a']));
  const failed: FleetEvent = { ...lateOf('a'), kind: 'start-failed', noticeKind: 'failed' };
  const notice = composeNotice('failed', failed, 'failed', setting);
  const shown = banners.show(notice);
  answer(shownBySomebody);
  await shown;
  expect(notice.actions[0]).toEqual({ id: 'start-in-terminal', label: 'Start in a terminal' });
  click('failed', 'start');
  expect(clicked).toEqual([]);
  click('failed', 'start-in-terminal');
  expect(clicked).toEqual([{ kind: 'start-in-terminal', key: 'a' }]);
});
