/** The built agent's icon in real panels, and what clicks in its menu do. */

import { describe, expect, vi } from 'vitest';
import {
  type Fleet,
  type SessionSpec,
  sessionsOf,
  setKnobs,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { describeCure } from '../../src/tray/cures.ts';
import type { TrayIcon } from '../../src/tray/tray-picture.ts';
import { ask, begin, callsOf, changingCalls, takeAway } from '../agent/asking.ts';
import { find, type RunningAgent, type Stage, test, until } from '../agent/running-agent.ts';
import { expectGone } from '../processes.ts';
import { type PanelDesktop, type PanelName, startPanelDesktop } from './panel-desktop.ts';
import { closeMenu, goUp, openMenuAt, openSubmenu, seeIcon } from './panel-menu.ts';
import { saveScreenshot, surround } from './screenshots.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Rows of the menu, counted from its last one. Those of sessions come before: the last one first. */
const rows = { quit: 1, updateAll: 6, lastSession: 8 };

async function prepare(
  stage: Stage,
  panel: PanelName,
  sessions: readonly SessionSpec[],
  settings: Readonly<Record<string, unknown>> = {},
  scale = 30,
) {
  const desktop = await startPanelDesktop(panel);
  stage.scale(scale);
  stage.configure({ terminal: 'xterm', ...settings });
  const fleet = await stage.addFleet(sessions);
  const { DISPLAY, DBUS_SESSION_BUS_ADDRESS } = desktop.variables;
  const variables = { DISPLAY, DBUS_SESSION_BUS_ADDRESS };
  return { desktop, fleet, start: () => stage.startAgent({ tray: true, variables }) };
}

const trayIs = (agent: RunningAgent, state: string) =>
  agent.sees((status) => status.agent?.tray === state, `the tray: ${state}`);

/** How often the agent has said why there is no icon. */
const countCures = (agent: RunningAgent, state: string) =>
  agent.stderr().split(describeCure(state) ?? '').length - 1;

const isSaid = (agent: RunningAgent, state: string) =>
  until(
    () => countCures(agent, state) > 0,
    () => `why there is no icon: ${state}`,
  );

const isRunning = (fleet: Fleet, record: string) =>
  sessionsOf(fleet.dir).some((one) => one.record === record && one.container !== null);

async function restartAllStale(desktop: PanelDesktop): Promise<void> {
  const icon = await seeIcon(desktop, { shape: 'stale', count: 2 });
  const menu = await openMenuAt(desktop, icon);
  goUp(desktop, rows.updateAll);
  const both = await openSubmenu(desktop, menu);
  // From the first row that can be chosen round to the last one.
  desktop.press('Up');
  await saveScreenshot(desktop, 'update-all', surround(icon, both), 0);
  desktop.press('Return');
}

describe.each(['xfce4-panel', 'lxqt-panel'] as const)('%s', (panel) => {
  test('a click updates all sessions, once, and the number goes', async ({ stage }) => {
    const { desktop, fleet, start } = await prepare(stage, panel, [
      { name: 'alpha' },
      { name: 'bravo', clients: 1 },
      { name: 'charlie', stale: false },
    ]);
    const agent = await start();
    await trayIs(agent, 'shown');
    await agent.sees(({ badge }) => badge.state === 'stale' && badge.count === 2, 'two stale ones');
    await restartAllStale(desktop);
    await agent.sees(({ badge }) => badge.state === 'ok', 'nothing stale any more');
    await seeIcon(desktop, { shape: 'ok', count: null });
    await agent.sees(({ run }) => run === null, 'the end of the update');
    expect(changingCalls(fleet).map(({ argv }) => argv)).toEqual([['--update-sessions', '--yes']]);
    expect(agent.newest().lastRun).toMatchObject({ origin: 'menu', outcome: 'done' });
    expect(agent.newest().lastRun?.restarted.length).toBe(2);
    agent.signal('SIGTERM');
    expect((await agent.ended).code).toBe(0);
  });

  test('a click opens a session in a terminal, another one ends the agent alone', async ({
    stage,
  }) => {
    const { desktop, fleet, start } = await prepare(
      stage,
      panel,
      [
        { name: 'alpha', stale: false },
        { name: 'bravo', stale: false },
        { name: 'charlie', stale: false },
      ],
      {},
      // How long a window may take is scaled too, and a busy machine takes its time.
      1,
    );
    const agent = await start();
    const icon = await seeIcon(desktop, { shape: 'ok', count: null });
    const menu = await openMenuAt(desktop, icon);
    goUp(desktop, rows.lastSession + 1);
    await openSubmenu(desktop, menu);
    desktop.press('Return');
    const attaches = () => callsOf(fleet, '--attach');
    await until(
      () => attaches().length > 0,
      () => 'an attach',
    );
    const { workspace } = find(fleet, 'bravo');
    expect(attaches().map(({ argv, tty }) => ({ argv, tty }))).toEqual([
      { argv: ['--attach', '--workspace', workspace], tty: true },
    ]);
    const windows = desktop.windowsOf('XTerm');
    expect(windows.length).toBe(1);
    // It would be taken for the menu.
    desktop.killWindow(windows[0] ?? '');
    await expectGone(attaches()[0]?.pid ?? 0);
    await until(
      () => desktop.windowsOf('XTerm').length === 0,
      () => 'the end of the window',
    );
    await openMenuAt(desktop, icon);
    goUp(desktop, rows.quit);
    desktop.press('Return');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    for (const { record } of fleet.sessions) expect(isRunning(fleet, record)).toBe(true);
    expect(changingCalls(fleet)).toEqual([]);
  });

  test('the summary of an update stays while a person looks at it, and its output opens', async ({
    stage,
  }) => {
    // How long a window may take is scaled too, and a busy machine takes its time.
    const { desktop, start } = await prepare(stage, panel, [{ name: 'alpha' }], {}, 1);
    const agent = await start();
    await trayIs(agent, 'shown');
    expect((await ask(stage, 'update', '--all', '--yes')).code).toBe(0);
    const icon = await seeIcon(desktop, { shape: 'ok', count: null });
    const menu = await openMenuAt(desktop, icon);
    goUp(desktop, rows.lastSession + 1);
    await openSubmenu(desktop, menu);
    // The menu is drawn anew meanwhile.
    const checkedAt = agent.newest().checkedAt;
    expect((await ask(stage, 'update', '--all', '--dry-run')).code).toBe(0);
    const later = await agent.sees((status) => status.checkedAt !== checkedAt, 'another look');
    expect(later.lastRun).toMatchObject({ seen: false });
    desktop.press('Return');
    await until(
      () => desktop.windowsOf('XTerm').length > 0,
      () => 'a window with the output',
    );
    await agent.sees(({ lastRun }) => lastRun?.seen === true, 'that the summary was looked at');
    for (const window of desktop.windowsOf('XTerm')) desktop.killWindow(window);
    agent.signal('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
  });

  test('the icon comes by itself with a panel or a bus, and its absence is said once', async ({
    stage,
  }) => {
    const { desktop, start } = await prepare(stage, panel, [{ name: 'alpha' }]);
    await desktop.killPanel();
    const agent = await start();
    await trayIs(agent, 'no-watcher');
    await isSaid(agent, 'no-watcher');
    const status = () => stage.program.run(['status']);
    const doctor = () => stage.program.run(['doctor']);
    expect((await status()).stdout).toContain(describeCure('no-watcher'));
    expect((await doctor()).stdout).toContain(`warn  tray      ${describeCure('no-watcher')}`);
    desktop.startPanel();
    await trayIs(agent, 'shown');
    const icon = { shape: 'stale', count: 1 } as const;
    await seeIcon(desktop, icon);
    expect((await status()).stdout).not.toContain('No icon');
    expect((await doctor()).stdout).toContain('ok    tray      the icon is shown');

    await desktop.killPanel();
    await trayIs(agent, 'no-watcher');
    desktop.startPanel();
    await trayIs(agent, 'shown');
    await seeIcon(desktop, icon);
    expect(countCures(agent, 'no-watcher')).toBe(1);

    await desktop.killBus();
    await trayIs(agent, 'no-bus');
    await isSaid(agent, 'no-bus');
    await desktop.killPanel();
    await desktop.startBus();
    desktop.startPanel();
    await trayIs(agent, 'shown');
    await openMenuAt(desktop, await seeIcon(desktop, icon));
    await closeMenu(desktop);
    expect(countCures(agent, 'no-bus')).toBe(1);
    expect(countCures(agent, 'no-watcher')).toBe(1);
    agent.signal('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
  });

  test('has a shape and a number for every state, and a menu that says why', async ({ stage }) => {
    const { desktop, fleet, start } = await prepare(
      stage,
      panel,
      [
        { name: 'alpha', stale: false, clients: 1 },
        { name: 'bravo', stale: false },
        { name: 'charlie', stale: false },
        { name: 'delta', stale: false, start: 'run-fails' },
      ],
      { pollFullSeconds: 60 },
    );
    const agent = await start();
    const show = async (icon: TrayIcon) => {
      const box = await seeIcon(desktop, icon);
      await saveScreenshot(desktop, `icon-${icon.shape}`, box, 5);
      return box;
    };
    await show({ shape: 'ok', count: null });
    for (const name of ['bravo', 'charlie']) {
      setSession(fleet.dir, find(fleet, name).record, { stale: true, build: 'hangs' });
    }
    await show({ shape: 'stale', count: 2 });
    const update = begin(stage, 'update', '--all', '--yes');
    await show({ shape: 'updating', count: null });
    expect((await ask(stage, 'update', '--cancel')).code).toBe(0);
    await update.ended;

    const delta = find(fleet, 'delta');
    await takeAway(agent, fleet, delta);
    expect((await ask(stage, 'start', delta.key)).code).toBe(1);
    const icon = await show({ shape: 'attention', count: 1 });
    const again = begin(stage, 'update', '--all', '--yes');
    await agent.sees(({ run }) => run?.phase === 'building', 'a run in progress');
    expect(agent.newest().failures.map(({ key }) => key)).toEqual([delta.key]);
    const menu = await openMenuAt(desktop, icon);
    await saveScreenshot(desktop, 'menu', surround(icon, menu), 0);
    await closeMenu(desktop);
    expect((await ask(stage, 'update', '--cancel')).code).toBe(0);
    await again.ended;
    expect((await ask(stage, 'ack', '--all')).code).toBe(0);
    setKnobs(fleet.dir, { docker: 'blind' });
    await show({ shape: 'unknown', count: null });
    agent.signal('SIGTERM');
    expect((await agent.ended).code).toBe(0);
  });
});
