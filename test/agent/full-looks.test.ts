import { describe, expect } from 'vitest';
import { setKnobs } from '../../fixtures/fake-sandy/fleet.mjs';
import { test } from './running-agent.ts';

describe.concurrent('a full look', () => {
  test('comes soon where docker came after the agent', async ({ stage }) => {
    // The next one that is due by the clock is a minute and a half away.
    stage.scale(10);
    const fleet = await stage.addFleet(['alpha', 'bravo'], { docker: 'down' });
    const agent = await stage.startAgent();
    await agent.sees(({ blindSince }) => blindSince !== null, 'nothing');
    setKnobs(fleet.dir, { docker: 'up' });
    const { badge } = await agent.sees(({ imagesCheckedAt: at }) => at !== null, 'the images');
    expect(badge).toEqual({ state: 'stale', count: 2 });
    await agent.stop();
  });
});
