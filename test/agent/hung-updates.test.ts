import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import {
  livePids,
  NO_DELAYS,
  readCalls,
  sessionsOf,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { readSlot } from '../../src/store/slot.ts';
import { seesInside, test } from '../attach/terminals.ts';
import {
  ask,
  begin,
  callsOf,
  finish,
  killAgent,
  programArguments,
  readObjects,
  readOutcome,
  readStatus,
} from './asking.ts';
import { find, until } from './running-agent.ts';

/** A build that fails is never noticed: sandy tells each 20 s of its own time what it printed last. */
const hanging = { ...NO_DELAYS, heartbeatMs: 1_000 };

const lives = (dir: string) => sessionsOf(dir).map(({ container }) => container?.id);

/** Who lives and does not only look, as an agent does whenever it likes. */
function livingWorkers(dir: string): number[] {
  const looks = new Set(
    readCalls(dir).flatMap(({ argv, pid }) => (argv[0] === '--print-state' ? [pid] : [])),
  );
  return livePids(dir).filter((pid) => !looks.has(pid));
}

describe.concurrent('an update whose image build hangs', () => {
  test('is shown, told once, and ends when it is cancelled', async ({ desk }) => {
    const { stage } = desk;
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'fails' }], {
      delays: hanging,
    });
    const before = lives(fleet.dir);
    const bravo = find(fleet, 'bravo');
    const client = desk.attachForeign(fleet, bravo);
    await seesInside(client, fleet, bravo);
    const first = await stage.startAgent();

    const window = desk.open(process.execPath, programArguments('update', '--all', '--yes'));
    await first.sees(({ run }) => run?.phase === 'hung', 'an update that hangs');
    expect((await readStatus(stage)).run?.phase).toBe('hung');
    await window.sees('The image build has not moved for 15 minutes.');
    // The person may look at it for as long as it takes, also with another agent.
    const log = first.newest().run?.log ?? '';
    await until(
      () => readFileSync(log, 'utf8').includes('(2000s: '),
      () => 'a build that hangs for more than half an hour',
    );
    expect(first.newest().run?.phase).toBe('hung');
    await killAgent(first);
    const agent = await stage.startAgent();
    await agent.sees(({ run }) => run?.phase === 'hung', 'the same with a new agent');

    expect(await ask(stage, 'update', '--cancel')).toEqual({
      code: 0,
      stdout: 'The update was cancelled; no session was touched.\n',
      stderr: '',
    });
    await window.sees('Cancelled; 0 restarted before.');
    expect(await window.ends()).toBe(1);
    expect(livingWorkers(fleet.dir)).toEqual([client.pid]);
    expect(lives(fleet.dir)).toEqual(before);
    expect(client.isOver()).toBe(false);
    expect(await readSlot(stage.program.ownFolder)).toEqual({ kind: 'free' });
    const status = await readStatus(stage);
    expect(status).toMatchObject({
      run: null,
      failures: [],
      lastRun: { outcome: 'cancelled', restarted: [], failed: [] },
    });
    const hung = (await stage.readLog()).filter(({ kind }) => kind === 'run-hung');
    expect(hung).toMatchObject([{ notice: true }]);
    expect(await ask(stage, 'update', '--cancel')).toEqual({
      code: 0,
      stdout: 'Nothing to cancel: no update is running.\n',
      stderr: '',
    });
  });

  test('in its second step keeps what the first one did', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const [alpha, bravo] = [find(fleet, 'alpha'), find(fleet, 'bravo')];
    const agent = await stage.startAgent();
    const asked = begin(stage, 'update', 'alpha', 'bravo', '--yes', '--json');
    await until(
      () => callsOf(fleet, '--update-sessions').length === 2,
      () => 'the second step',
    );
    expect(await ask(stage, 'update', '--cancel')).toEqual({
      code: 0,
      stdout: 'The update was cancelled; what it had restarted before stays as it is.\n',
      stderr: '',
    });
    const { code, ...output } = await finish(asked);
    expect(code).toBe(1);
    expect(readOutcome(output)).toMatchObject({
      kind: 'cancelled',
      restarted: [alpha.key],
      failed: [],
    });
    expect(livingWorkers(fleet.dir)).toEqual([]);
    expect((await stage.logs('run-cancelled')).text).toBe(
      'The update was cancelled after 1 session had been restarted.',
    );
    await agent.seesState(bravo, 'detached');
  });

  test('and that nobody looks at ends by itself', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'fails' }], {
      delays: hanging,
    });
    const before = lives(fleet.dir);
    const agent = await stage.startAgent();
    const asked = await ask(stage, 'update', '--all', '--yes', '--json');
    expect(asked.code).toBe(1);
    expect(readOutcome(asked)).toMatchObject({ kind: 'failed', text: 'image build failed' });
    expect(readObjects(asked)).toContainEqual(expect.objectContaining({ phase: 'hung' }));
    expect(livingWorkers(fleet.dir)).toEqual([]);
    expect(lives(fleet.dir)).toEqual(before);
    expect((await stage.logs('run-failed')).text).toBe(
      'The update failed: image build failed. No session was restarted.',
    );
    await agent.sees(({ lastRun }) => lastRun?.outcome === 'failed', 'what it came to');

    setSession(fleet.dir, find(fleet, 'bravo').record, { build: 'ok' });
    const next = await ask(stage, 'update', '--all', '--yes', '--json');
    expect(next.code).toBe(0);
    expect(readOutcome(next).restarted.toSorted()).toEqual(
      ['alpha', 'bravo'].map((name) => find(fleet, name).key),
    );
    const kinds = (await stage.readLog()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith('run-'))).toEqual([
      'run-started',
      'run-hung',
      'run-failed',
      'run-started',
      'run-completed',
    ]);
  });
});
