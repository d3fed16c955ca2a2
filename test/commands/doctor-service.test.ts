import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { Check } from '../../src/commands/doctor-check.ts';
import { writeScript } from '../program.ts';
import { type Services, test, withDesktop } from './services.ts';

async function examine(services: Services) {
  const { stdout } = await services.run(['doctor', '--json']);
  const { checks } = JSON.parse(stdout);
  return (name: string) => checks.filter((check: { readonly name: string }) => check.name === name);
}

const LATE = 'nothing was heard for 5 s';
const TIMER = 'sandy-tray-update.timer';
const UPDATE = 'sandy-tray-update.service';

describe.concurrent('doctor, of the services', () => {
  test('names the agent’s: not installed, and then in order', async ({ services, expect }) => {
    expect((await examine(services))('service')).toMatchObject([
      { level: 'warn', fact: 'the agent does not start by itself', remedy: 'sandy-tray install' },
    ]);
    expect((await services.run(['install'])).code).toBe(0);
    const of = await examine(services);
    expect(of('service')).toMatchObject([{ level: 'ok', remedy: null }]);
    expect(of('night')).toEqual([]);
  });

  test('names what the last logout ends, where something of ours runs', async ({
    services,
    expect,
  }) => {
    const logout = {
      name: 'logout',
      level: 'warn',
      fact: 'sessions that the agent or the nightly update restarts end with your last logout',
      remedy: 'loginctl enable-linger',
    };
    expect((await examine(services))('logout')).toEqual([]);
    services.set({ units: { [TIMER]: { active: true, enabled: true } } });
    expect((await examine(services))('logout')).toEqual([logout]);
    services.set({ units: {} });
    await services.run(['install']);
    expect((await examine(services))('logout')).toEqual([logout]);
    services.set({ units: { ...services.state().units, ...withDesktop } });
    expect((await examine(services))('logout')).toEqual([]);
  });

  test('names the last night where it failed', async ({ services, expect }) => {
    services.set({ units: { [TIMER]: { active: true, enabled: true } } });
    expect((await examine(services))('night')).toMatchObject([{ level: 'ok' }]);
    services.set({
      units: {
        [TIMER]: { active: true, enabled: true },
        [UPDATE]: { ActiveState: 'failed', ExecMainStatus: 69 },
      },
    });
    expect((await examine(services))('night')).toEqual([
      {
        name: 'night',
        level: 'warn',
        fact: 'the last nightly update failed (exit code 69)',
        remedy: `journalctl --user -u ${UPDATE}`,
      },
    ]);
  });

  test.for([
    ['crontab', [['night', 'warn', LATE]]],
    [
      'systemctl',
      [
        ['service', 'warn', LATE],
        ['night', 'warn', LATE],
      ],
    ],
  ] as const)('does not wait for a %s that hangs', async ([name, late], { services, expect }) => {
    await services.run(['install']);
    // It tells by whom it is ended: after a minute of waiting it would be killed, and could tell nothing.
    const end = join(services.bin, 'end');
    writeScript(
      join(services.bin, name),
      `trap 'kill $!; echo told >"${end}"; exit' TERM; sleep 1000 >/dev/null 2>&1 & wait`,
    );
    const { code, stdout } = await services.run(['doctor', '--json']);
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout);
    expect(
      checks
        .filter((check: Check) => check.fact === LATE)
        .map((check: Check) => [check.name, check.level, check.fact]),
    ).toEqual(late);
    expect(checks.at(-1)).toMatchObject({ name: 'agent', remedy: 'sandy-tray run' });
    await expect.poll(() => existsSync(end), { timeout: 30_000 }).toBe(true);
  });

  test('asks systemd once, whatever is to be known of it', async ({ services, expect }) => {
    await services.run(['install']);
    services.takeCalls();
    await examine(services);
    // Two questions: of the units, and where they are.
    expect(services.takeCalls()).toHaveLength(2);
  });

  test('names what cron does already', async ({ services, expect }) => {
    services.setCrontab('0 3 * * * sandy --update-sessions --yes\n');
    expect((await examine(services))('night')).toMatchObject([
      { level: 'ok', fact: expect.stringContaining('0 3 * * * sandy --update-sessions --yes') },
    ]);
  });
});
