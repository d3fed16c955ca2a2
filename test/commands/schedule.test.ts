import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { test as stageTest } from '../agent/running-agent.ts';
import { parseUnitWords, readKey } from '../service/parsers.ts';
import { program, type Services, test } from './services.ts';

const RELOAD = 'systemctl --user daemon-reload';
const TIMER = 'sandy-tray-update.timer';
const ENABLE = `systemctl --user enable --now ${TIMER}`;
const UNDO = 'Undo it with: sandy-tray schedule --off\n';
const LINGER =
  /^It runs only while you are logged in, and sessions that it restarts end with your last logout\. .+: loginctl enable-linger\n/m;

const timerOf = ({ unit }: Services) => join(dirname(unit), TIMER);
const updateOf = ({ unit }: Services) => join(dirname(unit), 'sandy-tray-update.service');

const commandOf = (services: Services) =>
  readKey(readFileSync(updateOf(services), 'utf8'), 'ExecStart').map((line) =>
    parseUnitWords(line, 'doubled'),
  );
const update = (minutes: string) => [
  ...program,
  ...['update', '--all', '--idle-for', minutes, '--yes', '--origin', 'schedule'],
];

describe.concurrent('schedule', () => {
  test('says what there is, which is nothing at first', async ({ services, expect }) => {
    expect(await services.run(['schedule'])).toMatchObject({
      code: 0,
      stdout: 'No nightly update is scheduled. Schedule one with: sandy-tray schedule --at 04:00\n',
      stderr: '',
    });
    expect(services.tree()).toEqual([]);
  });

  test('writes a timer and its job, once, and shows them', async ({ services, expect }) => {
    const first = await services.run(['schedule', '--at', '3:30']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(services.takeDeeds()).toEqual([RELOAD, ENABLE]);
    expect(first.stdout).toContain(`wrote    ${timerOf(services)}\n`);
    expect(first.stdout).toContain(`wrote    ${updateOf(services)}\n`);
    const sentence =
      'Every night at 03:30, or up to half an hour later, the sessions that were idle for 30 min are updated.\n';
    expect(first.stdout).toContain(sentence);
    expect(first.stdout).toMatch(LINGER);
    expect(first.stdout.endsWith(UNDO)).toBe(true);
    expect(readFileSync(timerOf(services), 'utf8')).toContain('\nOnCalendar=*-*-* 03:30:00\n');
    expect(commandOf(services)).toEqual([update('30')]);

    const second = await services.run(['schedule', '--at', '03:30', '--idle-for', '30']);
    expect(second.stdout).toContain('Nothing had to be changed.\n');
    // Two questions: of the units, and where they are.
    const looks = services.takeCalls();
    expect(looks.map((call) => call.split(' ').slice(0, 3).join(' '))).toEqual([
      'systemctl --user show',
      'systemctl --user show',
    ]);

    const units = {
      [TIMER]: {
        active: true,
        enabled: true,
        NextElapseUSecRealtime: 'Tue 2026-12-01 03:41:12 UTC',
      },
      'sandy-tray-update.service': {
        ExecMainExitTimestamp: 'Mon 2026-11-30 03:52:00 UTC',
        ExecMainStatus: 75,
      },
    };
    services.set({ units });
    const shown = await services.run(['schedule']);
    expect(shown.stdout).toContain(`${sentence}Next: Tue 2026-12-01 03:41:12 UTC.\n`);
    expect(shown.stdout).toContain(
      'Last: Mon 2026-11-30 03:52:00 UTC, it failed (exit code 75); see: journalctl --user -u sandy-tray-update.service.\n',
    );
    services.set({ units: { ...units, 'sandy-tray-update.service': { ExecMainStatus: 0 } } });
    expect((await services.run(['schedule'])).stdout).not.toContain('Last:');
    expect(services.takeDeeds()).toEqual([]);
  });

  test('another time begins anew, so that nothing is made up for', async ({ services, expect }) => {
    await services.run(['schedule', '--at', '4:00']);
    services.takeCalls();
    const ran = await services.run(['schedule', '--at', '14:05']);
    expect(ran.stdout).toContain('Every night at 14:05,');
    expect(services.takeDeeds()).toEqual([
      `systemctl --user stop ${TIMER}`,
      RELOAD,
      `systemctl --user clean --what=state ${TIMER}`,
      ENABLE,
    ]);
  });

  test('another patience is only another job', async ({ services, expect }) => {
    await services.run(['schedule', '--idle-for', '30']);
    services.takeCalls();
    const ran = await services.run(['schedule', '--idle-for', '90']);
    expect(ran.stdout).toContain('Every night at 04:00,');
    expect(services.takeDeeds()).toEqual([RELOAD]);
    expect(commandOf(services)).toEqual([update('90')]);
  });

  test('one that nothing runs is said to be so', async ({ services, expect }) => {
    await services.run(['schedule', '--at', '5:15', '--idle-for', '7']);
    services.set({ units: {} });
    expect((await services.run(['schedule'])).stdout).toBe(
      'A nightly update at 05:15 is written down, but nothing runs it. Mend that with: sandy-tray schedule --at 05:15 --idle-for 7\n',
    );
  });

  test('--print changes nothing', async ({ services, expect }) => {
    const printed = await services.run(['schedule', '--at', '4:00', '--print']);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(services.tree()).toEqual([]);
    await services.run(['schedule', '--at', '4:00']);
    for (const path of [timerOf(services), updateOf(services)]) {
      expect(printed.stdout).toContain(`=== ${path}\n${readFileSync(path, 'utf8')}`);
    }
    expect(printed.stdout).toContain(`would run     ${RELOAD}\nwould run     ${ENABLE}\n`);
    services.takeCalls();
    const off = await services.run(['schedule', '--off', '--print']);
    expect(off.stdout).toContain(`would run     systemctl --user disable --now ${TIMER}\n`);
    expect(services.takeDeeds()).toEqual([]);
    expect(services.tree()).toHaveLength(2);
  });

  test('--off leaves nothing', async ({ services, expect }) => {
    await services.run(['schedule', '--at', '4:00']);
    services.takeCalls();
    expect(await services.run(['schedule', '--off'])).toMatchObject({ code: 0, stderr: '' });
    expect(services.takeDeeds()).toEqual([
      `systemctl --user disable --now ${TIMER}`,
      `systemctl --user clean --what=state ${TIMER}`,
      RELOAD,
    ]);
    expect(services.tree()).toEqual([]);
    expect((await services.run(['schedule', '--off'])).stdout).toBe('Nothing had to be changed.\n');
  });

  test('without systemd it says what can be done', async ({ services, expect }) => {
    services.set({ unreachable: true });
    const { code, stdout, stderr } = await services.run(['schedule', '--at', '4:00']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'No systemd of yours answers here (Failed to connect to bus: No medium found), so nothing can be scheduled. Let cron run: sandy-tray update --all --idle-for 30 --yes\n',
    );
    expect(services.tree()).toEqual([]);
  });
});

describe.concurrent('an update that is scheduled already', () => {
  test.for([
    '0 3 * * * /home/me/.local/bin/sandy --update-sessions --yes --idle-for 20',
    '@daily cd / && sandy --update-sessions --yes >/dev/null',
    '*/5 * * * * sandy-tray update --all --yes',
    '0 3 * * * sandy --update-sessions --yes # \x1b[31mred\u202e',
  ])('by cron is named and not doubled: %j', async (line, { services, expect }) => {
    services.setCrontab(`# mine\nMAILTO=me\n${line}\n`);
    const { code, stdout, stderr } = await services.run(['schedule', '--at', '4:00']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [first = '', ...more] = stderr.split('\n');
    expect(first).toMatch(
      /^cron updates the sessions already: "[^\x00-\x1f\u202e]+"\. Take that line out with: crontab -e$/,
    );
    expect(first).toContain(line.slice(0, 30));
    expect(more).toHaveLength(2);
    expect(services.tree()).toEqual([]);
    const shown = await services.run(['schedule']);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(first);
    services.setCrontab('');
    expect((await services.run(['schedule', '--at', '4:00'])).code).toBe(0);
  });

  test('by another unit is named too', async ({ services, expect }) => {
    const path = join(dirname(services.unit), 'night.service');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '[Service]\nExecStart=/bin/sandy --update-sessions --yes\n');
    const { code, stderr } = await services.run(['schedule', '--at', '4:00']);
    expect(code).toBe(1);
    expect(stderr).toContain(`${path} updates the sessions already: "ExecStart=/bin/sandy `);
    expect(stderr).toContain(`Remove that file, or what it runs: ${path}\n`);
  });

  test.for([
    '# 0 3 * * * sandy --update-sessions --yes',
    '  #sandy --update-sessions',
    '0 3 * * * sandy --update-sessions --dry-run',
    '0 3 * * * sandy --print-state light',
    '0 3 * * * sandy-tray update --all --dry-run',
  ])('%j is none', async (line, { services, expect }) => {
    services.setCrontab(`${line}\n`);
    expect((await services.run(['schedule', '--at', '4:00'])).code).toBe(0);
  });
});

describe.concurrent('what the job runs', () => {
  stageTest(
    'is an update that nobody asked for, through the agent that there is',
    async ({ stage, expect }) => {
      stage.scale(20);
      await stage.addFleet([
        { name: 'alpha', idleMin: 60 },
        { name: 'bravo', idleMin: 5 },
      ]);
      const agent = await stage.startAgent();
      const [, , ...args] = update('30');
      const { code, stdout } = await stage.program.run(args);
      expect(code).toBe(0);
      expect(stdout).toContain('1 restarted, 0 failed.');
      const { lastRun } = await agent.sees(({ lastRun }) => lastRun !== null, 'the last run');
      expect(lastRun).toMatchObject({ origin: 'schedule', scope: 'fleet', failed: [] });
      expect(lastRun?.restarted).toEqual([expect.stringMatching(/^alpha-/)]);
      await agent.stop();
    },
  );
});
