import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import {
  type Fleet,
  NO_DELAYS,
  replaceContainer,
  type Session,
  type SessionSpec,
  setKnobs,
  setLock,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, type RunningAgent, until } from '../agent/running-agent.ts';
import { callsOf, type Desk, seesInside, type Terminal, test } from './terminals.ts';

type Mode = 'with an agent' | 'alone';

/** A fleet whose starts take long, and a terminal for alpha, which does not run. */
async function setUp(
  { stage }: Desk,
  mode: Mode,
  bravo: SessionSpec = {},
): Promise<{ fleet: Fleet; alpha: Session; bravo: Session; agent: RunningAgent | null }> {
  stage.scale(5);
  const fleet = await stage.addFleet(
    [
      { name: 'alpha', running: false },
      { name: 'bravo', ...bravo },
    ],
    { delays: { ...NO_DELAYS, beforeLockMs: 60_000 } },
  );
  const agent = mode === 'alone' ? null : await stage.startAgent();
  return { fleet, alpha: find(fleet, 'alpha'), bravo: find(fleet, 'bravo'), agent };
}

async function isCalled(fleet: Fleet, verb: string, times = 1): Promise<void> {
  await until(
    () => callsOf(fleet, verb).length >= times,
    () => `sandy ${verb}`,
  );
}

async function offersStart({ attach }: Desk, session: Session): Promise<Terminal> {
  const terminal = attach([session.workspace]);
  await terminal.sees('[alpha is not running]');
  await terminal.sees('[Enter starts it');
  return terminal;
}

/** What goes on under sandy's name after the `--start` that a person broke off. */
async function startSupervisor({ stage }: Desk, session: Session): Promise<number> {
  const { folder, environment } = stage.program;
  const file = join(folder, 'sandy');
  writeFileSync(file, 'console.log("here"); setInterval(() => {}, 1 << 30);');
  const supervisor = spawn(process.execPath, [file, '--start', '--workspace', session.workspace], {
    env: { ...environment, FAKE_SANDY_STATE: join(folder, 'fleet') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    supervisor.kill('SIGKILL');
  });
  await new Promise((resolve) => supervisor.stdout.once('data', resolve));
  if (supervisor.pid === undefined) throw new Error('no supervisor');
  return supervisor.pid;
}

for (const mode of ['with an agent', 'alone'] as const) {
  describe.concurrent(`${mode}: Enter, to start what does not run`, () => {
    test.for([
      ['--start', 'A start', { running: false }],
      ['--stop', 'A stop', { stop: 'ignored' }],
      ['--update-sessions', 'An update', { build: 'hangs' }],
    ] as const)(
      'while sandy %s of another session runs: says who, and starts once that is over',
      async ([verb, words, spec], { desk, expect }) => {
        const { fleet, alpha, bravo } = await setUp(desk, mode, spec);
        const scope = verb === '--update-sessions' ? ['--yes'] : ['--workspace', bravo.workspace];
        const terminal = await offersStart(desk, alpha);
        const theirs = desk.stage.sandy(fleet, verb, ...scope);
        await isCalled(fleet, verb);
        await terminal.presses('\r');
        await terminal.sees(
          `[not started: ${words} started elsewhere is running (pid ${theirs.pid})`,
        );
        await terminal.sees('[Enter tries again');
        const ofAlpha = () =>
          callsOf(fleet, '--start').filter(({ argv }) => argv.includes(alpha.workspace));
        expect(ofAlpha()).toEqual([]);
        theirs.child.kill('SIGKILL');
        await theirs.ended;
        setKnobs(fleet.dir, { delays: NO_DELAYS });
        await terminal.presses('\r');
        await seesInside(terminal, fleet, alpha);
        expect(ofAlpha()).toHaveLength(1);
      },
    );

    test('while somebody starts it with sandy itself: no second start', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await offersStart(desk, alpha);
      const theirs = desk.stage.sandy(fleet, '--start', '--workspace', alpha.workspace);
      await isCalled(fleet, '--start');
      await terminal.presses('\r');
      await terminal.sees(`(pid ${theirs.pid})`);
      expect(callsOf(fleet, '--start')).toHaveLength(1);
    });

    test.for(['before its container is there', 'when its container is there'] as const)(
      'after a start that was broken off and goes on, %s: no second start',
      async (when, { desk, expect }) => {
        const { fleet, alpha, agent } = await setUp(desk, mode);
        const terminal = await offersStart(desk, alpha);
        await terminal.presses('\r');
        await isCalled(fleet, '--start');
        const pid = await startSupervisor(desk, alpha);
        terminal.type('\x03');
        await terminal.sees('could not be started');
        if (when === 'when its container is there') {
          setLock(fleet.dir, alpha.key, pid);
          replaceContainer(fleet.dir, alpha.record, { inner: 'gone' });
          await agent?.seesState(alpha, 'starting');
        }
        await terminal.presses('\r');
        await terminal.sees(`(pid ${pid})`);
        expect(callsOf(fleet, '--start')).toHaveLength(1);
      },
    );
  });
}
