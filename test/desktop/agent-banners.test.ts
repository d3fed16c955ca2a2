/** The built agent's banners in real notification servers, and the terminals that real clicks open. */

import { describe, expect, vi } from 'vitest';
import { replaceContainer, type SessionSpec } from '../../fixtures/fake-sandy/fleet.mjs';
import { callsOf } from '../agent/asking.ts';
import { find, type Stage, takeAway, test, until } from '../agent/running-agent.ts';
import { expectGone } from '../processes.ts';
import { clickBanner, seeBanners, seeNone } from './banner-clicks.ts';
import { type ServerName, startNotifyDesktop } from './notify-desktop.ts';

vi.setConfig({ testTimeout: 180_000 });

const UPDATED = '2026-01-02T03:04:01Z';

async function prepare(stage: Stage, server: ServerName, sessions: readonly SessionSpec[]) {
  const desktop = await startNotifyDesktop(server);
  await desktop.startServer();
  // How long a window may take is scaled too, and a busy machine takes its time.
  stage.scale(1);
  stage.configure({
    returnWindowSeconds: 10,
    settleSeconds: 5,
    pollFullSeconds: 60,
    terminal: 'xterm',
  });
  const fleet = await stage.addFleet(sessions);
  const { DISPLAY, DBUS_SESSION_BUS_ADDRESS } = desktop.variables;
  const agent = await stage.startAgent({ variables: { DISPLAY, DBUS_SESSION_BUS_ADDRESS } });
  await stage.logs('baseline');
  const attaches = () => callsOf(fleet, '--attach');
  const end = async () => {
    agent.signal('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
  };
  return { desktop, fleet, agent, attaches, end };
}

describe.each(['dunst', 'xfce4-notifyd'] as const)('%s', (server) => {
  test('a lost session: the alarm, a click, and a terminal attached to it', async ({ stage }) => {
    const sessions = [{ name: 'alpha' }, { name: 'bravo', build: 'hangs' }] as const;
    const { desktop, fleet, attaches, end } = await prepare(stage, server, sessions);
    const alpha = find(fleet, 'alpha');
    const cron = await takeAway(stage, fleet, alpha);
    await stage.logs('late', alpha);
    await clickBanner(desktop);
    await until(
      () => desktop.windowsOf('XTerm').length > 0,
      () => 'a window',
    );
    replaceContainer(fleet.dir, alpha.record, { updatedAt: UPDATED });
    await until(
      () => attaches().length > 0,
      () => 'an attach',
    );
    expect(attaches().map(({ argv, tty }) => ({ argv, tty }))).toEqual([
      { argv: ['--attach', '--workspace', alpha.workspace], tty: true },
    ]);
    cron.child.kill();
    for (const window of desktop.windowsOf('XTerm')) desktop.killWindow(window);
    await expectGone(attaches()[0]?.pid ?? 0);
    await end();
    // What is said of the return goes with the agent: nobody could answer a click on it.
    await seeNone(desktop);
  });

  test('a rolling restart of all is one banner', async ({ stage }) => {
    const sessions = [{ name: 'alpha' }, { name: 'bravo' }, { name: 'charlie' }];
    const { desktop, fleet, agent, attaches, end } = await prepare(stage, server, sessions);
    const { code } = await stage.sandy(fleet, '--update-sessions', '--yes').ended;
    expect(code).toBe(0);
    await stage.logs('run-completed');
    await agent.sees(({ lastRun }) => lastRun?.restarted.length === 3, 'the sum');
    await seeBanners(desktop);
    expect(agent.banners()).toEqual([expect.stringContaining('3 restarted, 0 failed')]);
    // There is one to be clicked, and then none.
    await clickBanner(desktop);
    await until(
      () => desktop.windowsOf('XTerm').length > 0,
      () => 'a window to choose in',
    );
    const [window = ''] = desktop.windowsOf('XTerm');
    desktop.typeInto(window, '1');
    await until(
      () => attaches().length > 0,
      () => 'an attach to the first of the list',
    );
    expect(attaches()).toHaveLength(1);
    desktop.killWindow(window);
    await expectGone(attaches()[0]?.pid ?? 0);
    await seeNone(desktop);
    await end();
    await seeNone(desktop);
  });
});
