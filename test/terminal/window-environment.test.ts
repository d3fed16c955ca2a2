import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  addDesktop,
  composeWindowEnvironment,
  readShownEnvironment,
} from '../../src/terminal/window-environment.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';

const UTF8 = { LANG: 'de_DE.UTF-8' };

describe('the environment of a window', () => {
  test('is the opener’s without what is only its own', () => {
    const kept = {
      ...UTF8,
      HOME: '/h',
      PATH: '/bin',
      DISPLAY: ':0',
      XAUTHORITY: '/x',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/b',
      SSH_AUTH_SOCK: '/s',
      LIBGL_ALWAYS_SOFTWARE: '1',
      SANDY_HOME: '/sandy',
      TERMINFO_DIRS: '/t',
    };
    const own = {
      NODE_OPTIONS: '--inspect',
      npm_config_x: '1',
      INIT_CWD: '/w',
      TMUX: '/tmp/tmux',
      TMUX_PANE: '%1',
      TERM: 'tmux-256color',
      TERM_PROGRAM: 'tmux',
      COLORTERM: 'truecolor',
      WINDOWID: '7',
      INVOCATION_ID: 'a',
      JOURNAL_STREAM: '8:1',
      NOTIFY_SOCKET: '/n',
      LISTEN_FDS: '1',
      XDG_ACTIVATION_TOKEN: 'old',
      DESKTOP_STARTUP_ID: 'old',
      SANDY_TRAY_DIR: '/d',
      SANDY_TRAY_TIME_SCALE: '3',
      UNSET: undefined,
    };
    expect(composeWindowEnvironment({ ...kept, ...own }, null)).toEqual(kept);
  });

  test('has the desktop’s leave to take the focus under both names', () => {
    expect(composeWindowEnvironment({ ...UTF8, DESKTOP_STARTUP_ID: 'old' }, 'new')).toEqual({
      ...UTF8,
      XDG_ACTIVATION_TOKEN: 'new',
      DESKTOP_STARTUP_ID: 'new',
    });
  });

  test.each([
    [{}, { LANG: 'C.UTF-8' }],
    [{ LANG: 'C' }, { LANG: 'C.UTF-8' }],
    [{ LANG: 'de_DE.UTF-8', LC_ALL: 'C' }, { LANG: 'C.UTF-8' }],
    [{ LANG: 'de_DE.UTF-8', LC_CTYPE: 'POSIX' }, { LANG: 'C.UTF-8' }],
    [{ LC_CTYPE: 'en_US.utf8' }, { LC_CTYPE: 'en_US.utf8' }],
    [
      { LANG: 'C', LC_ALL: 'C.UTF8' },
      { LANG: 'C', LC_ALL: 'C.UTF8' },
    ],
    [
      { LANG: 'de_DE.UTF-8', LC_ALL: '' },
      { LANG: 'de_DE.UTF-8', LC_ALL: '' },
    ],
  ])('%j becomes %j', (given, expected) => {
    expect(composeWindowEnvironment(given, null)).toEqual(expected);
  });
});

describe('what the service manager knows of the desktop', () => {
  const shown = [
    'DISPLAY=:77',
    "XAUTHORITY=$'/run/it\\'s a\\tpath\\\\\\303\\251\\x21'",
    'XDG_CURRENT_DESKTOP=KDE',
    'HOME=/elsewhere',
    'PATH=/elsewhere',
    'LD_PRELOAD=/evil.so',
    'EMPTY=',
    'no variable',
  ].join('\n');

  /** A folder with a `systemctl`, as PATH; it counts its calls. */
  function makePath(body: string): string {
    const folder = makeScratchFolder();
    writeScript(join(folder, 'systemctl'), body);
    return `${folder}:/usr/bin:/bin`;
  }

  test('is read, also what is quoted', () => {
    expect(Object.fromEntries(readShownEnvironment(shown))).toEqual({
      DISPLAY: ':77',
      XAUTHORITY: "/run/it's a\tpath\\é!",
      XDG_CURRENT_DESKTOP: 'KDE',
      HOME: '/elsewhere',
      PATH: '/elsewhere',
      LD_PRELOAD: '/evil.so',
      EMPTY: '',
    });
  });

  test('fills in the display where there is none, and nothing else', async () => {
    const PATH = makePath(`test "$*" = "--user show-environment" && cat <<'END'\n${shown}\nEND`);
    const environment = { PATH, HOME: '/h', XDG_CURRENT_DESKTOP: 'GNOME' };
    expect(await addDesktop(environment, 'linux')).toEqual({
      ...environment,
      DISPLAY: ':77',
      XAUTHORITY: "/run/it's a\tpath\\é!",
    });
  });

  test.each([{ DISPLAY: ':0' }, { WAYLAND_DISPLAY: 'wayland-0' }])(
    'is not asked with %j',
    async (display) => {
      const environment = { PATH: makePath('echo XAUTHORITY=/asked'), ...display };
      expect(await addDesktop(environment, 'linux')).toEqual(environment);
    },
  );

  test.each(['exit 1', 'echo DISPLAY=:77; exit 1', 'kill -9 $$'])(
    'is nothing when its answer fails: %s',
    async (body) => {
      const environment = { PATH: makePath(body) };
      expect(await addDesktop(environment, 'linux')).toEqual(environment);
    },
  );

  test('is nothing without systemctl, and not asked on macOS', async () => {
    const environment = { PATH: makeScratchFolder() };
    expect(await addDesktop(environment, 'linux')).toEqual(environment);
    const mac = { PATH: makePath('echo DISPLAY=:77') };
    expect(await addDesktop(mac, 'darwin')).toEqual(mac);
  });
});
