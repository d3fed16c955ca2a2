import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { writeScript } from '../program.ts';
import { parseDesktopExec, parseUnitWords, readKey } from '../service/parsers.ts';
import { holdAgentLock } from './agent-lock-holder.ts';
import { program, test, withDesktop } from './services.ts';

const ENABLE = 'systemctl --user enable --now sandy-tray.service';
const RELOAD = 'systemctl --user daemon-reload';
const UNDO = 'Undo it with: sandy-tray uninstall\n';
const LOGOUT =
  'Sessions that the agent restarts end with your last logout. To have them go on: loginctl enable-linger';

describe.concurrent('install with systemd', () => {
  test('writes the unit and starts it, once', async ({ services, expect }) => {
    services.set({ units: withDesktop });
    const first = await services.run(['install']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toBe(
      `wrote    ${services.unit}\nran      ${RELOAD}\nran      ${ENABLE}\n${UNDO}`,
    );
    expect(services.takeDeeds()).toEqual([RELOAD, ENABLE]);
    const tree = services.tree();
    expect(tree.map(([path]) => path)).toEqual(['.config/systemd/user/sandy-tray.service']);
    const text = readFileSync(services.unit, 'utf8');
    expect(readKey(text, 'ExecStart').map((line) => parseUnitWords(line, 'doubled'))).toEqual([
      [...program, 'run'],
    ]);

    const second = await services.run(['install']);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toBe(`Nothing had to be changed.\n${UNDO}`);
    expect(services.takeDeeds()).toEqual([]);
    expect(services.tree()).toEqual(tree);
  });

  test('the PATH is the login shell’s, whatever this terminal’s is', async ({
    services,
    program: { folder },
    expect,
  }) => {
    services.set({ units: withDesktop });
    const shell = writeScript(
      join(folder, 'login'),
      `PATH="/from the profile:relative:/run/user/7/only-now:$PATH:/a%b\\$c"; export PATH; exec /bin/sh -c "$2"`,
    );
    await services.run(['install'], {
      SHELL: shell,
      XDG_RUNTIME_DIR: '/run/user/7',
      SANDY_TRAY_SANDY: '/opt/my "sandy"',
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_CONFIG_HOME: 'relative',
    });
    const lines = readKey(readFileSync(services.unit, 'utf8'), 'Environment');
    const [path = '', ...others] = lines.flatMap((line) => parseUnitWords(line, 'plain'));
    expect(path.split(':').slice(0, 5)).toEqual([
      'PATH=/from the profile',
      services.bin,
      '/usr/bin',
      '/bin',
      '/a%b$c',
    ]);
    expect(path).toContain(`:${services.home}/.local/bin:`);
    expect(path).not.toContain('only-now');
    expect(path).not.toContain('relative');
    expect(others).toEqual([
      'SANDY_TRAY_SANDY=/opt/my "sandy"',
      `XDG_STATE_HOME=${join(folder, 'state')}`,
    ]);
  });

  test('what only this terminal has on its PATH is nothing for the service', async ({
    services,
    program: { folder },
    expect,
  }) => {
    services.set({ units: withDesktop });
    const shell = writeScript(
      join(folder, 'login'),
      'PATH=/from/profile:/usr/bin:/bin; export PATH; exec /bin/sh -c "$2"',
    );
    await services.run(['install'], { SHELL: shell });
    const text = readFileSync(services.unit, 'utf8');
    expect(text).toContain('"PATH=/from/profile:/usr/bin:/bin:');
    expect(text).not.toContain(services.bin);
  });

  test('a login shell that says nothing is named, and the terminal’s PATH taken', async ({
    services,
    expect,
  }) => {
    services.set({ units: withDesktop });
    const { code, stderr } = await services.run(['install'], { SHELL: '/bin/false' });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Your login shell did not show its environment .+\. See .+\.\n$/);
    expect(readFileSync(services.unit, 'utf8')).toContain(`"PATH=${services.bin}:/usr/bin:/bin:`);
  });

  test('a unit that is another now is written, and its agent restarted', async ({
    services,
    expect,
  }) => {
    services.set({ units: withDesktop });
    await services.run(['install']);
    const text = readFileSync(services.unit, 'utf8');
    writeFileSync(services.unit, `${text}# of another version\n`);
    services.takeCalls();
    expect((await services.run(['install'])).stdout).toContain(`wrote    ${services.unit}\n`);
    expect(services.takeDeeds()).toEqual([RELOAD, 'systemctl --user restart sandy-tray.service']);
    expect(readFileSync(services.unit, 'utf8')).toBe(text);
  });

  test('one that was ended or disabled is started or enabled', async ({ services, expect }) => {
    services.set({ units: withDesktop });
    await services.run(['install']);
    const set = (active: boolean, enabled: boolean) => {
      services.takeCalls();
      services.set({ units: { ...withDesktop, 'sandy-tray.service': { active, enabled } } });
    };
    set(false, true);
    await services.run(['install']);
    expect(services.takeDeeds()).toEqual(['systemctl --user start sandy-tray.service']);
    set(true, false);
    await services.run(['install']);
    expect(services.takeDeeds()).toEqual(['systemctl --user enable sandy-tray.service']);
    set(true, true);
    services.set({
      units: {
        ...withDesktop,
        'sandy-tray.service': { active: true, enabled: true, NeedDaemonReload: 'yes' },
      },
    });
    await services.run(['install']);
    expect(services.takeDeeds()).toEqual([RELOAD, 'systemctl --user restart sandy-tray.service']);
  });

  test('without a desktop that it knows an autostart entry is there too, as long as that is so', async ({
    services,
    expect,
  }) => {
    const { code, stdout } = await services.run(['install']);
    expect(code).toBe(0);
    expect(stdout).toContain(`wrote    ${services.unit}\n`);
    expect(stdout).toContain(`wrote    ${services.autostart}\n`);
    expect(stdout).toContain('No desktop session is known to systemd here');
    expect(stdout).toContain(`${LOGOUT}\n`);
    const [exec = ''] = readKey(readFileSync(services.autostart, 'utf8'), 'Exec');
    const words = parseDesktopExec(exec);
    expect(words[0]).toBe('/usr/bin/env');
    expect(words[1]).toMatch(/^PATH=.*\/home sweet "100%" \$HOME\/\.local\/bin:/);
    expect(words.slice(2)).toEqual([...program, 'run']);
    expect((await services.run(['install'])).stdout).toContain('Nothing had to be changed.\n');

    services.takeCalls();
    const state = services.state();
    services.set({ units: { ...state.units, ...withDesktop } });
    const later = await services.run(['install']);
    expect(later.stdout).toBe(`removed  ${services.autostart}\n${UNDO}`);
    expect(services.takeDeeds()).toEqual([]);
  });

  test('what is restarted ends with the last logout, which nobody who has a screen need be told', async ({
    services,
    expect,
  }) => {
    const install = async (variables = {}) => (await services.run(['install'], variables)).stdout;
    expect(await install()).toContain(LOGOUT);
    expect(await install({ DISPLAY: ':0' })).not.toContain(LOGOUT);
    expect(await install({ WAYLAND_DISPLAY: 'wayland-0' })).not.toContain(LOGOUT);
    services.set({ units: { ...services.state().units, ...withDesktop } });
    expect(await install()).not.toContain(LOGOUT);
  });

  test('--print shows the same and changes nothing', async ({ services, expect }) => {
    const printed = await services.run(['install', '--print']);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(services.takeDeeds()).toEqual([]);
    expect(services.tree()).toEqual([]);
    await services.run(['install']);
    for (const path of [services.unit, services.autostart]) {
      expect(printed.stdout).toContain(`=== ${path}\n${readFileSync(path, 'utf8')}`);
      expect(printed.stdout).toContain(`would write   ${path}\n`);
    }
    expect(printed.stdout).toContain(`would run     ${RELOAD}\nwould run     ${ENABLE}\n`);
    const again = await services.run(['install', '--print']);
    expect(again.stdout).toContain(`=== ${services.unit}\n`);
    expect(again.stdout).toContain('\nNothing had to be changed.\n');
    expect(again.stdout).not.toMatch(/^would /m);
  });

  test('what fails is told in two sentences, and the next time goes on from there', async ({
    services,
    expect,
  }) => {
    services.set({ units: withDesktop, failures: { enable: 4 } });
    const failed = await services.run(['install']);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toBe(`wrote    ${services.unit}\nran      ${RELOAD}\n`);
    expect(failed.stderr).toBe(
      `"${ENABLE}" failed (exit code 4: Failed to enable unit: Access denied). Mend that, then run this again.\n`,
    );
    services.takeCalls();
    services.set({ failures: {} });
    expect((await services.run(['install'])).stdout).toBe(`ran      ${ENABLE}\n${UNDO}`);
  });

  test('the manager’s own folder counts where it does not know ours', async ({
    services,
    program: { folder },
    expect,
  }) => {
    services.set({ units: withDesktop });
    await services.run(['install'], { XDG_CONFIG_HOME: join(folder, 'elsewhere') });
    expect(services.tree().map(([path]) => path)).toContain(
      '.config/systemd/user/sandy-tray.service',
    );
  });

  test('an agent that runs by hand stays, and how the service takes over is said', async ({
    services,
    stage,
    expect,
  }) => {
    services.set({ units: withDesktop });
    await stage.addFleet(['alpha']);
    const environment = stage.program.environment as Record<string, string>;
    environment.PATH = `${services.bin}:${environment.PATH}`;
    const agent = await stage.startAgent({ watched: false });
    const ran = await services.run(['install']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('ran      systemctl --user enable sandy-tray.service\n');
    expect(ran.stdout).toContain(`runs already (pid ${agent.pid}), and it stays.`);
    expect(ran.stdout).toContain('then: systemctl --user start sandy-tray.service\n');
    // The same agent as a service is nothing to speak of.
    const unit = { active: true, enabled: true, MainPID: agent.pid };
    services.set({ units: { ...withDesktop, 'sandy-tray.service': unit } });
    expect((await services.run(['install'])).stdout).toBe(`Nothing had to be changed.\n${UNDO}`);
    await agent.stop();
  });

  test('an agent of another version is restarted, if it is the unit’s', async ({
    services,
    expect,
  }) => {
    services.set({ units: withDesktop });
    await services.run(['install']);
    const release = await holdAgentLock(
      join(services.home, '.local', 'state', 'sandy-tray'),
      '0.0.1',
    );
    const unit = { active: true, enabled: true, MainPID: process.pid };
    services.set({ units: { ...withDesktop, 'sandy-tray.service': unit } });
    services.takeCalls();
    await services.run(['install']);
    expect(services.takeDeeds()).toEqual(['systemctl --user restart sandy-tray.service']);
    services.set({ units: { ...withDesktop, 'sandy-tray.service': { ...unit, MainPID: 1 } } });
    await services.run(['install']);
    expect(services.takeDeeds()).toEqual([]);
    await release();
  });

  test('a name that an upgrade leaves is taken for the file behind it', async ({
    services,
    expect,
  }) => {
    services.set({ units: withDesktop });
    const link = join(services.home, 'bin', 'sandy-tray');
    mkdirSync(join(services.home, 'bin'));
    symlinkSync(program[1] ?? '', link);
    await services.run(['install']);
    const [exec = ''] = readKey(readFileSync(services.unit, 'utf8'), 'ExecStart');
    expect(parseUnitWords(exec, 'doubled')).toEqual([program[0], link, 'run']);
  });
});

describe.concurrent('install without systemd', () => {
  test.for([
    ['nobody answers', {}, 'Failed to connect to bus: No medium found'],
    ['there is none', { PATH: '/no/such' }, 'there is no systemctl'],
  ] as const)(
    '%s: an autostart entry, and a sentence',
    async ([, variables, reason], { services, expect }) => {
      services.set({ unreachable: true });
      const first = await services.run(['install'], variables);
      expect(first.code).toBe(0);
      expect(first.stdout).toBe(
        `wrote    ${services.autostart}\nNo systemd of yours answers here (${reason}), so the agent comes with your next desktop session instead. Until then: sandy-tray run\n${UNDO}`,
      );
      expect(services.tree().map(([path]) => path)).toEqual([
        '.config/autostart/sandy-tray.desktop',
      ]);
      expect((await services.run(['install'], variables)).stdout).toContain(
        'Nothing had to be changed.\n',
      );
    },
  );
});

describe.concurrent('what can’t be written is refused before anything is', () => {
  test('a home with a line break', async ({ services, program: { folder }, expect }) => {
    const home = join(folder, 'two\nlines\x1b[31m');
    mkdirSync(home);
    for (const args of [['install'], ['schedule', '--at', '4:00'], ['install', '--print']]) {
      const { code, stdout, stderr } = await services.run(args, { HOME: home });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^"[^"\x00-\x1f]+two↵lines[^"\x00-\x1f]*" has a character in it that no service file can hold\. Rename .+\.\n$/,
      );
    }
    expect(services.takeDeeds()).toEqual([]);
  });

  test('a folder that is a file', async ({ services, expect }) => {
    services.set({ units: withDesktop });
    mkdirSync(services.config);
    writeFileSync(join(services.config, 'systemd'), '');
    const { code, stderr } = await services.run(['install']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${services.unit} can't be changed (ENOTDIR). Mend its permissions or free the disk, then try again.\n`,
    );
    expect(services.takeDeeds()).toEqual([]);
  });
});

describe.concurrent('wrong usage', () => {
  test.for([
    [['install', 'now'], 'Too many arguments.'],
    [
      ['install', '--shell', 'csh'],
      'There is no function for the shell "csh"; say bash, zsh or fish.',
    ],
    [['install', '--shell', 'bash', 'zsh'], 'Too many arguments.'],
    [['install', '--shell', '--print'], '--shell prints its function and does nothing else.'],
    [['uninstall', 'all'], 'Too many arguments.'],
    [['schedule', '--at', '25:00'], '"25:00" is no time of the day; --at takes one such as 04:00.'],
    [
      ['schedule', '--at', '4:00', '--idle-for', '0'],
      '"0" is no number of minutes; --idle-for takes a whole number from 1.',
    ],
    [['schedule', '--off', '--at', '4:00'], '--off goes with --print only.'],
    [['schedule', '--print'], '--print shows what --at or --off would do.'],
    [['schedule', 'daily'], 'Too many arguments.'],
    [
      ['update', '--all', '--yes', '--origin', 'menu'],
      '"menu" is no origin of an update; --origin takes schedule.',
    ],
  ] as const)('%j is refused in two lines', async ([args, sentence], { services, expect }) => {
    const { code, stdout, stderr } = await services.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^[^\n]+\.\nUsage: [^\n]+\n$/);
    expect(stderr.split('\n')[0]).toBe(sentence);
    expect(services.takeCalls()).toEqual([]);
  });
});
