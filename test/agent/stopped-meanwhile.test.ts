import { describe, expect } from 'vitest';
import { find, test, until } from './running-agent.ts';
import { askAgent, readOutput, readRuns, runsEnd } from './runs.ts';

describe.concurrent('a session that a person stops while an update of ours builds', () => {
  test('has ended: no alarm, and no failure of the update', async ({ stage }) => {
    stage.scale(10);
    stage.configure({ returnWindowSeconds: 10 });
    // Three seconds, in which the other one goes and its window runs out.
    const fleet = await stage.addFleet([
      { name: 'alpha', delays: { buildMs: 30_000 } },
      { name: 'bravo', stale: false },
    ]);
    const [alpha, bravo] = [find(fleet, 'alpha'), find(fleet, 'bravo')];
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    expect(await askAgent(stage.program)).toMatchObject({ kind: 'running' });
    await until(
      () => readOutput(stage.program).includes(`Refreshing images for ${alpha.key}`),
      () => `the build: ${readOutput(stage.program)}`,
    );
    await stage.sandy(fleet, '--stop', '--workspace', bravo.workspace).ended;
    await stage.logs('ended', bravo);
    await runsEnd(stage.program);
    const [run] = readRuns(stage.program);
    expect(run?.outcome).toMatchObject({ kind: 'ok', restarted: [alpha.key], failed: [] });
    expect(agent.newest().failures).toEqual([]);
    expect(await stage.noticesAtEnd(agent)).toEqual(['run-completed']);
  });
});
