import { describe } from 'vitest';
import { find } from '../agent/running-agent.ts';
import {
  attachesOf,
  earlyAttaches,
  seesInside,
  settles,
  type Terminal,
  test,
} from './terminals.ts';

const ROUNDS = 10;

describe.concurrent('three terminals and a foreign client on one session', () => {
  for (const agent of [true, false]) {
    test(`${agent ? 'with an agent' : 'alone'}: whoever came last comes back, once a restart`, async ({
      desk,
      expect,
    }) => {
      const { stage } = desk;
      stage.scale(5);
      const fleet = await stage.addFleet(['alpha'], { delays: { innerMs: 500 } });
      const alpha = find(fleet, 'alpha');
      if (agent) {
        await stage.startAgent({ watched: false });
        await stage.logs('baseline');
      }
      const ours: Terminal[] = [];
      let lastIn: Terminal | null = null;
      /** Puts whoever is in out. */
      const putIn = async (who: number): Promise<Terminal> => {
        const before = lastIn;
        let next: Terminal;
        if (who === 3) {
          next = desk.attachForeign(fleet, alpha);
        } else if (ours[who] === undefined) {
          next = desk.attach([alpha.key]);
          ours[who] = next;
        } else {
          next = ours[who];
          await next.presses('\r');
        }
        if (who === 3) await seesInside(next, fleet, alpha);
        else await settles(next, fleet, alpha);
        if (before !== null && ours.includes(before)) {
          await before.sees(`[${alpha.key} is attached elsewhere]`);
          await before.sees('q quits]');
        }
        lastIn = next;
        return next;
      };
      for (const who of [0, 1, 2]) await putIn(who);
      for (let round = 0; round < ROUNDS; round += 1) {
        const last = await putIn(round % 4);
        const before = attachesOf(fleet, alpha).length;
        await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
        await stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
        if (!ours.includes(last)) {
          await last.ended;
          lastIn = null;
          // Those that were put out look at nothing: a key of theirs is what comes next.
          expect(attachesOf(fleet, alpha)).toHaveLength(before);
          continue;
        }
        await settles(last, fleet, alpha);
        const since = attachesOf(fleet, alpha).slice(before);
        expect(since.map(({ ppid }) => ppid)).toEqual([last.pid]);
      }
      expect(earlyAttaches(fleet, alpha)).toEqual([]);
      const foreign = ROUNDS / 4;
      // Three at first, one a round, and one by itself in each round that was not the foreigner's.
      expect(attachesOf(fleet, alpha)).toHaveLength(3 + ROUNDS + (ROUNDS - Math.floor(foreign)));
    });
  }
});
