import { describe } from 'vitest';
import { type Call, type Fleet, removeContainer } from '../../fixtures/fake-sandy/fleet.mjs';
import { find, until } from '../agent/running-agent.ts';
import { callsOf, settles, test } from './terminals.ts';

const SAMPLE = 10;

describe.concurrent('terminals that wait', () => {
  for (const count of [1, 3]) {
    test(`${count} of them, with an agent: only it looks, once a second`, async ({
      desk,
      expect,
    }) => {
      const { stage } = desk;
      stage.scale(2);
      const fleet = await stage.addFleet(['alpha', 'bravo', 'charlie']);
      const agent = await stage.startAgent({ watched: false });
      await stage.logs('baseline');
      const sessions = ['alpha', 'bravo', 'charlie']
        .slice(0, count)
        .map((name) => find(fleet, name));
      const terminals = sessions.map(({ key }) => desk.attach([key]));
      await Promise.all(
        terminals.map((terminal, index) =>
          settles(terminal, fleet, sessions[index] as (typeof sessions)[0]),
        ),
      );
      for (const { record } of sessions) removeContainer(fleet.dir, record);
      await Promise.all(terminals.map((terminal) => terminal.sees('is gone; it may')));
      const looks = await sampleLooks(fleet);
      expect(new Set(looks.map(({ ppid }) => ppid))).toEqual(new Set([agent.pid]));
      expectRhythm(looks, 1_000 / 2, expect);
    });
  }

  test('twenty of them, alone: one looks, all see it', async ({ desk, expect }) => {
    const { stage } = desk;
    stage.scale(1);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    removeContainer(fleet.dir, alpha.record);
    const cron = stage.sandy(fleet, '--update-sessions', '--yes');
    await until(
      () => cron.stdout().includes('Refreshing images'),
      () => 'the update',
    );
    const terminals = Array.from({ length: 20 }, () => desk.attach([alpha.workspace]));
    await Promise.all(terminals.map((terminal) => terminal.sees('restarts for an update')));
    const looks = await sampleLooks(fleet);
    // One alone would look a second after each answer; an answer is good for a second.
    expectRhythm(looks, 1_000, expect);
    for (const terminal of terminals) terminal.type('\x03');
    expect(new Set(await Promise.all(terminals.map((terminal) => terminal.ends())))).toEqual(
      new Set([4]),
    );
  });
});

/** The next looks that are over. */
async function sampleLooks(fleet: Fleet): Promise<readonly Call[]> {
  const before = callsOf(fleet, '--print-state').length;
  const since = () => callsOf(fleet, '--print-state').slice(before);
  await until(
    () =>
      since().length > SAMPLE &&
      since()
        .slice(0, SAMPLE)
        .every(({ exitedAt }) => exitedAt !== null),
    () => `${SAMPLE} looks`,
  );
  return since().slice(0, SAMPLE);
}

/** Never two at once, and with the whole delay after each. A tenth of it is jitter. */
function expectRhythm(
  looks: readonly Call[],
  delayMs: number,
  expect: import('vitest').ExpectStatic,
): void {
  const pauses = looks.slice(1).map(({ at }, index) => at - (looks[index]?.exitedAt ?? Infinity));
  expect(Math.min(...pauses)).toBeGreaterThan(delayMs * 0.85);
}
