/** What becomes of a banner whose words are no longer so, without a desktop. */

import { expect, test } from 'vitest';
import { createBanners } from '../../src/agent/banners.ts';
import type { FleetEvent } from '../../src/fleet/events.ts';
import { newModel } from '../../src/fleet/model.ts';
import { view } from '../../src/fleet/view.ts';
import { composeDigest } from '../../src/notify/composing.ts';
import type { ShowOutcome } from '../../src/notify/notifier.ts';
import { allNotices, defaultWindows } from '../fleet/watched-fleet.ts';

const late: FleetEvent = {
  at: 0,
  kind: 'late',
  key: 'zork-1',
  incident: 'zork-1:1',
  noticeKind: 'late',
  text: 'zork-1 did not come back.',
};

/** Banners of a fleet in which nothing is pinned; `answer` is what the desktop says of the oldest. */
async function start() {
  const model = newModel(defaultWindows, allNotices, { hours: null, failuresPass: true });
  const warned: string[] = [];
  const withdrawn: string[] = [];
  const waiting: ((outcome: ShowOutcome) => void)[] = [];
  const banners = await createBanners({
    start: async () => ({
      show: () => new Promise((settle) => waiting.push(settle)),
      withdraw: async (key) => void withdrawn.push(key),
      close: async () => {},
    }),
    model: () => model,
    showsProgress: () => false,
    timeScale: 1,
    formatTime: () => '12:00',
    onClick: () => {},
    warn: (sentence) => warned.push(sentence),
  });
  const answer = (outcome: ShowOutcome) => waiting.shift()?.(outcome);
  return { banners, answer, warned, withdrawn, note: () => banners.note(view(model, 0)) };
}

const digest = () => composeDigest('digest:0', [late], () => '12:00');

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
