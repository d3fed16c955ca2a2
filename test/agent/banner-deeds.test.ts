/** What a click on a banner asks for. */

import { expect, test } from 'vitest';
import { createBanners } from '../../src/agent/banners.ts';
import type { Deed } from '../../src/agent/deeds.ts';
import { newModel } from '../../src/fleet/model.ts';
import type { Notice, NotifierListener } from '../../src/notify/notifier.ts';
import { allNotices, defaultWindows } from '../fleet/watched-fleet.ts';
import { notice } from '../notify/notices.ts';

async function click(shown: Notice, actionId: string): Promise<readonly Deed[]> {
  const clicked: Deed[] = [];
  let hear: NotifierListener | null = null;
  const banners = await createBanners({
    start: async (listener) => {
      hear = listener;
      return {
        show: async () => ({ kind: 'shown', server: 'test', clickable: true }),
        withdraw: async () => {},
        close: async () => {},
      };
    },
    model: () => newModel(defaultWindows, allNotices),
    showsProgress: () => false,
    timeScale: 1,
    formatTime: () => '12:00',
    onClick: ({ action }) => clicked.push(action),
    warn: () => {},
  });
  await banners.show(shown);
  (hear as NotifierListener | null)?.onClick({ key: shown.key, actionId, activationToken: null });
  return clicked;
}

const offering = (id: string, runs?: readonly string[]) =>
  notice('digest', { session: null, actions: [{ id, label: id }], ...(runs && { runs }) });

test.each<[string, readonly string[] | undefined, readonly Deed[]]>([
  ['choose', undefined, [{ kind: 'choose', runs: [] }]],
  ['choose', ['run-1', 'run-2'], [{ kind: 'choose', runs: ['run-1', 'run-2'] }]],
  ['output', ['run-1'], [{ kind: 'show-run-log', id: 'run-1' }]],
  ['output', undefined, []],
])('%s of a banner about the runs %j', async (id, runs, deeds) => {
  expect(await click(offering(id, runs), id)).toEqual(deeds);
});
