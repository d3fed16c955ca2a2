import { describe, expect, test } from 'vitest';
import { hasDisplay } from '../../src/system/display.ts';
import {
  linuxTerminalNames,
  macTerminalNames,
  type TerminalSetting,
} from '../../src/system/terminal-names.ts';
import { listCandidates } from '../../src/terminal/candidates.ts';

const COMMAND = ['/opt/no de', '/x/main.js', 'attach', '--ticket', 'T'];
const X11 = { DISPLAY: ':0' };
const WAYLAND = { WAYLAND_DISPLAY: 'wayland-1' };

function list(
  environment: Record<string, string>,
  setting: TerminalSetting = null,
  platform: NodeJS.Platform = 'linux',
) {
  return listCandidates({ platform, setting, environment }).list;
}
const names = (...args: Parameters<typeof list>) => list(...args).map(({ name }) => name);

function argvOf(name: string, environment: Record<string, string>, platform?: NodeJS.Platform) {
  const candidate = list(environment, null, platform).find((one) => one.name === name);
  const args = candidate?.argsFor(COMMAND, () => '/state/tickets/x.command');
  return [candidate?.file, ...(args ?? [])];
}

describe('on Linux', () => {
  test.each([
    ['xdg-terminal-exec', []],
    ['ghostty', ['-e']],
    ['kitty', ['--']],
    ['wezterm', ['start', '--always-new-process', '--']],
    ['alacritty', ['-e']],
    ['foot', ['--']],
    ['ptyxis', ['--new-window', '--']],
    ['kgx', ['--']],
    ['gnome-terminal', ['--']],
    ['konsole', ['-e']],
    ['xfce4-terminal', ['-x']],
    ['mate-terminal', ['-x']],
    ['qterminal', ['-e']],
    ['lxterminal', ['-e']],
    ['tilix', ['-e']],
    ['terminator', ['-x']],
    ['xterm', ['-e']],
    ['uxterm', ['-e']],
    ['x-terminal-emulator', ['-e']],
  ] as const)('%s is given the command after %j', (name, args) => {
    expect(argvOf(name, { ...X11, ...WAYLAND })).toEqual([name, ...args, ...COMMAND]);
  });

  test('every name is tried once, whatever is said twice', () => {
    const environment = {
      ...X11,
      ...WAYLAND,
      TERMINAL: 'kitty',
      XDG_CURRENT_DESKTOP: 'KDE:GNOME:KDE',
    };
    expect(names(environment, 'kitty').toSorted()).toEqual([...linuxTerminalNames].toSorted());
  });

  test.each([
    [{}, null, ['xdg-terminal-exec', 'x-terminal-emulator', 'ghostty']],
    [{ TERMINAL: 'lxterminal' }, null, ['lxterminal', 'xdg-terminal-exec', 'x-terminal-emulator']],
    [{ TERMINAL: 'lxterminal' }, 'xterm', ['xterm', 'lxterminal', 'xdg-terminal-exec']],
    [{ TERMINAL: 'moon' }, null, ['xdg-terminal-exec', 'x-terminal-emulator']],
    [{ TERMINAL: 'xterm -e sh -c' }, null, ['xdg-terminal-exec', 'x-terminal-emulator']],
    [
      { XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' },
      null,
      ['xdg-terminal-exec', 'ptyxis', 'kgx', 'gnome-terminal', 'x-terminal-emulator'],
    ],
    [
      { XDG_CURRENT_DESKTOP: 'XFCE' },
      null,
      ['xdg-terminal-exec', 'xfce4-terminal', 'x-terminal-emulator'],
    ],
    [{ XDG_CURRENT_DESKTOP: 'KDE' }, null, ['xdg-terminal-exec', 'konsole']],
    [
      { XDG_CURRENT_DESKTOP: '__proto__:constructor' },
      null,
      ['xdg-terminal-exec', 'x-terminal-emulator'],
    ],
  ] as const)('%j and the setting %j begin with %j', (variables, setting, expected) => {
    const found = names({ ...X11, ...variables }, setting);
    expect(found.slice(0, expected.length)).toEqual(expected);
  });

  test('a list is taken as it is, before the others', () => {
    const [own, next] = list(X11, ['/opt/a b/term', '--x', '{cmd}', '$(end)']);
    expect(own).toMatchObject({ name: 'term', file: '/opt/a b/term', named: true });
    expect(own?.argsFor(COMMAND, () => '')).toEqual(['--x', ...COMMAND, '$(end)']);
    expect(next?.name).toBe('xdg-terminal-exec');
  });

  test('a path in $TERMINAL is the one that is meant, unless the setting names that terminal', () => {
    const environment = { ...X11, TERMINAL: '/opt/kitty/bin/kitty' };
    expect(list(environment)[0]).toMatchObject({ name: 'kitty', file: '/opt/kitty/bin/kitty' });
    expect(list(environment, 'kitty')[0]).toMatchObject({ name: 'kitty', file: 'kitty' });
  });

  test('what draws on a display that is not there is left out', () => {
    expect(names(X11)).not.toContain('foot');
    expect(names(X11)).toContain('xterm');
    expect(names(WAYLAND)).toContain('foot');
    expect(names(WAYLAND)).not.toContain('xterm');
    expect(names(WAYLAND, 'xterm')).not.toContain('xterm');
    expect(names({})).toEqual([]);
    expect(names({ DISPLAY: '', WAYLAND_DISPLAY: '' }, 'kitty')).toEqual([]);
    expect(names({}, ['tmux', 'new-window', '{cmd}'])).toEqual(['tmux']);
  });

  test.each([
    [{}, false],
    [{ DISPLAY: '' }, false],
    [X11, true],
    [WAYLAND, true],
  ])('%j: a display? %j', (environment, expected) => {
    expect(hasDisplay(environment)).toBe(expected);
  });

  test.each([
    [X11, 'kitty', []],
    [X11, 'iterm2', [{ terminal: 'iterm2', kind: 'other-system' }]],
    [X11, 'foot', [{ terminal: 'foot', kind: 'no-screen' }]],
    [WAYLAND, 'xterm', [{ terminal: 'xterm', kind: 'no-screen' }]],
    [{ ...WAYLAND, TERMINAL: 'uxterm' }, null, [{ terminal: 'uxterm', kind: 'no-screen' }]],
    [{}, 'xterm', []],
  ] as const)('with %j, the setting %j: unfit is %j', (environment, setting, expected) => {
    expect(listCandidates({ platform: 'linux', environment, setting }).unfit).toEqual(expected);
  });
});

describe('on macOS', () => {
  const open = 'open';
  const file = '/state/tickets/x.command';

  test.each([
    ['terminal', [open, '-b', 'com.apple.Terminal', file]],
    ['iterm2', [open, '-b', 'com.googlecode.iterm2', file]],
    ['warp', [open, '-b', 'dev.warp.Warp-Stable', file]],
    ['kitty', [open, '-n', '-b', 'net.kovidgoyal.kitty', '--args', ...COMMAND]],
    ['alacritty', [open, '-n', '-b', 'org.alacritty', '--args', '-e', ...COMMAND]],
    [
      'ghostty',
      [
        open,
        '-n',
        '-b',
        'com.mitchellh.ghostty',
        '--args',
        '--quit-after-last-window-closed=true',
        '-e',
        ...COMMAND,
      ],
    ],
    ['wezterm', ['/Applications/WezTerm.app/Contents/MacOS/wezterm', 'start', '--', ...COMMAND]],
  ] as const)('%s', (name, expected) => {
    expect(argvOf(name, {}, 'darwin')).toEqual(expected);
  });

  test('the setting is first, Terminal next, and all are tried', () => {
    expect(names({}, null, 'darwin')).toEqual(macTerminalNames);
    expect(names({}, 'warp', 'darwin')).toEqual([
      'warp',
      ...macTerminalNames.filter((name) => name !== 'warp'),
    ]);
    const [own, next] = names({}, ['/opt/term', '{cmd}'], 'darwin');
    expect([own, next]).toEqual(['term', 'terminal']);
  });

  test('a Linux terminal in the setting is foreign', () => {
    const question = { platform: 'darwin', environment: {} } as const;
    expect(listCandidates({ ...question, setting: 'konsole' }).unfit).toEqual([
      { terminal: 'konsole', kind: 'other-system' },
    ]);
    expect(listCandidates({ ...question, setting: 'kitty' }).unfit).toEqual([]);
  });

  test('only what opens a file has one written', () => {
    const files = list({}, null, 'darwin').filter((candidate) => {
      let written = false;
      candidate.argsFor(COMMAND, () => {
        written = true;
        return file;
      });
      return written;
    });
    expect(files.map(({ name }) => name)).toEqual(['terminal', 'iterm2', 'warp']);
  });
});
