import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import {
  type SessionKnobs,
  type SessionSpec,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { newRunId, openRunFolders } from '../../src/store/run-folders.ts';
import type { RunStep } from '../../src/store/run-record.ts';
import { test } from '../attach/terminals.ts';
import {
  ask,
  begin,
  changingCalls,
  finish,
  killAgent,
  programArguments,
  readFailures,
  readOutcome,
} from './asking.ts';
import { find, stateOf } from './running-agent.ts';

interface Failing {
  readonly spec: SessionSpec;
  readonly kind: string;
  readonly text: RegExp;
  readonly reason: string;
  /** What is mended before it is started in a terminal. */
  readonly mended: SessionKnobs;
  readonly approves?: boolean;
}

const gone = /^alpha-\w+ is down: sandy reported that stopping it failed, and it is gone\./;
const notStarted =
  /^alpha-\w+ is down: the update stopped it and could not start it again\. Sandy gives no reason; start it in a terminal to see one\.$/;
const notBack =
  /^alpha-\w+ did not come back: it went away for an update and is not back after \d+ min( \d+ s)?\.$/;

const failing: Readonly<Record<string, Failing>> = {
  'stopped too late for sandy': {
    spec: { delays: { stopMs: 2_000, stopLimitMs: 500 } },
    kind: 'update-failed',
    text: gone,
    reason: 'could not be restarted and is down',
    mended: { delays: {} },
  },
  'that needs an approval': {
    spec: { needsApproval: true, approved: false },
    kind: 'update-failed',
    text: notStarted,
    reason: 'could not be restarted and is down',
    mended: {},
    approves: true,
  },
  'that cannot be launched': {
    spec: { start: 'run-fails', delays: { startTimeoutMs: 10_000 } },
    kind: 'update-failed',
    text: notStarted,
    reason: 'could not be restarted and is down',
    mended: { start: 'ok' },
  },
  'whose container crashes': {
    spec: { start: 'crash-loop', delays: { crashLoopMs: 20_000 } },
    kind: 'update-failed',
    text: notStarted,
    reason: 'could not be restarted and is down',
    mended: { start: 'ok' },
  },
  'whose lock lingers': {
    spec: { delays: { lockLingersMs: 90_000, startTimeoutMs: 300_000, stopLimitMs: 600_000 } },
    kind: 'update-failed',
    text: notStarted,
    reason: 'could not be restarted and is down',
    mended: { delays: {} },
  },
  'that sandy only claims to have restarted': {
    spec: { start: 'claimed' },
    kind: 'late',
    text: notBack,
    reason: 'did not come back',
    mended: { start: 'ok' },
  },
};

describe.concurrent('an update of a session', () => {
  for (const [name, { spec, kind, text, reason, mended, approves }] of Object.entries(failing)) {
    test(`${name} pins it until a person has started it`, async ({ desk }) => {
      const { stage } = desk;
      stage.scale(30);
      const fleet = await stage.addFleet([
        { name: 'alpha', lockPid: process.pid, ...spec },
        { name: 'bravo', lockPid: process.pid },
      ]);
      const [alpha, bravo] = [find(fleet, 'alpha'), find(fleet, 'bravo')];
      const first = await stage.startAgent();
      const asked = await ask(stage, 'update', '--all', '--yes', '--json');
      expect(asked.code).toBe(1);
      expect(readOutcome(asked)).toMatchObject({
        kind: 'failed',
        restarted: [bravo.key],
        failed: [{ key: alpha.key, reason }],
      });
      const pinned = await readFailures(stage);
      expect(pinned).toMatchObject([{ key: alpha.key, kind, text: expect.stringMatching(text) }]);

      await killAgent(first);
      const agent = await stage.startAgent();
      expect(await readFailures(stage)).toEqual(pinned);
      expect(agent.newest().badge).toEqual({ state: 'attention', count: 1 });
      expect((await ask(stage, 'status')).code).toBe(3);

      setSession(fleet.dir, alpha.record, mended);
      const window = desk.open(process.execPath, programArguments('start', 'alpha'));
      if (approves === true) {
        await window.sees('Approve? [y/N]');
        window.type('y\r');
      }
      await window.sees(`${alpha.key} is running.`);
      expect(await window.ends()).toBe(0);
      await agent.sees(
        (status) => status.failures.length === 0 && stateOf(status, alpha) === 'detached',
        'it back',
      );
      expect(await readFailures(stage)).toEqual([]);
      const log = (await stage.readLog()).filter(({ key }) => key === alpha.key);
      // The pin was told once, however often an agent was started.
      expect(log.filter(({ kind }) => kind === 'late' || kind === 'down')).not.toHaveLength(0);
      expect(log.filter(({ kind, notice }) => kind !== 'back' && notice)).toHaveLength(1);
      expect(log.at(-1)?.kind).toBe('back');
    });
  }

  test('that had failed when its agent died is told, and the others are carried out', async ({
    stage,
  }) => {
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const sessions = [find(fleet, 'alpha'), find(fleet, 'bravo')];
    const steps = sessions.map(({ key, workspace }): RunStep => {
      const args = ['--update-sessions', '--yes', '--workspace', workspace];
      const rest = { exitCode: null, signal: null, outcome: null };
      return {
        key,
        workspace,
        args,
        logFrom: 0,
        process: null,
        startedAt: null,
        endedAt: null,
        ...rest,
      };
    });
    const now = Date.now();
    const id = newRunId(now);
    const folders = openRunFolders(stage.program.ownFolder);
    folders.create({
      id,
      op: 'update',
      origin: 'cli',
      onTerminal: false,
      keys: sessions.map(({ key }) => key),
      idleForMinutes: null,
      rebuild: false,
      askedAt: now,
      steps: steps.map((step, index) =>
        index === 0 ? { ...step, startedAt: now, endedAt: now, exitCode: 1 } : step,
      ),
      wish: null,
      outcome: null,
      endedAt: null,
    });
    writeFileSync(folders.logPath(id), '[sandy] Found 1 daemon session(s).\nno space left\n');
    const agent = await stage.startAgent();
    const { text } = await stage.logs('run-failed');
    expect(text).toBe(
      'The update failed: sandy ended with code 1, and its last words were: no space left. 1 session was restarted.',
    );
    await agent.sees(({ run }) => run === null, 'its end');
    const [call, ...more] = changingCalls(fleet).filter(
      ({ argv }) => argv[0] === '--update-sessions',
    );
    expect(call?.argv).toContain(sessions[1]?.workspace);
    expect(more).toEqual([]);
  });

  test('whose image cannot be built has failed, whatever sandy’s exit code says', async ({
    stage,
  }) => {
    stage.scale(30);
    const sessions = [{ name: 'alpha', build: 'fails' } as const, 'bravo'];
    // From the next version on sandy waits for ever instead.
    const fleet = await stage.addFleet(sessions, { version: '1.2.0' });
    const [alpha, bravo] = [find(fleet, 'alpha'), find(fleet, 'bravo')];
    const agent = await stage.startAgent();
    const asked = await ask(stage, 'update', '--all', '--yes', '--json');
    expect(asked.code).toBe(1);
    const reason = `the image of ${alpha.key} could not be built`;
    expect(readOutcome(asked)).toMatchObject({
      kind: 'failed',
      text: reason,
      restarted: [bravo.key],
      skipped: [{ key: alpha.key, reason: 'build failed' }],
      failed: [],
    });
    const told = `The update failed: ${reason}. 1 session was restarted.`;
    expect(await stage.logs('run-failed')).toMatchObject({ notice: true, text: told });
    expect(agent.newest()).toMatchObject({
      run: null,
      failures: [],
      lastRun: { outcome: 'failed', reason },
    });
    expect((await ask(stage, 'status')).stdout).toContain(` failed: ${reason}. 1 session was `);
    expect(await ask(stage, 'update', 'alpha', '--yes')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        `The update failed: ${reason}.\nNo session was restarted.\n  ${alpha.key}  skipped: build failed\n`,
      ),
    });
  });

  test('that is in use leaves it, and does not say that it needed nothing', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet([
      { name: 'alpha', idleMin: 3 },
      { name: 'bravo', idleMin: 'failed' },
      { name: 'charlie', stale: false },
    ]);
    await stage.startAgent();
    const asked = await ask(stage, 'update', '--all', '--idle-for', '30', '--yes');
    const told = 'Nothing was restarted: 2 sessions were left as they were, since they are in use.';
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining(`${told}\n`) });
    expect(asked.stdout).toContain(
      `${find(fleet, 'alpha').key}  skipped: active (idle 3m < 30m)\n`,
    );
    expect(await stage.logs('run-completed')).toMatchObject({ notice: false, text: told });
  });

  test('that cannot be stopped reports it, and leaves it up', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet([
      { name: 'alpha', stop: 'ignored', delays: { stopLimitMs: 3_000 } },
    ]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    const asked = await finish(begin(stage, 'update', 'alpha', '--yes', '--json'));
    expect(asked.code).toBe(1);
    expect(readOutcome(asked)).toMatchObject({
      kind: 'failed',
      restarted: [],
      failed: [{ key: alpha.key, reason: 'could not be restarted and still runs' }],
    });
    const [after] = await agent.looksAgain(1);
    expect(after?.failures).toEqual([]);
    expect(stateOf(agent.newest(), alpha)).toBe('detached');
    const plain = await ask(stage, 'update', 'alpha', '--yes');
    expect(plain.code).toBe(1);
    expect(plain.stdout).toContain(`${alpha.key}  could not be restarted and still runs`);
  });
});
