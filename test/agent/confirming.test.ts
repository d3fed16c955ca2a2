import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type ConfirmingParts, confirmUpdate } from '../../src/agent/confirming.ts';
import { nextPoll } from '../../src/fleet/cadence.ts';
import { newModel } from '../../src/fleet/model.ts';
import { windowsFrom } from '../../src/fleet/windows.ts';
import { absent, allNotices, listed, type Sketch, WatchedFleet } from '../fleet/watched-fleet.ts';

const MINUTE = 60_000;
const a = listed('a');
const back = listed('a', { life: 2, updated: true });

/** What a look brings: what it shows, or that it showed nothing after so long. */
type Seen = readonly Sketch[] | { readonly blindAfterMs: number };

let clockMs = 0;
beforeEach(() => {
  clockMs = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clockMs);
  return () => now.mockRestore();
});

/** A run of ours whose commands are over, and whose one session is still away. */
function endedRun(): WatchedFleet {
  const settings = { pollFullSeconds: 900, watchMinutes: 15, settleSeconds: 60 };
  const windows = windowsFrom({ ...settings, returnWindowSeconds: 600 }, 1);
  const fleet = new WatchedFleet(newModel(windows, allNotices));
  fleet.look([a]);
  fleet.send({ kind: 'run-began', id: 'r', origin: 'cli', scope: 'fleet', log: null });
  fleet.send({ kind: 'run-restarting', key: 'a' });
  fleet.look([absent('a')]);
  fleet.look([absent('a')]);
  fleet.send({ kind: 'run-ended', end: { kind: 'done' } });
  return fleet;
}

/** Confirms it with looks that show what there is to see at that time. */
async function confirm(fleet: WatchedFleet, seenAt: (passedMs: number) => Seen) {
  const looks: Partial<ConfirmingParts['looks']> = {
    async fresh() {
      const seen = seenAt(clockMs);
      const afterMs = 'blindAfterMs' in seen ? seen.blindAfterMs : 200;
      clockMs += afterMs;
      if (clockMs > 24 * 60 * MINUTE) throw new Error('it never ends');
      const { mode } = nextPoll(fleet.model);
      if ('blindAfterMs' in seen) fleet.lookBlindly({ afterMs, mode });
      else fleet.look(seen, { afterMs: afterMs + 3000, mode });
      return fleet.model;
    },
    async pause(ms) {
      clockMs += ms;
      return true;
    },
  };
  return confirmUpdate('r', [], {
    model: () => fleet.model,
    dispatch: (message) => fleet.send(message),
    looks: looks as ConfirmingParts['looks'],
    timeScale: 1,
  });
}

describe('an update whose commands are over', () => {
  it('is confirmed however long it was seen, where it was not blind for too long', async () => {
    const outcome = await confirm(endedRun(), (passedMs) => {
      if (passedMs < 5 * MINUTE) return [absent('a')];
      return passedMs < 15 * MINUTE ? { blindAfterMs: 15_000 } : [back];
    });
    expect(outcome).toMatchObject({ kind: 'ok', restarted: ['a'], failed: [] });
  });

  it.each([
    ['docker that is down', 15_000, 13],
    ['a docker that is frozen', 60_000, 14],
  ])('is given up after twelve minutes of %s', async (_, blindAfterMs, mostMinutes) => {
    const fleet = endedRun();
    const outcome = await confirm(fleet, () => ({ blindAfterMs }));
    expect(outcome).toMatchObject({ kind: 'stuck' });
    expect(clockMs).toBeGreaterThanOrEqual(12 * MINUTE);
    expect(clockMs).toBeLessThan(mostMinutes * MINUTE);
    expect(fleet.view).toMatchObject({ run: null, failures: [{ key: 'a', kind: 'stuck' }] });
  });

  it('is not given up for the time that this machine slept', async () => {
    const outcome = await confirm(endedRun(), (passedMs) => {
      if (passedMs < 9 * MINUTE) return { blindAfterMs: 15_000 };
      return passedMs < 60 * MINUTE ? { blindAfterMs: 5 * 60 * MINUTE } : [back];
    });
    expect(outcome).toMatchObject({ kind: 'ok', restarted: ['a'] });
  });
});
