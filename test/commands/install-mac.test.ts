import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { version } from '../../src/commands/version.ts';
import { type Bundle, bundleScript } from '../node-script.ts';
import type { Ran } from '../program.ts';
import { parsePlist } from '../service/parsers.ts';
import { holdAgentLock } from './agent-lock-holder.ts';
import { program, type Services, test } from './services.ts';

let driver: Bundle;
beforeAll(async () => {
  driver = await bundleScript(join(import.meta.dirname, 'mac-driver.ts'));
});
afterAll(() => driver?.remove());

const root = join(import.meta.dirname, '..', '..');

/** Runs a command as on a Mac; every wait is a thousand times shorter. */
function run(
  { bin, home }: Services,
  command: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Ran> {
  const order = { root, command, isShown: false, purges: false, timeScale: 1000, ...more };
  const environment = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    SHELL: '/bin/sh',
    LANG: 'de_DE.UTF-8',
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [driver.file, JSON.stringify(order)],
      { env: environment },
      (_, stdout, stderr) =>
        resolve({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    );
  });
}

const plistOf = ({ home }: Services, label = 'dev.sandy.tray') =>
  join(home, 'Library', 'LaunchAgents', `${label}.plist`);
const readPlist = (path: string) => parsePlist(readFileSync(path, 'utf8'));
const bootstrap = (path: string) => `launchctl bootstrap gui/501 ${path}`;
const ENABLE = 'launchctl enable gui/501/dev.sandy.tray';
const BOOTOUT = 'launchctl bootout gui/501/dev.sandy.tray';
const PRINT = 'launchctl print gui/501/dev.sandy.tray';
const UNDO = 'Undo it with: sandy-tray uninstall\n';

describe.concurrent('install with launchd', () => {
  test('writes the job and loads it, once', async ({ services, expect }) => {
    const path = plistOf(services);
    const first = await run(services, 'install');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(services.takeDeeds()).toEqual([ENABLE, bootstrap(path)]);
    expect(first.stdout).toBe(
      `wrote    ${path}\nran      ${ENABLE}\nran      launchctl bootstrap gui/501 '${path}'\n${UNDO}`,
    );
    const logs = join(services.home, 'Library', 'Logs', 'sandy-tray');
    expect(existsSync(logs)).toBe(true);
    expect(readPlist(path)).toMatchObject({
      ProgramArguments: [...program, 'run'],
      StandardErrorPath: join(logs, 'agent-errors.log'),
      EnvironmentVariables: {
        PATH: expect.stringContaining('/opt/homebrew/bin'),
        LANG: 'de_DE.UTF-8',
      },
    });
    const second = await run(services, 'install');
    expect(second.stdout).toBe(`Nothing had to be changed.\n${UNDO}`);
    expect(services.takeDeeds()).toEqual([]);
    expect(services.tree().map(([name]) => name)).toEqual([
      'Library/LaunchAgents/dev.sandy.tray.plist',
    ]);
  });

  test('a job that is another now is loaded only when the old one is gone', async ({
    services,
    expect,
  }) => {
    await run(services, 'install');
    const path = plistOf(services);
    writeFileSync(path, `${readFileSync(path, 'utf8')}<!-- of another version -->\n`);
    services.set({ lingers: 3 });
    services.takeCalls();
    expect(await run(services, 'install')).toMatchObject({ code: 0, stderr: '' });
    expect(services.takeCalls()).toEqual([
      PRINT,
      ENABLE,
      BOOTOUT,
      ...[PRINT, PRINT, PRINT, PRINT],
      bootstrap(path),
    ]);
    expect(services.state()).toMatchObject({ jobs: { 'dev.sandy.tray': {} } });
  });

  test('a job that does not go is told', async ({ services, expect }) => {
    await run(services, 'install');
    writeFileSync(plistOf(services), '');
    services.set({ lingers: 1_000_000 });
    const { code, stderr } = await run(services, 'install');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `The old service does not end: "${PRINT}" still shows it. Wait for it, then run this again.\n`,
    );
  });

  test('is tried again where launchd is not ready yet', async ({ services, expect }) => {
    services.set({ bootstrapCodes: [5, 37, 5, 5] });
    expect(await run(services, 'install')).toMatchObject({ code: 0, stderr: '' });
    expect(services.takeDeeds()).toEqual([ENABLE, ...Array(5).fill(bootstrap(plistOf(services)))]);
  });

  test.for([5, 125])(
    'error %i names the screen, and the next time goes on',
    async (code, { services, expect }) => {
      services.set({ bootstrapCodes: Array(5).fill(code) });
      const failed = await run(services, 'install');
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(`failed (exit code ${code}: Bootstrap failed: ${code}: `);
      expect(failed.stderr).toMatch(
        /launchd takes a job only for somebody who is logged in at the screen, not over ssh alone\. Log in there, then run this again\.\n$/,
      );
      services.takeCalls();
      expect((await run(services, 'install')).code).toBe(0);
      expect(services.takeDeeds()).toEqual([ENABLE, bootstrap(plistOf(services))]);
    },
  );

  test('an agent that runs by hand is named', async ({ services, expect }) => {
    const state = join(services.home, 'Library', 'Application Support', 'sandy-tray');
    mkdirSync(state, { recursive: true });
    const release = await holdAgentLock(state, version);
    const byHand = await run(services, 'install');
    expect(byHand.stdout).toContain(`runs already (pid ${process.pid}), and it stays.`);
    expect(byHand.stdout).toContain('then: launchctl kickstart gui/501/dev.sandy.tray\n');
    services.set({ jobs: { 'dev.sandy.tray': { pid: process.pid } } });
    expect((await run(services, 'install')).stdout).toBe(`Nothing had to be changed.\n${UNDO}`);
    await release();
  });

  test('an agent of another version is restarted, if it is the job’s', async ({
    services,
    expect,
  }) => {
    await run(services, 'install');
    const state = join(services.home, 'Library', 'Application Support', 'sandy-tray');
    const release = await holdAgentLock(state, '0.0.1');
    services.set({ jobs: { 'dev.sandy.tray': { pid: process.pid } } });
    services.takeCalls();
    expect((await run(services, 'install')).code).toBe(0);
    expect(services.takeDeeds()).toEqual(['launchctl kickstart -k gui/501/dev.sandy.tray']);
    await release();
  });

  test('what runs from a cache that is emptied is refused', async ({ services, expect }) => {
    const cached = '/home/me/.npm/_npx/1f2e/node_modules/sandy-tray/dist/main.js';
    const given = {
      program: [process.execPath, cached],
      schedule: { hour: 4, minute: 0, idleMinutes: 1 },
    };
    for (const command of ['install', 'schedule']) {
      const { code, stdout, stderr } = await run(services, command, given);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^This program is in npx's cache, .+\. Install it first: npm install /,
      );
    }
    expect(services.tree()).toEqual([]);
  });

  test('--print changes nothing', async ({ services, expect }) => {
    const printed = await run(services, 'install', { isShown: true });
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(services.takeDeeds()).toEqual([]);
    expect(existsSync(join(services.home, 'Library'))).toBe(false);
    await run(services, 'install');
    const path = plistOf(services);
    expect(printed.stdout).toContain(`=== ${path}\n${readFileSync(path, 'utf8')}`);
    expect(printed.stdout).toContain(`would run     ${ENABLE}\n`);
  });
});

describe.concurrent('uninstall with launchd', () => {
  test('leaves nothing, with and without the job loaded', async ({ services, expect }) => {
    const update = 'launchctl bootout gui/501/dev.sandy.tray.update';
    const schedule = { hour: 4, minute: 0, idleMinutes: 30 };
    for (const isLoaded of [true, false]) {
      await run(services, 'install');
      await run(services, 'schedule', { schedule });
      if (!isLoaded) services.set({ jobs: {} });
      services.takeCalls();
      const ran = await run(services, 'uninstall', { purges: true });
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(services.takeDeeds()).toEqual(isLoaded ? [update, BOOTOUT] : []);
      expect(services.tree()).toEqual([]);
      expect(existsSync(join(services.home, 'Library', 'Logs', 'sandy-tray'))).toBe(false);
    }
    expect((await run(services, 'uninstall')).stdout).toBe('Nothing had to be changed.\n');
  });
});

describe.concurrent('schedule with launchd', () => {
  const schedule = { hour: 4, minute: 5, idleMinutes: 45 };
  const label = 'dev.sandy.tray.update';

  test('writes the job, shows it, ends it', async ({ services, expect }) => {
    const path = plistOf(services, label);
    const first = await run(services, 'schedule', { schedule });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const sentence = 'Every night at 04:05 the sessions that were idle for 45 min are updated.\n';
    expect(first.stdout).toContain(sentence);
    expect(services.takeDeeds()).toEqual([`launchctl enable gui/501/${label}`, bootstrap(path)]);
    expect(readPlist(path)).toMatchObject({
      ProgramArguments: [
        ...program,
        ...['update', '--all', '--idle-for', '45', '--yes', '--origin', 'schedule'],
      ],
      StartCalendarInterval: { Hour: 4, Minute: 5 },
    });
    expect((await run(services, 'schedule', { schedule })).stdout).toContain(
      'Nothing had to be changed.\n',
    );
    expect(services.takeDeeds()).toEqual([]);

    const shown = await run(services, 'show');
    expect(shown.stdout).toMatch(/^Every night at 04:05 .+\nNext: (?:\w{3} )?04:05\.\nUndo/);
    expect(shown.stdout).not.toContain('Last:');
    services.set({ jobs: { [label]: { exitCode: 1 } } });
    expect((await run(services, 'show')).stdout).toContain('Last: it failed (exit code 1); ');
    services.set({ jobs: {} });
    expect((await run(services, 'show')).stdout).toContain('but nothing runs it.');

    services.set({ jobs: { [label]: {} } });
    services.takeCalls();
    expect((await run(services, 'off')).code).toBe(0);
    expect(services.takeDeeds()).toEqual([`launchctl bootout gui/501/${label}`]);
    expect(existsSync(path)).toBe(false);
  });

  test('another plist that updates is named and not doubled', async ({ services, expect }) => {
    const path = plistOf(services, 'org.mine.night');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      '<plist>\n<string>/opt/sandy</string>\n<string>--update-sessions</string>\n',
    );
    const { code, stdout, stderr } = await run(services, 'schedule', { schedule });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${path} updates the sessions already: "<string>--update-sessions`);
    expect(existsSync(plistOf(services, label))).toBe(false);
  });
});
