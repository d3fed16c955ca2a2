import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { destroyFleet, replaceContainer } from '../../fixtures/fake-sandy/fleet.mjs';
import { expectFine, find, takeAway, test } from './running-agent.ts';

const UPDATED = '2026-01-02T03:04:01Z';
const HOUR_MS = 3_600_000;
/** A zone far from UTC: a clock that is read in the wrong one is hours off. */
const TZ = 'Pacific/Kiritimati';

/** From two hours ago to two hours from now, by the clock of that zone. */
function spanAroundNow(): string {
  const [from, to] = [-2, 2].map((hours) =>
    new Date(Date.now() + hours * HOUR_MS).toLocaleTimeString('en-GB', {
      timeZone: TZ,
      hour: '2-digit',
      minute: '2-digit',
    }),
  );
  return `${from}-${to}`;
}

describe.concurrent('quiet hours', () => {
  test('hold banners back for one digest, but no failures', async ({ stage }) => {
    stage.scale(20);
    stage.configure({ quietHours: spanAroundNow(), pollFullSeconds: 60 });
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const [alpha, bravo] = [find(fleet, 'alpha'), find(fleet, 'bravo')];
    const first = await stage.startAgent({ variables: { TZ } });
    await stage.logs('baseline');
    replaceContainer(fleet.dir, alpha.record, { updatedAt: UPDATED });
    expect((await stage.logs('run-completed')).notice).toBe(true);
    const quiet = await first.sees((status) => status.quiet?.held === 1, 'one notice held');
    expect(Date.parse(quiet.quiet?.until ?? '') - Date.now()).toBeGreaterThan(HOUR_MS);

    const cron = await takeAway(stage, fleet, bravo);
    await stage.logs('late', bravo);
    cron.child.kill();
    await cron.ended;
    replaceContainer(fleet.dir, bravo.record, { updatedAt: UPDATED });
    await stage.logs('back', bravo);
    await first.sees((status) => status.quiet?.held === 2, 'two notices held');
    await first.stop();
    expect(first.banners()).toEqual([expect.stringContaining(`${bravo.key} did not come back`)]);

    // Held ones outlive the agent, and its next life begins in the same hours.
    const second = await stage.startAgent({ variables: { TZ } });
    await second.sees(({ poll }) => poll.reason === 'idle', 'a look');
    expect(second.newest().quiet?.held).toBe(2);
    expect(second.banners()).toEqual([]);
    expectFine(await stage.program.run(['config', 'set', 'quietHours', 'null']));
    await second.sees(({ quiet }) => quiet === null, 'the end of the quiet');
    expect(await stage.noticesAtEnd(second)).toEqual(['run-completed', 'late bravo', 'back bravo']);
    expect(second.banners()).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d Meanwhile: 2 events: \d\d:\d\d alpha-\w+ was restarted for updates, .*\. \d\d:\d\d bravo-\w+ is back after .*\.$/,
      ),
    ]);
  });

  test('hold on where an agent takes over a run that was left', async ({ stage }) => {
    stage.scale(20);
    stage.configure({ quietHours: spanAroundNow(), pollFullSeconds: 60 });
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const first = await stage.startAgent({ variables: { TZ } });
    await stage.logs('baseline');
    replaceContainer(fleet.dir, find(fleet, 'alpha').record, { updatedAt: UPDATED });
    await first.sees((status) => status.quiet?.held === 1, 'one notice held');
    const update = stage.start(['update', '--all', '--yes']);
    await first.sees(({ run }) => run?.phase === 'building', 'the run');
    first.signal('SIGKILL');
    await first.ended;
    const second = await stage.startAgent({ variables: { TZ } });
    await second.sees(({ poll, run }) => run !== null && poll.lastMs !== null, 'a look');
    expect(second.newest().quiet?.held).toBe(1);
    expectFine(await stage.program.run(['update', '--cancel']));
    await update.ended;
    await second.stop();
    expect(second.banners()).toEqual([]);
    await destroyFleet(fleet.dir);
  });

  test('hold failures too where a person wants that, until the clock ends them', async ({
    stage,
  }) => {
    stage.scale(20);
    stage.configure({ quietHours: spanAroundNow(), notify: { failedInQuietHours: false } });
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const shiftFile = join(stage.program.folder, 'clock-shift');
    const agent = await stage.startAgent({
      variables: { TZ, CLOCK_SHIFT_FILE: shiftFile },
      preloads: [join(import.meta.dirname, 'shifted-clock-preload.mjs')],
    });
    await stage.logs('baseline');
    await takeAway(stage, fleet, alpha);
    await stage.logs('late', alpha);
    const held = await agent.sees(({ quiet }) => quiet?.held === 1, 'the alarm held');
    expect(held.badge).toEqual({ state: 'attention', count: 1 });
    expect(agent.banners()).toEqual([]);
    writeFileSync(shiftFile, String(3 * HOUR_MS));
    await agent.sees(({ quiet }) => quiet === null, 'the end of the quiet');
    expect(await stage.noticesAtEnd(agent)).toEqual(['late alpha']);
    expect(agent.banners()).toEqual([expect.stringContaining(`${alpha.key} did not come back`)]);
  });
});
