/** The built agent's banners on a stand-in desktop: which there are, and what a click on one does. */

import { describe, expect, vi } from 'vitest';
import {
  destroyFleet,
  type Fleet,
  removeContainer,
  removeSession,
  replaceContainer,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { type Notified, type ServerStandIn, startServer } from '../notify/server-stand-in.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { startBus } from '../system/bus-stand-in.ts';
import {
  attachesOf,
  attachTo,
  isAttached,
  type StandIns,
  test,
} from '../terminal/desk-of-stand-ins.ts';
import { find, type RunningAgent, type Stage, takeAway, until } from './running-agent.ts';

vi.setConfig({ testTimeout: 180_000 });

const UPDATED = '2026-01-02T03:04:01Z';
const TERMINAL = 'kitty';

const FAST = 6;
/** How long a window may take is scaled too, and a busy machine takes its time. */
const WITH_WINDOWS = 1;

/** A fleet, a desktop that shows banners, and an agent between them. */
async function prepare(
  standIns: StandIns,
  sessions: Parameters<StandIns['stage']['addFleet']>[0],
  settings: Readonly<Record<string, unknown>> = {},
  scale = FAST,
) {
  const { stage } = standIns;
  const bus = await startBus(makeScratchFolder());
  const server = await startServer(bus.variables);
  stage.scale(scale);
  stage.configure({
    returnWindowSeconds: 10,
    settleSeconds: 5,
    pollFullSeconds: 60,
    terminal: TERMINAL,
    ...settings,
  });
  const fleet = await stage.addFleet(sessions);
  standIns.add(TERMINAL, 'stays');
  const PATH = `${standIns.variables.PATH}:${stage.program.environment.PATH}`;
  const variables = { ...standIns.variables, ...bus.variables, PATH };
  const start = async () => {
    const agent = await stage.startAgent({ variables });
    await stage.logs('baseline');
    return agent;
  };
  return { stage, server, bus, fleet, start };
}

const titled = (server: ServerStandIn, title: string) =>
  server.notified.filter((one) => one.title === title);

async function sees(server: ServerStandIn, title: string): Promise<Notified> {
  return (await until(
    () => titled(server, title).at(-1),
    () => `a banner “${title}”: ${JSON.stringify(server.notified)}`,
  )) as Notified;
}

const isTakenDown = (server: ServerStandIn, { id }: Notified) =>
  until(
    () => !server.visible().includes(id),
    () => `the end of banner ${id}`,
  );

const ALARM = 'A session did not come back';
const SUM = 'Rolling restart complete';

/** As cron does it. */
async function restart(stage: Stage, fleet: Fleet, ...args: readonly string[]): Promise<void> {
  const { code } = await stage.sandy(fleet, '--update-sessions', '--yes', ...args).ended;
  expect(code).toBe(0);
}

const only = (fleet: Fleet, name: string) => ['--workspace', find(fleet, name).workspace];

describe('a rolling restart', () => {
  test('is one banner; a click on it lets a person choose, those first who were in', async ({
    standIns,
  }) => {
    const sessions = ['alpha', 'bravo', { name: 'charlie', clients: 1 }];
    const { stage, server, fleet, start } = await prepare(standIns, sessions, {}, WITH_WINDOWS);
    const agent = await start();
    await restart(stage, fleet);
    const sum = await sees(server, SUM);
    expect(sum.body).toMatch(/^3 restarted, 0 failed, (at .*|.* to .*)\.$/);
    expect(sum.actions).toEqual(['default', 'Choose a session', 'log', 'Show log']);
    expect(server.notified).toHaveLength(1);
    server.click(sum.id, 'default');
    const shown = await standIns.shows(TERMINAL, 'alpha-');
    expect(shown).toMatch(/ 1 {2}charlie-\w+/);
    await agent.sees(({ lastRun }) => lastRun?.seen === true, 'that the sum was looked at');
    await agent.stop();
  });

  test('of one session opens that one, and with the focus', async ({ standIns }) => {
    const sessions = ['alpha', 'bravo'];
    const { stage, server, fleet, start } = await prepare(standIns, sessions, {}, WITH_WINDOWS);
    const agent = await start();
    await restart(stage, fleet, ...only(fleet, 'bravo'));
    const sum = await sees(server, SUM);
    server.click(sum.id, 'default', 'leave-of-the-desktop');
    const bravo = find(fleet, 'bravo');
    await isAttached(fleet, bravo);
    expect(attachesOf(fleet)).toEqual([attachTo(bravo)]);
    expect(standIns.startsOf(TERMINAL)).toMatchObject([
      { env: { XDG_ACTIVATION_TOKEN: 'leave-of-the-desktop' } },
    ]);
    await agent.stop();
    expect(server.visible()).toEqual([]);
  });

  test('that takes long shows how far it is where that is wanted, in one banner', async ({
    standIns,
  }) => {
    const { stage, server, fleet, start } = await prepare(
      standIns,
      ['alpha', { name: 'bravo', build: 'hangs' }],
      { notify: { progress: true } },
    );
    const agent = await start();
    const update = stage.start(['update', '--all', '--yes']);
    const progress = await sees(server, 'Sessions are being updated');
    expect(progress.body).toMatch(/^0 done, building images$/);
    expect(progress.hints).toMatchObject({ urgency: 0, transient: true });
    const { code } = await stage.program.run(['update', '--cancel']);
    expect(code).toBe(0);
    await update.ended;
    await isTakenDown(server, progress);
    const ids = titled(server, 'Sessions are being updated').map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    await agent.stop();
    await destroyFleet(fleet.dir);
  });
});

describe('an alarm', () => {
  /** A session that an update took away and did not bring back, the agent that says so, and how to end the update. */
  async function raise(standIns: StandIns, scale = FAST) {
    const sessions = ['alpha', { name: 'bravo', build: 'hangs' } as const];
    const all = await prepare(standIns, sessions, {}, scale);
    const agent = await all.start();
    const alpha = find(all.fleet, 'alpha');
    const cron = await takeAway(all.stage, all.fleet, alpha);
    const alarm = await sees(all.server, ALARM);
    return { ...all, agent, alpha, alarm, endUpdate: () => cron.child.kill() };
  }

  test('opens a terminal that waits, and goes when the session is back', async ({ standIns }) => {
    const { server, fleet, agent, alpha, alarm, endUpdate } = await raise(standIns, WITH_WINDOWS);
    expect(alarm.body).toContain(`${alpha.key} did not come back`);
    expect(alarm.actions).toEqual(['default', 'Open', 'start', 'Start', 'log', 'Show log']);
    expect(alarm).toMatchObject({ hints: { urgency: 2 }, expireMs: 0 });
    server.say('ActionInvoked', 'us', [alarm.id, 'default']);
    await standIns.shows(TERMINAL, alpha.key);
    replaceContainer(fleet.dir, alpha.record, { updatedAt: UPDATED });
    await isTakenDown(server, alarm);
    await isAttached(fleet, alpha);
    await sees(server, 'A session is back');
    endUpdate();
    await agent.stop();
  });

  test('goes when it is acknowledged, and never comes again', async ({ standIns }) => {
    const { stage, server, start, agent: first, alpha, alarm, endUpdate } = await raise(standIns);
    // Killed with its banner up: the next agent knows of it, and shows none.
    first.signal('SIGKILL');
    await first.ended;
    const second = await start();
    await second.sees(({ failures }) => failures.length === 1, 'the failure pinned');
    await second.looksAgain(2);
    expect(titled(server, ALARM)).toEqual([alarm]);
    expect((await stage.program.run(['ack', alpha.key])).code).toBe(0);
    await second.sees(({ failures }) => failures.length === 0, 'the failure taken down');
    endUpdate();
    await second.stop();
    expect(titled(server, ALARM)).toEqual([alarm]);
  });

  test('taken down by somebody else’s word for it goes too', async ({ standIns }) => {
    const { stage, server, agent, alpha, alarm, endUpdate } = await raise(standIns);
    expect((await stage.program.run(['ack', alpha.key])).code).toBe(0);
    await isTakenDown(server, alarm);
    endUpdate();
    await agent.stop();
  });

  test('whose session is gone for good says so when it is clicked', async ({ standIns }) => {
    const { stage, server, fleet, start } = await prepare(standIns, ['alpha', 'bravo']);
    const agent = await start();
    const bravo = find(fleet, 'bravo');
    await restart(stage, fleet, ...only(fleet, 'bravo'));
    const sum = await sees(server, SUM);
    removeContainer(fleet.dir, bravo.record);
    removeSession(fleet.dir, bravo.record);
    await agent.sees(
      ({ sessions }) => sessions.every(({ key }) => key !== bravo.key),
      'the session forgotten',
    );
    server.click(sum.id, 'default');
    const answer = await sees(server, 'That could not be done');
    expect(answer.body).toContain(`${bravo.key} is gone`);
    expect(standIns.startsOf(TERMINAL)).toEqual([]);
    agent.signal('SIGTERM');
    expect((await agent.ended).code).toBe(0);
    expect(agent.stderr()).toContain(`${bravo.key} is gone`);
  });
});

describe('a desktop that does not show banners', () => {
  async function expectTold(
    agent: RunningAgent,
    stage: Stage,
    notices: readonly string[],
    why: string,
  ): Promise<void> {
    agent.signal('SIGTERM');
    expect((await agent.ended).code).toBe(0);
    const due = (await stage.readLog()).filter(({ notice }) => notice);
    expect(due.map(({ kind }) => kind)).toEqual(notices);
    expect(agent.banners()).toHaveLength(notices.length);
    const said = agent.stderr().trimEnd().split('\n');
    expect(said).toEqual([expect.stringContaining(why)]);
  }

  test('since it hangs keeps nothing from being watched and told', async ({ standIns }) => {
    const { stage, server, fleet, start } = await prepare(standIns, ['alpha', 'bravo']);
    server.freeze();
    const agent = await start();
    await restart(stage, fleet, ...only(fleet, 'alpha'));
    await stage.logs('run-completed');
    await restart(stage, fleet, ...only(fleet, 'bravo'));
    await until(
      () => stage.records().filter(({ kind }) => kind === 'run-completed').length === 2,
      () => 'the second sum',
    );
    await until(
      () => agent.banners().length === 2,
      () => 'the second line',
    );
    await expectTold(agent, stage, ['run-completed', 'run-completed'], 'did not answer within');
  });

  test('in time may show one later, which can be clicked as any other', async ({ standIns }) => {
    const { stage, server, fleet, start } = await prepare(standIns, ['alpha', 'bravo']);
    const agent = await start();
    await restart(stage, fleet, ...only(fleet, 'alpha'));
    await sees(server, SUM);
    server.freeze();
    const bravo = find(fleet, 'bravo');
    await restart(stage, fleet, ...only(fleet, 'bravo'));
    await until(
      () => agent.stderr().includes('did not answer within'),
      () => 'why there is no banner yet',
    );
    server.thaw();
    const late = (await until(
      () => titled(server, SUM)[1],
      () => 'the second sum',
    )) as Notified;
    server.click(late.id, 'default');
    await isAttached(fleet, bravo);
    expect(attachesOf(fleet)).toEqual([attachTo(bravo)]);
    await expectTold(agent, stage, ['run-completed', 'run-completed'], 'did not answer within');
  });

  test('since nothing does is done without, and named once', async ({ standIns }) => {
    const { stage, server, fleet, start } = await prepare(standIns, ['alpha', 'bravo']);
    await server.kill();
    const agent = await start();
    await restart(stage, fleet, ...only(fleet, 'alpha'));
    await stage.logs('run-completed');
    await until(
      () => agent.stderr() !== '',
      () => 'why there was no banner',
    );
    await expectTold(agent, stage, ['run-completed'], 'Nothing on this desktop shows');
  });

  test('until it does shows then in one banner what is still so', async ({ standIns }) => {
    const { stage, server, bus, fleet, start } = await prepare(standIns, [
      'alpha',
      'bravo',
      { name: 'charlie', build: 'hangs' },
    ]);
    await server.kill();
    const agent = await start();
    await restart(stage, fleet, ...only(fleet, 'alpha'));
    await until(
      () => agent.banners().length === 1,
      () => 'the first line',
    );
    await restart(stage, fleet, ...only(fleet, 'bravo'));
    await until(
      () => agent.banners().length === 2,
      () => 'the second line',
    );
    const cron = await takeAway(stage, fleet, find(fleet, 'alpha'));
    await stage.logs('late');
    expect((await stage.program.run(['ack', '--all'])).code).toBe(0);
    const next = await startServer(bus.variables);
    const digest = await sees(next, 'Meanwhile: 2 events');
    expect(digest.body).toMatch(/^\d\d:\d\d alpha-.* was restarted .*\n\d\d:\d\d bravo-/);
    expect(digest.actions).toEqual(['default', 'Choose a session', 'log', 'Show log']);
    await agent.looksAgain(1);
    expect(next.notified).toHaveLength(1);
    cron.child.kill();
    const told = ['run-completed', 'run-completed', 'late'];
    await expectTold(agent, stage, told, 'Nothing on this desktop shows');
  });
});
