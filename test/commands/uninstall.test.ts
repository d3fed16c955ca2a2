import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { readEvents } from '../../fixtures/fake-sandy/fleet.mjs';
import { find, until } from '../agent/running-agent.ts';
import { type Services, test, withDesktop } from './services.ts';

const RELOAD = 'systemctl --user daemon-reload';

async function installAll(services: Services): Promise<void> {
  await services.run(['install']);
  await services.run(['schedule', '--at', '4:00']);
  services.takeCalls();
}

const timerOf = ({ unit }: Services) => join(dirname(unit), 'sandy-tray-update.timer');
const updateOf = ({ unit }: Services) => join(dirname(unit), 'sandy-tray-update.service');

describe.concurrent('uninstall', () => {
  test('leaves nothing of install and schedule, and the second time does nothing', async ({
    services,
    expect,
  }) => {
    await installAll(services);
    expect(services.tree()).toHaveLength(4);
    const first = await services.run(['uninstall']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const deeds = [
      'systemctl --user disable --now sandy-tray-update.timer',
      'systemctl --user clean --what=state sandy-tray-update.timer',
      RELOAD,
      'systemctl --user disable --now sandy-tray.service',
      RELOAD,
    ];
    expect(services.takeDeeds()).toEqual(deeds);
    expect(first.stdout).toBe(
      [
        `ran      ${deeds[0]}`,
        `ran      ${deeds[1]}`,
        `removed  ${timerOf(services)}`,
        `removed  ${updateOf(services)}`,
        `ran      ${RELOAD}`,
        `ran      ${deeds[3]}`,
        `removed  ${services.unit}`,
        `ran      ${RELOAD}`,
        `removed  ${services.autostart}`,
        '',
      ].join('\n'),
    );
    expect(services.tree()).toEqual([]);
    expect(services.state().units).toMatchObject({
      'sandy-tray.service': { active: false, enabled: false },
      'sandy-tray-update.timer': { active: false, enabled: false },
    });
    expect(await services.run(['uninstall'])).toMatchObject({
      code: 0,
      stdout: 'Nothing had to be changed.\n',
      stderr: '',
    });
    expect(services.takeDeeds()).toEqual([]);
  });

  test('--print changes nothing', async ({ services, expect }) => {
    await installAll(services);
    await services.run(['config', 'set', 'tray', 'off']);
    const tree = services.tree();
    const printed = await services.run(['uninstall', '--purge', '--print']);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout).toContain(
      'would run     systemctl --user disable --now sandy-tray.service\n',
    );
    expect(printed.stdout).toContain(`would remove  ${services.unit}\n`);
    expect(printed.stdout).toContain(`would remove  ${services.config}/sandy-tray\n`);
    expect(services.tree()).toEqual(tree);
    expect(services.takeDeeds()).toEqual([]);
  });

  test('forgets a unit that failed', async ({ services, expect }) => {
    const failed = { active: false, enabled: true, ActiveState: 'failed' };
    await installAll(services);
    services.set({
      units: { ...withDesktop, 'sandy-tray.service': failed, 'sandy-tray-update.service': failed },
    });
    await services.run(['uninstall']);
    const deeds = services.takeDeeds();
    expect(deeds).toContain('systemctl --user reset-failed sandy-tray.service');
    expect(deeds).toContain('systemctl --user reset-failed sandy-tray-update.service');
  });

  test('without systemd it removes the files, and the links that enable them', async ({
    services,
    expect,
  }) => {
    await installAll(services);
    const folder = dirname(services.unit);
    const links = [
      join(folder, 'graphical-session.target.wants', 'sandy-tray.service'),
      join(folder, 'timers.target.wants', 'sandy-tray-update.timer'),
    ];
    for (const link of links) {
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync('/no/such', link);
    }
    services.set({ unreachable: true });
    const ran = await services.run(['uninstall']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('No systemd of yours answers here');
    for (const link of links) expect(ran.stdout).toContain(`removed  ${link}\n`);
    expect(services.tree()).toEqual([]);
  });

  test('what fails is told, and nothing behind it is done', async ({ services, expect }) => {
    await installAll(services);
    services.set({ failures: { disable: 1 } });
    const ran = await services.run(['uninstall', '--purge']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /^"systemctl --user disable --now .+" failed .+\. Mend that, .+\.\n$/,
    );
    expect(services.tree()).toHaveLength(4);
  });
});

describe.concurrent('--purge', () => {
  const foldersOf = ({ config, home }: Services) => [
    join(config, 'sandy-tray'),
    join(home, '.local', 'state', 'sandy-tray'),
  ];
  const fill = async (services: Services) => {
    await services.run(['config', 'set', 'tray', 'off']);
    await services.run(['status']);
    const [, state = ''] = foldersOf(services);
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'log.jsonl'), '');
  };

  test('removes preferences and state; without it they stay, and that is said', async ({
    services,
    expect,
  }) => {
    await fill(services);
    writeFileSync(join(services.home, 'mine'), '');
    const [config, state] = foldersOf(services);
    const kept = await services.run(['uninstall']);
    expect(kept).toMatchObject({ code: 0, stderr: '' });
    expect(kept.stdout).toContain(`Preferences and state were kept (${config}, ${state}); `);
    expect(foldersOf(services).map((folder) => existsSync(folder))).toEqual([true, true]);

    const purged = await services.run(['uninstall', '--purge']);
    expect(purged).toMatchObject({ code: 0, stderr: '' });
    expect(purged.stdout).toBe(
      `Nothing had to be changed.\nremoved  ${config}\nremoved  ${state}\n`,
    );
    expect(foldersOf(services).map((folder) => existsSync(folder))).toEqual([false, false]);
    expect(services.tree().map(([path]) => path)).toEqual(['mine']);
    expect(await services.run(['uninstall', '--purge'])).toMatchObject({
      code: 0,
      stdout: 'Nothing had to be changed.\n',
      stderr: '',
    });
    expect(services.tree().map(([path]) => path)).toEqual(['mine']);
  });

  test('never removes a folder that somebody named', async ({ services, expect }) => {
    await services.run(['install']);
    const tree = services.tree();
    const { code, stdout, stderr } = await services.run(['uninstall', '--purge'], {
      SANDY_TRAY_DIR: services.home,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^SANDY_TRAY_DIR names a folder of your own \(.+\), .+\. Remove it .+\.\n$/,
    );
    expect(services.tree()).toEqual(tree);
  });

  test('waits for the agent that runs by hand to be ended', async ({ services, stage, expect }) => {
    await stage.addFleet(['alpha']);
    const agent = await stage.startAgent({ watched: false });
    const refused = await services.run(['uninstall', '--purge']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`An agent still runs (pid ${agent.pid}), so `);
    expect(agent.stderr()).toBe('');
    await agent.stop();
    expect((await services.run(['uninstall', '--purge'])).code).toBe(0);
    expect(foldersOf(services).map((folder) => existsSync(folder))).toEqual([false, false]);
  });

  test('waits for an update that outlived who began it', async ({ services, stage, expect }) => {
    const fleet = await stage.addFleet([
      { name: 'alpha', supervisor: true, stop: 'ignored', delays: { stopLimitMs: 3_600_000 } },
    ]);
    const asker = stage.start(['update', '--all', '--yes']);
    await until(
      () => readEvents(fleet.dir).some(({ why }) => why === 'stop-ignored'),
      () => `${find(fleet, 'alpha').key} to be asked to stop: ${asker.stderr()}`,
    );
    asker.child.kill('SIGKILL');
    await asker.ended;
    const refused = await services.run(['uninstall', '--purge']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^A start, a stop or an update is still at work, .+\. Wait .+\.\n$/,
    );
    expect(foldersOf(services).map((folder) => existsSync(folder))).toContain(true);
  });
});
