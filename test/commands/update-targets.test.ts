import { rmSync } from 'node:fs';
import { describe, expect } from 'vitest';
import {
  type Fleet,
  readCalls,
  removeContainer,
  setKnobs,
  setLock,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { ask, changingCalls, readObjects, readOutcome } from '../agent/asking.ts';
import { find, test } from '../agent/running-agent.ts';

const probes = new Set(['--print-state', '--print-schema', '--print-version', '--version']);

/** What sandy was called with that is no probe. */
const asked = ({ dir }: Fleet) =>
  readCalls(dir)
    .map(({ argv }) => argv)
    .filter(([first = '']) => !probes.has(first));

describe.concurrent('an update of sessions', () => {
  test('one of which has lost its folder leaves that one out', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha', 'bravo', 'charlie']);
    const [alpha, bravo, charlie] = ['alpha', 'bravo', 'charlie'].map((name) => find(fleet, name));
    rmSync(alpha?.workspace ?? '', { recursive: true });
    await stage.startAgent({ watched: false });
    const scoped = await ask(stage, 'update', 'bravo', 'alpha', 'charlie', '--yes', '--json');
    expect(scoped.code).toBe(1);
    expect(readOutcome(scoped)).toMatchObject({
      kind: 'failed',
      failed: [{ key: alpha?.key, reason: 'has no workspace folder any more' }],
    });
    expect(readOutcome(scoped).restarted.toSorted()).toEqual([bravo?.key, charlie?.key]);
    expect(changingCalls(fleet).map(({ argv }) => argv.at(-1))).toEqual([
      bravo?.workspace,
      charlie?.workspace,
    ]);

    const alone = await ask(stage, 'update', 'alpha', '--yes', '--json');
    expect(alone.code).toBe(1);
    expect(readObjects(alone)).toMatchObject([{ event: 'refused', why: 'workspace-missing' }]);
    expect(await ask(stage, 'update', 'alpha', '--yes')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `The workspace folder of ${alpha?.key} is missing, and sandy does nothing without it. Put it back, or remove the sandbox.\n`,
    });
    expect(changingCalls(fleet)).toHaveLength(2);
  });

  test('all of them says of one without its folder why it was skipped', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const [alpha, bravo] = [find(fleet, 'alpha'), find(fleet, 'bravo')];
    setSession(fleet.dir, alpha.record, { workspaceMissing: true });
    const all = await ask(stage, 'update', '--all', '--yes', '--json');
    expect(all.code).toBe(0);
    expect(readOutcome(all)).toMatchObject({
      kind: 'ok',
      restarted: [bravo.key],
      skipped: [{ key: alpha.key, reason: 'workspace folder is missing' }],
      failed: [],
    });
  });

  test('that is not running offers to start it', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await agent.seesState(alpha, 'detached');
    removeContainer(fleet.dir, alpha.record);
    setLock(fleet.dir, alpha.key, 'free');
    await agent.seesState(alpha, 'ended');
    const refused = await ask(stage, 'update', 'alpha', '--yes', '--json');
    expect(refused.code).toBe(1);
    expect(readObjects(refused)).toMatchObject([
      {
        event: 'refused',
        why: 'no-session',
        text: `${alpha.key} is not running. Start it with \`sandy-tray start ${alpha.key}\`.`,
      },
    ]);
    const two = await ask(stage, 'update', 'alpha', 'bravo', '--yes', '--json');
    expect(two.code).toBe(1);
    expect(readOutcome(two)).toMatchObject({
      restarted: [find(fleet, 'bravo').key],
      failed: [{ key: alpha.key, reason: 'is not running' }],
    });
  });

  for (const verb of ['update', 'start', 'stop']) {
    test(`or ${verb} of a key that two folders claim is refused`, async ({ stage }) => {
      stage.scale(30);
      const key = 'both-12345678';
      const fleet = await stage.addFleet([
        { name: 'one', key, record: 'one' },
        { name: 'two', key, record: 'two', running: false },
      ]);
      const agent = await stage.startAgent();
      if (verb === 'start') {
        await agent.seesState(find(fleet, 'both'), 'detached');
        removeContainer(fleet.dir, 'one');
        setLock(fleet.dir, key, 'free');
        await agent.seesState(find(fleet, 'both'), 'ended');
      }
      const extra = verb === 'update' ? ['--yes'] : [];
      const plain = await ask(stage, verb, key, ...extra);
      expect(plain).toEqual({
        code: 1,
        stdout: '',
        stderr: `${key} is claimed by two workspaces. Remove one of the two sandboxes first.\n`,
      });
      const json = await ask(stage, verb, key, ...extra, '--json');
      expect(json.code).toBe(1);
      expect(readObjects(json)).toMatchObject([{ why: 'conflict' }]);
      expect(asked(fleet)).toEqual([]);
    });
  }
});

describe.concurrent('a sandy that is too old', () => {
  test('for updates is named with the version that is needed', async ({ stage }) => {
    const fleet = await stage.addFleet(['alpha'], { version: '1.1.0' });
    for (const target of ['alpha', '--all']) {
      expect(await ask(stage, 'update', target, '--yes')).toEqual({
        code: 69,
        stdout: '',
        stderr:
          'Sandy 1.1.0 has no --update-sessions; sandy 1.2.0 or newer is needed. Upgrade it with `sandy --upgrade`.\n',
      });
    }
    const json = await ask(stage, 'update', '--all', '--dry-run', '--json');
    expect(json.code).toBe(69);
    expect(readObjects(json)).toMatchObject([{ event: 'refused', why: 'too-old' }]);
    expect(asked(fleet)).toEqual([]);
  });

  test('for sessions of its own is named, whatever is asked', async ({ stage }) => {
    const fleet = await stage.addFleet(['alpha'], { version: '1.0.0' });
    for (const verb of ['start', 'stop']) {
      expect(await ask(stage, verb, 'alpha')).toEqual({
        code: 69,
        stdout: '',
        stderr: 'sandy 1.0.0 has no daemon sessions. They came with 1.1.0: sandy --upgrade\n',
      });
      const json = await ask(stage, verb, 'alpha', '--json');
      expect(json.code).toBe(69);
      expect(readObjects(json)).toMatchObject([{ kind: 'refused', why: 'too-old' }]);
    }
    expect((await ask(stage, 'update', '--all', '--yes')).code).toBe(69);
    expect(asked(fleet)).toEqual([]);
  });

  test('since yesterday is noticed by the agent that knew a newer one', async ({ stage }) => {
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await agent.seesState(alpha, 'detached');
    await agent.stop();
    setKnobs(fleet.dir, { version: '1.1.0' });
    const { code, stderr } = await ask(stage, 'update', 'alpha', '--yes');
    expect({ code, stderr }).toMatchObject({
      code: 69,
      stderr: expect.stringMatching(/^Sandy 1\.1\.0 has no --update-sessions;/),
    });
    expect(asked(fleet)).toEqual([]);
  });
});
