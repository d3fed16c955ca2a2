import { describe, expect } from 'vitest';
import { setKnobs } from '../../fixtures/fake-sandy/fleet.mjs';
import { ask } from './asking.ts';
import { find, takeAway, test } from './running-agent.ts';
import { askAgent } from './runs.ts';

const unreadable = { '--print-schema': { output: 'junk' } } as const;
const sentence =
  'sandy could not say which commands it has (sandy --print-schema), so updates, start and stop are not offered. It is asked again later.';

describe.concurrent('a sandy that could not say what it can do', () => {
  test('may update all the same: who does not come back is an alarm', async ({ stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }], {
      commands: unreadable,
    });
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    await takeAway(stage, fleet, alpha);
    await stage.logs('late', alpha);
    agent.signal('SIGTERM');
    expect((await agent.ended).code).toBe(0);
    expect(agent.stderr()).toBe(`${sentence}\n`);
  });

  test('is asked again by whoever wants an update', async ({ stage }) => {
    const fleet = await stage.addFleet(['alpha'], { commands: unreadable });
    await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    const refused = { kind: 'refused', why: 'unavailable', text: sentence };
    expect(await askAgent(stage.program)).toEqual(refused);
    for (const args of [
      ['update', '--all', '--yes'],
      ['stop', 'alpha'],
    ]) {
      expect(await ask(stage, ...args)).toEqual({ code: 69, stdout: '', stderr: `${sentence}\n` });
    }
    setKnobs(fleet.dir, { commands: { '--print-schema': {} } });
    expect(await askAgent(stage.program)).toMatchObject({ kind: 'running' });
    await stage.logs('run-completed');
  });
});
