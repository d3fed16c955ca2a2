import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import {
  type Fleet,
  readEvents,
  type Session,
  type SessionSpec,
  setKnobs,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, until } from '../agent/running-agent.ts';
import {
  attachesOf,
  callsOf,
  type Desk,
  earlyAttaches,
  killClient,
  lifeOf,
  seesInside,
  settles,
  type Terminal,
  test,
} from './terminals.ts';

/** A fleet, and an agent where the case has one. */
async function setUp(
  { stage }: Desk,
  mode: Mode,
  sessions: readonly (string | SessionSpec)[] = ['alpha'],
  knobs: Parameters<typeof stage.addFleet>[1] = {},
): Promise<{ fleet: Fleet; alpha: Session }> {
  stage.scale(5);
  stage.configure({ returnWindowSeconds: 10, watchMinutes: 1 });
  const fleet = await stage.addFleet(sessions, knobs);
  if (mode === 'with an agent') {
    await stage.startAgent({ watched: false });
    await stage.logs('baseline');
  }
  return { fleet, alpha: find(fleet, 'alpha') };
}

type Mode = 'with an agent' | 'alone';

/** A terminal that is in. */
async function enter(desk: Desk, fleet: Fleet, session: Session): Promise<Terminal> {
  const terminal = desk.attach([session.key]);
  await settles(terminal, fleet, session);
  return terminal;
}

/** What a session takes to come back, so that every look of a return is seen. */
const slowStart = { beforeLockMs: 3_000, proxyMs: 1_000, containerMs: 1_000, innerMs: 3_000 };

for (const mode of ['with an agent', 'alone'] as const) {
  describe.concurrent(`${mode}: exit 0`, () => {
    test('and a stop from another terminal: waited for, then not back', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      await desk.stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
      await terminal.sees('is gone; it may');
      await terminal.sees(`[${alpha.key} did not come back]`);
      await terminal.sees('[Enter tries again · q quits]');
      // A key counts once nothing was typed for a moment.
      await terminal.presses('q');
      expect(await terminal.ends()).toBe(4);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });

    test('and a stop from another terminal: Ctrl-C ends the waiting at once', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      desk.stage.configure({ returnWindowSeconds: 600 });
      const terminal = await enter(desk, fleet, alpha);
      await desk.stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
      await terminal.sees('is gone; it may');
      terminal.type('\x03');
      expect(await terminal.ends()).toBe(4);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });

    test('and the agent inside quit: said after 15 s, with no attach in between', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      terminal.type('exit\r');
      await terminal.sees('Session ended (agent exited)');
      await terminal.sees('no longer answers');
      await terminal.sees(`[${alpha.key} ended: the agent inside quit]`);
      expect(await terminal.ends()).toBe(0);
      // sandy itself has not even noticed.
      expect(readEvents(fleet.dir).map(({ why }) => why)).not.toContain('container-gone');
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });
  });

  describe.concurrent(`${mode}: exit 3`, () => {
    test('by the person is a detach: the shell is back at once', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      terminal.type('\x02d');
      await terminal.sees(`[detached from ${alpha.key}; it keeps running]`);
      expect(await terminal.ends()).toBe(3);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });

    test('by the person is a detach, whatever a look showed before it', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      // Nobody waits; something changes in sandy's folder, and whoever watches it sees our client.
      const looks = () =>
        callsOf(fleet, '--print-state').filter(({ exitedAt }) => exitedAt !== null).length;
      const before = looks();
      writeFileSync(join(fleet.sandboxes, 'changed'), '');
      if (mode === 'with an agent') {
        await until(
          () => looks() > before,
          () => 'a look',
        );
        // Its answer has yet to be taken in.
        await desk.stage.program.run(['status']);
      }
      terminal.type('\x02d');
      await terminal.sees(`[detached from ${alpha.key}; it keeps running]`);
      expect(await terminal.ends()).toBe(3);
    });

    test('by another client is final, and said', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      const foreign = desk.attachForeign(fleet, alpha);
      await seesInside(foreign, fleet, alpha);
      await terminal.sees(`[${alpha.key} is attached elsewhere]`);
      await terminal.sees('[Enter takes it back · q quits]');
      await terminal.presses('q');
      expect(await terminal.ends()).toBe(3);
      expect(foreign.isOver()).toBe(false);
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    });
  });

  describe.concurrent(`${mode}: no code`, () => {
    test('and nobody in: attached again', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      const [first] = attachesOf(fleet, alpha);
      killClient(first);
      await terminal.sees(`[${alpha.key} is back; attaching again]`);
      await settles(terminal, fleet, alpha);
      terminal.type('\x02d');
      expect(await terminal.ends()).toBe(3);
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    });

    test('and somebody else in: displaced', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      const [first] = attachesOf(fleet, alpha);
      // The same look of it all: one client, that may be our own dead one.
      setSession(fleet.dir, alpha.record, { clients: 1 });
      killClient(first);
      await terminal.sees(`[${alpha.key} is attached elsewhere]`);
      await terminal.presses('q');
      expect(await terminal.ends()).toBe(3);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });
  });

  describe.concurrent(`${mode}: an update by cron`, () => {
    test('brings it back by itself, and only its stamp makes it "for updates"', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode, ['alpha'], { delays: slowStart });
      const terminal = await enter(desk, fleet, alpha);
      desk.stage.sandy(fleet, '--update-sessions', '--yes');
      // Whether the update or the start is seen first is a matter of who is quicker.
      await terminal.sees(/restarts for an update|is starting/);
      await terminal.sees(/\[alpha-\w+ was restarted for updates \d\d:\d\d; attaching again\]/);
      await settles(terminal, fleet, alpha);
      terminal.type('touch here\r');
      await terminal.sees('touched here');
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
      expect(earlyAttaches(fleet, alpha)).toEqual([]);
    });

    test('that builds images for minutes first leaves the terminal alone', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode, ['alpha'], { delays: { buildMs: 20_000 } });
      const terminal = await enter(desk, fleet, alpha);
      const looks = callsOf(fleet, '--print-state').length;
      const cron = desk.stage.sandy(fleet, '--update-sessions', '--yes');
      await until(
        () => cron.stdout().includes('Refreshing images'),
        () => 'the build',
      );
      terminal.type('echo meanwhile\r');
      await terminal.sees('meanwhile\r\nmeanwhile');
      await until(
        () => cron.stdout().includes('Restarting'),
        () => 'the restart',
      );
      // Hints of a folder that changes make no look for a terminal that is in, without an agent.
      if (mode === 'alone') expect(callsOf(fleet, '--print-state')).toHaveLength(looks);
      expect(terminal.unseen()).not.toContain('[alpha');
      await terminal.sees('attaching again');
      await settles(terminal, fleet, alpha);
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    });

    test('of several in series: each has its own clock, and all come back', async ({
      desk,
      expect,
    }) => {
      const names = ['alpha', 'bravo', 'charlie'];
      const { fleet } = await setUp(desk, mode, names, { delays: { innerMs: 1_000 } });
      const sessions = names.map((name) => find(fleet, name));
      const terminals = await Promise.all(sessions.map((session) => enter(desk, fleet, session)));
      const cron = desk.stage.sandy(fleet, '--update-sessions', '--yes');
      await Promise.all(
        terminals.map(async (terminal, index) => {
          await terminal.sees('was restarted for updates');
          await seesInside(terminal, fleet, sessions[index] as Session);
        }),
      );
      expect((await cron.ended).code).toBe(0);
      for (const session of sessions) {
        expect(attachesOf(fleet, session)).toHaveLength(2);
        expect(earlyAttaches(fleet, session)).toEqual([]);
      }
    });

    test('whose start fails is awaited for the whole watch, then not back', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode, [{ name: 'alpha', start: 'refused' }], {
        delays: slowStart,
      });
      const terminal = await enter(desk, fleet, alpha);
      const cron = desk.stage.sandy(fleet, '--update-sessions', '--yes');
      expect((await cron.ended).code).toBe(1);
      const goneAt = readEvents(fleet.dir).find(({ why }) => why === 'container-gone')?.at ?? 0;
      await terminal.sees('restarts for an update');
      await terminal.sees(`[${alpha.key} did not come back]`);
      // One minute, five times as fast; ten seconds would have been two.
      expect(Date.now() - goneAt).toBeGreaterThan(8_000);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });

    test('that takes longer than the return window is waited out', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode, ['alpha'], {
        delays: { beforeLockMs: 20_000, innerMs: 1_000 },
      });
      const terminal = await enter(desk, fleet, alpha);
      desk.stage.sandy(fleet, '--update-sessions', '--yes');
      await terminal.sees('was restarted for updates');
      await seesInside(terminal, fleet, alpha);
      expect(terminal.bytes()).not.toContain('did not come back');
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    });
  });

  describe.concurrent(`${mode}: docker`, () => {
    test('away for longer than the window freezes it; the same container is a return', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      const life = lifeOf(fleet, alpha);
      setKnobs(fleet.dir, { docker: 'down' });
      await terminal.sees('cannot be seen');
      // The next look is three seconds away, and the window is two seconds long.
      setKnobs(fleet.dir, { docker: 'up' });
      await terminal.sees(`[${alpha.key} is back; attaching again]`);
      await settles(terminal, fleet, alpha);
      expect(lifeOf(fleet, alpha)).toBe(life);
      expect(terminal.bytes()).not.toContain('did not come back');
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    });
  });

  describe.concurrent(`${mode}: docker`, () => {
    test('away for longer than the watch that was chosen: says that nothing can be seen', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      desk.stage.scale(60);
      const terminal = await enter(desk, fleet, alpha);
      setKnobs(fleet.dir, { docker: 'down' });
      await terminal.sees(`[${alpha.key} cannot be seen: sandy or docker does not answer]`);
      await terminal.sees('[Enter tries again · q quits]');
      setKnobs(fleet.dir, { docker: 'up' });
      await terminal.sees(`[${alpha.key} is back; Enter attaches]`);
      await terminal.presses('q');
      expect(await terminal.ends()).toBe(5);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });
  });

  describe.concurrent(`${mode}: a return`, () => {
    test('after "not back" is said and attached to at Enter only', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      await desk.stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
      await terminal.sees(`[${alpha.key} did not come back]`);
      await desk.stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
      await terminal.sees(`[${alpha.key} is back; Enter attaches]`);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
      await terminal.presses('\r');
      await settles(terminal, fleet, alpha);
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    });

    test('by hand is no update', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      await desk.stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
      desk.stage.sandy(fleet, '--start', '--workspace', alpha.workspace);
      await terminal.sees(`[${alpha.key} is back; attaching again]`);
      await settles(terminal, fleet, alpha);
      expect(terminal.bytes()).not.toContain('for updates');
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    });
  });

  describe.concurrent(`${mode}: a new terminal`, () => {
    test('in the gap waits, and starts nothing', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode, ['alpha'], {
        delays: { ...slowStart, beforeLockMs: 15_000 },
      });
      desk.stage.sandy(fleet, '--update-sessions', '--yes');
      await until(
        () => readEvents(fleet.dir).some(({ why }) => why === 'container-gone'),
        () => 'the gap',
      );
      // A person's attach goes by what the agent knows: let it know.
      if (mode === 'with an agent') await desk.stage.logs('vanished', alpha);
      const terminal = desk.attach([alpha.workspace]);
      await terminal.sees('restarts for an update');
      await terminal.presses('\r');
      await settles(terminal, fleet, alpha);
      expect(callsOf(fleet, '--start')).toHaveLength(1);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
      expect(earlyAttaches(fleet, alpha)).toEqual([]);
    });

    test('after one was closed and the session restarted finds the same session', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const first = await enter(desk, fleet, alpha);
      first.close();
      await until(
        () => attachesOf(fleet, alpha).every(({ exitedAt }) => exitedAt !== null) || first.isOver(),
        () => 'the end of the first terminal',
      );
      const cron = desk.stage.sandy(fleet, '--update-sessions', '--yes');
      expect((await cron.ended).code).toBe(0);
      const second = desk.attach([], { cwd: alpha.workspace });
      await settles(second, fleet, alpha);
      expect(attachesOf(fleet, alpha, second)).toHaveLength(1);
      const { stdout } = await desk.stage.program.run(['status', '--json']);
      expect(JSON.parse(stdout).sessions).toMatchObject([{ key: alpha.key, attachedClients: 1 }]);
    });
  });

  describe.concurrent(`${mode}: an attach`, () => {
    test('that ends at once each time is tried three times, not for ever', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      const [first] = attachesOf(fleet, alpha);
      setKnobs(fleet.dir, { commands: { '--attach': { exitCode: 0 } } });
      killClient(first);
      await terminal.sees(`[${alpha.key} keeps ending right after it was attached`);
      await terminal.presses('q');
      expect(await terminal.ends()).toBe(5);
      expect(attachesOf(fleet, alpha)).toHaveLength(1 + 3);
    });

    test('that ends again and again, but lasted each time, is never given up', async ({
      desk,
      expect,
    }) => {
      desk.stage.scale(60);
      desk.stage.configure({ watchMinutes: 1 });
      const fleet = await desk.stage.addFleet(['alpha']);
      const alpha = find(fleet, 'alpha');
      if (mode === 'with an agent') {
        await desk.stage.startAgent({ watched: false });
        await desk.stage.logs('baseline');
      }
      const terminal = await enter(desk, fleet, alpha);
      for (let times = 1; times <= 5; times += 1) {
        // Longer than the watch, which is a second here.
        await pause(1_200);
        killClient(attachesOf(fleet, alpha).at(-1));
        await terminal.sees(`[${alpha.key} is back; attaching again]`);
        await settles(terminal, fleet, alpha);
        expect(attachesOf(fleet, alpha)).toHaveLength(1 + times);
      }
    });

    test('that fails is tried once more, and then sandy has the last word', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const terminal = await enter(desk, fleet, alpha);
      const [first] = attachesOf(fleet, alpha);
      const stderr = 'ERROR: workspace is not a directory\r\n';
      setKnobs(fleet.dir, { commands: { '--attach': { exitCode: 1, stderr } } });
      killClient(first);
      await terminal.sees(
        `[attaching to ${alpha.key} failed: ERROR: workspace is not a directory]`,
      );
      await terminal.presses('q');
      expect(await terminal.ends()).toBe(5);
      expect(attachesOf(fleet, alpha)).toHaveLength(1 + 2);
    });

    test('by two that wait is made by one; the other sees that somebody is in', async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha } = await setUp(desk, mode, ['alpha'], {
        delays: { ...slowStart, beforeLockMs: 15_000 },
      });
      desk.stage.sandy(fleet, '--update-sessions', '--yes');
      await until(
        () => readEvents(fleet.dir).some(({ why }) => why === 'container-gone'),
        () => 'the gap',
      );
      if (mode === 'with an agent') await desk.stage.logs('vanished', alpha);
      const two = [desk.attach([alpha.workspace]), desk.attach([alpha.workspace])];
      await Promise.all(two.map((terminal) => terminal.sees('restarts for an update')));
      const seen = await Promise.all(
        two.map((terminal) => terminal.sees(/\n\$ |is attached elsewhere\]/)),
      );
      expect(seen.filter((text) => text.includes('is attached elsewhere'))).toHaveLength(1);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });

    test('of a terminal that is stopped keeps nobody out for ever', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode);
      const stopped = await enter(desk, fleet, alpha);
      killClient(attachesOf(fleet, alpha)[0]);
      // By itself, that is under the lock, which it still has before it believes that it is in.
      await seesInside(stopped, fleet, alpha);
      stopped.signal('SIGSTOP');
      const second = await enter(desk, fleet, alpha);
      killClient(attachesOf(fleet, alpha, second)[0]);
      await seesInside(second, fleet, alpha);
      expect(attachesOf(fleet, alpha, second)).toHaveLength(2);
    });
  });

  describe.concurrent(`${mode}: an old sandy`, () => {
    test('without --update-sessions ends at exit 0', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode, ['alpha'], { version: '1.1.0' });
      const terminal = await enter(desk, fleet, alpha);
      await desk.stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
      await terminal.sees(`[${alpha.key} ended]`);
      expect(await terminal.ends()).toBe(0);
      expect(attachesOf(fleet, alpha)).toHaveLength(1);
    });

    test('that exits 5 means what 0 means', async ({ desk, expect }) => {
      const { fleet, alpha } = await setUp(desk, mode, ['alpha'], { version: '1.2.0' });
      const terminal = await enter(desk, fleet, alpha);
      terminal.type('exit\r');
      await terminal.sees(`[${alpha.key} ended: the agent inside quit]`);
      expect(await terminal.ends()).toBe(0);
      expect(attachesOf(fleet, alpha)).toMatchObject([{ code: 5 }]);
    });
  });
}
