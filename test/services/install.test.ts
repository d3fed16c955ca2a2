/** What install and schedule write, as systemd reads it: nothing that was started ends with what started it. */

import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { find } from '../agent/running-agent.ts';
import { test } from '../attach/terminals.ts';
import { expectGone, isRunning } from '../processes.ts';
import { PROGRAM } from '../program.ts';
import {
  AGENT,
  addPatientFleet,
  awaitMiddle,
  controlGroupOf,
  listUnwatched,
  OWN_PROCESSES,
  prepareInstalled,
  readRuns,
  supervisorOf,
  TIMER,
  UPDATE,
  WITHOUT_SCOPES,
} from './installed.ts';
import { startUserManager, type UserManager } from './user-manager.ts';

vi.setConfig({ testTimeout: 180_000 });

let manager: UserManager;
beforeAll(async () => {
  manager = await startUserManager();
});
afterEach(async () => {
  const units = join(manager.folder, 'home', '.config', 'systemd', 'user');
  await manager.systemctl('stop', 'sandy-tray*');
  rmSync(units, { recursive: true, force: true });
  await manager.systemctl('daemon-reload');
});
afterAll(async () => {
  await manager?.end();
});

test.for(['scopes', 'no scopes'])(
  'a terminal and an update outlive restart, stop and uninstall of the installed agent (%s)',
  async (way, { desk, stage }) => {
    stage.scale(5);
    const fleet = await addPatientFleet(stage);
    const { units, run, show, adjust, agentPid, status, leftovers } = await prepareInstalled(
      stage,
      manager,
    );
    if (way === 'no scopes') await adjust(AGENT, WITHOUT_SCOPES);
    await run('install');
    const first = await agentPid();
    expect(await run('install')).toContain('Nothing had to be changed.\n');
    expect(await agentPid()).toBe(first);

    const charlie = find(fleet, 'charlie');
    const terminal = desk.open('systemd-run', [
      ...['--user', '--scope', '--quiet', '--', process.execPath, '--import', OWN_PROCESSES],
      ...[PROGRAM, 'attach', charlie.key],
    ]);
    await terminal.sees(`attached ${charlie.key}`);
    const asker = stage.start(['update', '--all', '--yes']);
    const { goOn } = await awaitMiddle(fleet);
    const sandyPid = readRuns(stage)[0]?.steps[0]?.process?.pid ?? 0;
    expect(controlGroupOf(sandyPid)).toMatch(
      way === 'scopes' ? /\.scope$/m : /sandy-tray\.service$/m,
    );
    const alpha = supervisorOf(fleet, 'alpha');

    await manager.systemctl('restart', AGENT);
    const second = await agentPid();
    expect(second).not.toBe(first);
    expect([sandyPid, alpha, terminal.pid].map(isRunning)).toEqual([true, true, true]);
    terminal.type('touch here\r');
    await terminal.sees('touched here');

    goOn();
    expect(await asker.ended).toEqual({ code: 0, signal: null });
    await terminal.sees('was restarted for updates');
    expect(listUnwatched(fleet)).toEqual([]);
    expect((await status()).lastRun).toMatchObject({ outcome: 'done', origin: 'cli', failed: [] });

    await manager.systemctl('stop', AGENT);
    await expectGone(second);
    expect(listUnwatched(fleet)).toEqual([]);
    await manager.systemctl('start', AGENT);
    const third = await agentPid();
    rmSync(join(units, `${AGENT}.d`), { recursive: true, force: true });
    const said = await run('uninstall');
    expect(said).toContain(`ran      systemctl --user disable --now ${AGENT}\n`);
    await expectGone(third);
    expect(await leftovers()).toEqual([]);
    expect(listUnwatched(fleet)).toEqual([]);
    expect(isRunning(terminal.pid)).toBe(true);
    expect(await show(AGENT, 'LoadState')).toBe('not-found');
  },
);

test.for(['scopes', 'no scopes'])(
  'the sessions that the nightly update restarts live on after its job (%s)',
  async (way, { stage }) => {
    stage.scale(5);
    const idle = { supervisor: true, idleMin: 60 };
    const fleet = await stage.addFleet([
      { name: 'alpha', ...idle },
      { name: 'bravo', ...idle },
      { name: 'charlie', ...idle, idleMin: 5 },
    ]);
    const { run, show, adjust, status, leftovers, units } = await prepareInstalled(stage, manager);
    if (way === 'no scopes') await adjust(UPDATE, WITHOUT_SCOPES);
    await run('schedule', '--at', '4:00');
    expect(await run('schedule')).toMatch(/^Every night at 04:00, .+\nNext: .+ 04:[0-2]\d:\d\d /);
    expect(await show(TIMER, 'ActiveState')).toBe('active');
    const before = ['alpha', 'bravo', 'charlie'].map((name) => supervisorOf(fleet, name));

    await manager.systemctl('start', UPDATE);
    expect(await show(UPDATE, 'ActiveState')).toBe('inactive');
    expect(await show(UPDATE, 'Result')).toBe('success');
    const [record, ...others] = readRuns(stage);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ origin: 'schedule', idleForMinutes: 30, onTerminal: false });
    expect(listUnwatched(fleet)).toEqual([]);
    const group = way === 'scopes' ? /\.scope$/m : /sandy-tray-update\.service$/m;
    for (const [index, name] of ['alpha', 'bravo'].entries()) {
      const pid = supervisorOf(fleet, name);
      expect(pid).not.toBe(before[index]);
      expect(controlGroupOf(pid)).toMatch(group);
    }
    expect(supervisorOf(fleet, 'charlie')).toBe(before[2]);
    const { lastRun, sessions } = await status();
    expect(lastRun).toMatchObject({ origin: 'schedule', outcome: 'done', failed: [] });
    expect(sessions.map(({ state }) => state)).toEqual(['detached', 'detached', 'detached']);
    expect(await run('schedule')).toMatch(/\nLast: .+, it went well\.\n/);

    // The next night finds what is left of this one.
    await manager.systemctl('start', UPDATE);
    expect(readRuns(stage)).toHaveLength(2);
    expect(listUnwatched(fleet)).toEqual([]);

    rmSync(join(units, `${UPDATE}.d`), { recursive: true, force: true });
    await run('uninstall');
    expect(await leftovers()).toEqual([]);
    expect(listUnwatched(fleet)).toEqual([]);
  },
);

test('another time makes up for nothing', async ({ stage }) => {
  await stage.addFleet(['alpha']);
  const { run, show } = await prepareInstalled(stage, manager);
  await run('schedule', '--at', '4:00');
  const stamp = join(manager.folder, 'home/.local/share/systemd/timers', `stamp-${TIMER}`);
  expect(existsSync(stamp)).toBe(true);
  // It last ran a day ago, and a minute ago it was time by the new schedule.
  const dayAgo = Date.now() / 1000 - 86_400;
  utimesSync(stamp, dayAgo, dayAgo);
  const minuteAgo = new Date(Date.now() - 60_000);
  await run(
    'schedule',
    '--at',
    `${minuteAgo.getUTCHours()}:${String(minuteAgo.getUTCMinutes()).padStart(2, '0')}`,
  );
  const next = await show(TIMER, 'NextElapseUSecRealtime');
  // Without the day of the week.
  const inHours = (Date.parse(next.slice(4)) - Date.now()) / 3_600_000;
  expect(inHours).toBeGreaterThan(23);
  expect(inHours).toBeLessThan(25);
  await run('schedule', '--off');
  expect(existsSync(stamp)).toBe(false);
});

test('beside an agent that runs by hand the service ends well, and takes over when it is told', async ({
  stage,
}) => {
  await stage.addFleet(['alpha']);
  const { run, show, shows, agentPid } = await prepareInstalled(stage, manager);
  const agent = await stage.startAgent({ watched: false });
  const said = await run('install');
  expect(said).toContain(`runs already (pid ${agent.pid}), and it stays.`);
  expect(await show(AGENT, 'UnitFileState')).toBe('enabled');
  expect(await show(AGENT, 'ActiveState')).toBe('inactive');
  // As the next login does.
  await manager.systemctl('start', AGENT);
  await shows(AGENT, 'ActiveState', 'inactive');
  expect(await show(AGENT, 'Result')).toBe('success');
  expect(await show(AGENT, 'NRestarts')).toBe('0');
  await agent.stop();
  await manager.systemctl('start', AGENT);
  expect(await agentPid()).not.toBe(agent.pid);
  await run('uninstall');
});

test('it comes and goes with a desktop session', async ({ stage }) => {
  await stage.addFleet(['alpha']);
  const { run, show, agentPid, leftovers } = await prepareInstalled(stage, manager);
  await run('install');
  await manager.systemctl('stop', AGENT);
  await manager.addUnit(
    'desktop.target',
    '[Unit]\nBindsTo=graphical-session.target\nBefore=graphical-session.target\n',
  );
  await manager.systemctl('start', 'desktop.target');
  const pid = await agentPid();
  expect(await run('install')).toMatch(/^removed {2}.+\/autostart\/sandy-tray\.desktop\n/);
  expect(await agentPid()).toBe(pid);
  await manager.systemctl('stop', 'desktop.target');
  await expectGone(pid);
  expect(await show(AGENT, 'Result')).toBe('success');
  await run('uninstall');
  expect(await leftovers()).toEqual([]);
});

test('one that can’t start is not tried for ever, and one with wrong settings not again', async ({
  stage,
}) => {
  await stage.addFleet(['alpha']);
  const { run, show, shows, adjust, agentPid } = await prepareInstalled(stage, manager);
  await run('install');
  await manager.systemctl('stop', AGENT);
  await adjust(AGENT, '[Service]\nEnvironment=SANDY_TRAY_TIME_SCALE=wrong\n');
  await manager.systemctl('start', AGENT);
  await shows(AGENT, 'ActiveState', 'failed');
  expect(await show(AGENT, 'NRestarts')).toBe('0');
  expect(await show(AGENT, 'ExecMainStatus')).toBe('2');
  const mended = join(manager.folder, 'mended');
  await adjust(
    AGENT,
    `[Service]\nEnvironment=SANDY_TRAY_TIME_SCALE=1\nExecStartPre=/usr/bin/test -e ${mended}\nRestartSec=0\n`,
  );
  await manager.systemctl('reset-failed', AGENT);
  await expect(manager.systemctl('start', AGENT)).rejects.toThrow();
  await shows(AGENT, 'ActiveState', 'failed');
  expect(await show(AGENT, 'NRestarts')).toBe('5');

  // Once what was wrong is mended nobody has to wait until systemd has forgotten it.
  writeFileSync(mended, '');
  await expect(manager.systemctl('start', AGENT)).rejects.toThrow();
  const said = await run('install');
  expect(said).toContain(`ran      systemctl --user reset-failed ${AGENT}\n`);
  await agentPid();
  expect(await run('install')).toContain('Nothing had to be changed.\n');
  await run('uninstall');
});
