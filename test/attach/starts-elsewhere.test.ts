import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import {
  type Fleet,
  NO_DELAYS,
  replaceContainer,
  type Session,
  type SessionSpec,
  setKnobs,
  setLock,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, type RunningAgent, until } from '../agent/running-agent.ts';
import { PROGRAM } from '../program.ts';
import {
  attachesOf,
  callsOf,
  type Desk,
  earlyAttaches,
  seesInside,
  type Terminal,
  test,
} from './terminals.ts';

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

/** Presses Enter while somebody starts the session with sandy itself. */
async function joinsTheirs(desk: Desk, fleet: Fleet, session: Session) {
  const terminal = await offersStart(desk, session);
  const theirs = desk.stage.sandy(fleet, '--start', '--workspace', session.workspace);
  await isCalled(fleet, '--start');
  await terminal.presses('\r');
  await terminal.sees(`[alpha is being started already (pid ${theirs.pid}); waiting for that]`);
  return { terminal, theirs };
}

/** What goes on under sandy's name after the `--start` that a person broke off. */
async function startSupervisor({ stage, open }: Desk, session: Session): Promise<number> {
  const { folder } = stage.program;
  const file = join(folder, 'sandy');
  writeFileSync(file, 'console.log("here"); setInterval(() => {}, 1 << 30);');
  const supervisor = open(process.execPath, [file, '--start', '--workspace', session.workspace], {
    variables: { FAKE_SANDY_STATE: join(folder, 'fleet') },
  });
  await supervisor.sees('here');
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
        await terminal.presses('\r');
        await terminal.sees(`(pid ${theirs.pid})`);
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

    test('while somebody starts it with sandy itself: waits for that, and attaches', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const { terminal } = await joinsTheirs(desk, fleet, alpha);
      await terminal.sees('[alpha is starting');
      expect(callsOf(fleet, '--start')).toHaveLength(1);
      await seesInside(terminal, fleet, alpha);
      expect(callsOf(fleet, '--start')).toHaveLength(1);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
      expect(earlyAttaches(fleet, alpha)).toEqual([]);
    });

    test('while somebody starts it with sandy itself, in vain: says so', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const { terminal, theirs } = await joinsTheirs(desk, fleet, alpha);
      theirs.child.kill('SIGKILL');
      await terminal.sees('[alpha could not be started]');
      setKnobs(fleet.dir, { delays: NO_DELAYS });
      await terminal.presses('\r');
      await seesInside(terminal, fleet, alpha);
      expect(callsOf(fleet, '--start')).toHaveLength(2);
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
        const listIt = async () => {
          setLock(fleet.dir, alpha.key, pid);
          replaceContainer(fleet.dir, alpha.record, { inner: 'gone' });
          await agent?.seesState(alpha, 'starting');
        };
        if (when === 'when its container is there') await listIt();
        await terminal.presses('\r');
        await terminal.sees(`[alpha is being started already (pid ${pid}); waiting for that]`);
        if (when === 'before its container is there') await listIt();
        setSession(fleet.dir, alpha.record, { inner: 'up' });
        await seesInside(terminal, fleet, alpha);
        expect(callsOf(fleet, '--start')).toHaveLength(1);
        expect(attachesOf(fleet, alpha)).toHaveLength(1);
      },
    );
  });
}

/** Keeps the list of processes from a program, as a hardened /proc does. */
const HIDDEN_PROCESSES = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { readdir } = fs.promises;
  fs.promises.readdir = (path, ...rest) =>
    path === '/proc' ? Promise.reject(new Error('hidden')) : readdir(path, ...rest);
  syncBuiltinESMExports();
`)}`;

test('where nobody can tell who is at work, nothing is started', async ({ desk, expect }) => {
  const { fleet, alpha } = await setUp(desk, 'alone');
  const args = ['--import', HIDDEN_PROCESSES, PROGRAM, 'attach', alpha.workspace];
  const terminal = desk.open(process.execPath, args);
  await terminal.sees('[Enter starts it');
  await terminal.presses('\r');
  await terminal.sees('[not started: Whether somebody else changes sessions now can not be told');
  await terminal.sees('[Enter tries again');
  expect(callsOf(fleet, '--start')).toEqual([]);
});

test('what the agent starts for somebody is awaited, too', async ({ desk, expect }) => {
  const { fleet, bravo, agent } = await setUp(desk, 'with an agent');
  await agent?.seesState(bravo, 'detached');
  await desk.stage.sandy(fleet, '--stop', '--workspace', bravo.workspace).ended;
  await agent?.seesState(bravo, 'missing');
  const terminal = desk.attach([bravo.key]);
  await terminal.sees(`[${bravo.key} is not running]`);
  const menu = desk.stage.start(['start', bravo.key]);
  await isCalled(fleet, '--start');
  await terminal.presses('\r');
  await terminal.sees(`[${bravo.key} is being started already (pid `);
  await seesInside(terminal, fleet, bravo);
  expect((await menu.ended).code).toBe(0);
  expect(callsOf(fleet, '--start')).toHaveLength(1);
  expect(attachesOf(fleet, bravo)).toHaveLength(1);
});
