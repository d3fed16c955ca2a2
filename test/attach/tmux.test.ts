import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';
import { buildDriver, type Driver, driverArgs } from './window.ts';

const here = spawnSync('tmux', ['-V']).status === 0;
if (!here) console.log('tmux is not installed: whether its modes are put right is not tested.');

let driver: Driver;
beforeAll(async () => {
  driver = await buildDriver();
  return driver.remove;
});

const modes = [
  'alternate_on',
  'bracket_paste_flag',
  'cursor_flag',
  'cursor_shape',
  'cursor_very_visible',
  'insert_flag',
  'keypad_cursor_flag',
  'keypad_flag',
  'mouse_all_flag',
  'mouse_any_flag',
  'mouse_button_flag',
  'mouse_sgr_flag',
  'mouse_standard_flag',
  'origin_flag',
  'pane_title',
  'scroll_region_lower',
  'scroll_region_upper',
  'synchronized_output_flag',
  'wrap_flag',
];

const dirt =
  '\\033[?1049h\\033[?1000h\\033[?1003h\\033[?1006h\\033[?2004h\\033[?25l\\033=\\033[?1h\\033[?7l\\033[4h' +
  '\\033[5;9r\\033[?6h\\033[31;1m\\033]2;dirty\\007dirty\\033]52;c;aGVsb';

// Without it a machine that is to test everything would say nothing.
test.skipIf(!here && process.env.CI !== 'true')('tmux is as it was after a mess', async () => {
  const folder = makeScratchFolder();
  const socket = join(folder, 'tmux');
  const tmux = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      'tmux',
      ['-f', '/dev/null', '-S', socket, ...args],
      {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, SHELL: '/bin/sh', HOME: folder, LANG: 'C.UTF-8' },
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.trimEnd();
  };
  const look = () =>
    tmux('display-message', '-p', modes.map((name) => `${name}=#{${name}}`).join('\n'));
  const child = writeScript(join(folder, 'child'), `printf '${dirt}'; read -r line; kill -9 $$`);
  const [node, ...args] = [
    process.execPath,
    ...driverArgs(driver, { file: child, args: [], reportTo: join(folder, 'report') }),
  ];
  const command = [node, ...args].map((word) => `'${word}'`).join(' ');
  const shell = writeScript(
    join(folder, 'shell'),
    `printf 'text before'; read -r line; ${command}; tput cols > "${folder}/ended"; read -r line`,
  );
  tmux('new-session', '-d', '-x', '80', '-y', '24', shell);
  onTestFinished(() => {
    tmux('kill-server');
  });
  await vi.waitFor(() => expect(tmux('capture-pane', '-p')).toBe('text before'), {
    timeout: 20_000,
  });
  const before = look();
  expect(before).toContain('mouse_any_flag=0');

  tmux('send-keys', 'Enter');
  await vi.waitFor(
    () => {
      expect(look().split('\n')).toEqual(
        expect.arrayContaining([
          'alternate_on=1',
          'cursor_flag=0',
          'mouse_any_flag=1',
          'wrap_flag=0',
        ]),
      );
    },
    { timeout: 20_000 },
  );

  tmux('send-keys', 'Enter');
  await vi.waitFor(() => expect(readFileSync(join(folder, 'ended'), 'utf8')).toBe('80\n'), {
    timeout: 20_000,
  });
  expect(look()).toBe(before);
  expect(tmux('capture-pane', '-p')).toBe('text before\n[text of ours]');
});
