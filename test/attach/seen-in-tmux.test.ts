import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe } from 'vitest';
import { setKnobs } from '../../fixtures/fake-sandy/fleet.mjs';
import { find, until } from '../agent/running-agent.ts';
import { PROGRAM } from '../program.ts';
import { believes, type Desk, test as deskTest } from './terminals.ts';

const OWN_PROCESSES = join(import.meta.dirname, '..', 'agent', 'own-processes-preload.mjs');

/** A shell in a tmux window: what a person sees, cell by cell. */
interface Screen {
  readonly lines: () => readonly string[];
  /** Waits until the screen is as wanted; gives its lines. */
  shows(wanted: RegExp): Promise<readonly string[]>;
  type(keys: string): void;
  /** What tmux knows of the window's modes. */
  readonly modes: () => string;
}

const test = deskTest.extend<{ screen: Screen }>({
  screen: async ({ stage }, use) => {
    const socket = join(stage.program.folder, 'tmux');
    stage.scale(5);
    const tmux = (...args: string[]) => {
      const { stdout, stderr, status } = spawnSync(
        'tmux',
        ['-S', socket, '-f', '/dev/null', ...args],
        {
          encoding: 'utf8',
          env: { ...stage.program.environment, PS1: 'shell% ', LC_ALL: 'C.UTF-8' },
        },
      );
      if (status !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
      return stdout;
    };
    try {
      await use({
        lines: () => tmux('capture-pane', '-p').trimEnd().split('\n'),
        async shows(wanted) {
          await until(
            () => wanted.test(this.lines().join('\n')),
            () => `${wanted} in\n${this.lines().join('\n')}`,
          );
          return this.lines();
        },
        type: (keys) => {
          if (keys.startsWith('open')) tmux('new-session', '-d', '-x', '80', '-y', '24', '/bin/sh');
          else tmux('send-keys', '-l', keys);
        },
        modes: () =>
          tmux(
            'display-message',
            '-p',
            '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag} #{keypad_cursor_flag} #{wrap_flag}',
          ).trim(),
      });
    } finally {
      spawnSync('tmux', ['-S', socket, 'kill-server']);
    }
  },
});

/** A window whose modes are those of a shell: main screen, a cursor, no mouse, wrapping. */
const PLAIN = '0 1 0 0 0 1';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const isWanted = hasTmux || process.env.CI === 'true';
if (!isWanted) console.log('Not run: what a person sees, in tmux. There is no tmux here.');

async function enter(
  { stage }: Desk,
  screen: Screen,
  sessions: Parameters<typeof stage.addFleet>[0],
  knobs = {},
) {
  const fleet = await stage.addFleet(sessions, knobs);
  stage.configure({ returnWindowSeconds: 10, watchMinutes: 1 });
  screen.type('open');
  await screen.shows(/shell%$/m);
  return fleet;
}

const attachLine = (argument: string) =>
  `clear; PATH=$PATH '${process.execPath}' --import '${OWN_PROCESSES}' '${PROGRAM}' attach ${argument}; echo code $?\r`;

describe.runIf(isWanted).concurrent('what a person sees', () => {
  test('of a restart: one line rewritten, then the session; at the end a shell as before', async ({
    desk,
    screen,
    expect,
  }) => {
    const fleet = await enter(desk, screen, ['alpha'], {
      delays: { beforeLockMs: 10_000, innerMs: 10_000 },
    });
    const alpha = find(fleet, 'alpha');
    screen.type(attachLine(alpha.key));
    await screen.shows(/^attached alpha-\w+ \w+\n\$$/m);
    screen.type('dirty\r');
    desk.stage.sandy(fleet, '--update-sessions', '--yes');
    const gone = await screen.shows(/restarts for an update · \d:\d\d · Ctrl-C leaves\]/);
    expect(gone).toHaveLength(1);
    screen.type('never sent');
    const typed = await screen.shows(/not sent/);
    expect(typed).toHaveLength(1);
    const starting = await screen.shows(/is starting · \d:\d\d/);
    expect(starting).toHaveLength(1);
    await screen.shows(/^attached alpha-\w+ \w+\n\$$/m);
    screen.type('touch here\r');
    await screen.shows(/touched here/);
    await believes(fleet, alpha, { timeScale: 5, stateFolder: desk.stage.program.ownFolder });
    screen.type('\x02d');
    const after = await screen.shows(/^code 3\nshell%$/m);
    expect(after.slice(0, 4)).toEqual([
      expect.stringMatching(/^\[alpha-\w+ was restarted for updates \d\d:\d\d; attaching again\]$/),
      '[detached (from session sandy)]',
      expect.stringMatching(/^\[detached from alpha-\w+; it keeps running\]$/),
      'code 3',
    ]);
    expect(screen.modes()).toBe(PLAIN);
    screen.type('echo usable\r');
    await screen.shows(/^usable$/m);
  });

  test('of a stop by hand, and of giving up', async ({ desk, screen, expect }) => {
    const fleet = await enter(desk, screen, ['alpha']);
    const alpha = find(fleet, 'alpha');
    screen.type(attachLine(alpha.key));
    await screen.shows(/^attached alpha/m);
    await desk.stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    const gone = await screen.shows(/is gone; it may .*Ctrl-C leaves\]/);
    expect(gone).toHaveLength(1);
    const given = await screen.shows(/did not come back/);
    expect(given).toEqual([`[${alpha.key} did not come back]`, '[Enter tries again · q quits]']);
    // A return by hand has no stamp of an update.
    await desk.stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
    const back = await screen.shows(/is back; Enter attaches/);
    expect(back).toEqual([
      `[${alpha.key} did not come back]`,
      `[${alpha.key} is back; Enter attaches]`,
      '[Enter tries again · q quits]',
    ]);
    screen.type('q');
    await screen.shows(/^code 4\nshell%$/m);
    expect(screen.modes()).toBe(PLAIN);
  });

  test('of an agent that quit inside', async ({ desk, screen, expect }) => {
    const fleet = await enter(desk, screen, ['alpha']);
    const alpha = find(fleet, 'alpha');
    screen.type(attachLine(alpha.key));
    await screen.shows(/^attached alpha/m);
    screen.type('exit\r');
    const lines = await screen.shows(/^code 0\nshell%$/m);
    expect(lines.slice(0, 3)).toEqual([
      '[exited]',
      '[sandy] Session ended (agent exited); the daemon is shutting down.',
      `[${alpha.key} ended: the agent inside quit]`,
    ]);
    expect(screen.modes()).toBe(PLAIN);
  });

  test("of an attach that fails: the last word is sandy's", async ({ desk, screen, expect }) => {
    const fleet = await enter(desk, screen, ['alpha']);
    const alpha = find(fleet, 'alpha');
    setKnobs(fleet.dir, {
      commands: { '--attach': { exitCode: 1, stderr: 'The build files are busy.\r\n' } },
    });
    screen.type(attachLine(alpha.key));
    await screen.shows(
      /\[attaching to alpha-\w+ failed: The build files are busy\.\]\n\[Enter tries again · q quits\]$/m,
    );
    expect(screen.modes()).toBe(PLAIN);
  });
});
