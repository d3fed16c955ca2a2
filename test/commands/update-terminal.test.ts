import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, vi } from 'vitest';
import {
  type Fleet,
  readCalls,
  readEvents,
  removeContainer,
  type SessionSpec,
  setLock,
} from '../../fixtures/fake-sandy/fleet.mjs';
import type { StatusDocument } from '../../src/control/status-document.ts';
import { find, until } from '../agent/running-agent.ts';
import { type Desk, type Terminal, type TerminalOptions, test } from '../attach/terminals.ts';
import { PROGRAM, writeScript } from '../program.ts';

const OWN_PROCESSES = join(import.meta.dirname, '..', 'agent', 'own-processes-preload.mjs');

const open = ({ open: openTerminal }: Desk, args: readonly string[], options?: TerminalOptions) =>
  openTerminal(process.execPath, ['--import', OWN_PROCESSES, PROGRAM, ...args], options);

const updatesOf = (fleet: Fleet) =>
  readCalls(fleet.dir).filter(({ argv }) => argv[0] === '--update-sessions');

async function statusOf({ stage }: Desk): Promise<StatusDocument> {
  return JSON.parse((await stage.program.run(['status', '--json'])).stdout);
}

/** Nothing steers a terminal but what we print, and nothing reorders a line. */
const HOSTILE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u0080-\u009f\x07]|\x1b\]|\x1b\[3/u;

/** sandy takes the youngest first: alpha is restarted, bravo waits to be let go, charlie comes last. */
const three: readonly SessionSpec[] = [
  { name: 'alpha', startedAt: Date.UTC(2026, 0, 3) },
  {
    name: 'bravo',
    startedAt: Date.UTC(2026, 0, 2),
    stop: 'ignored',
    delays: { stopLimitMs: 3_600_000 },
  },
  { name: 'charlie', startedAt: Date.UTC(2026, 0, 1) },
];

async function letGo(fleet: Fleet): Promise<void> {
  const { record, key } = find(fleet, 'bravo');
  await until(
    () => readEvents(fleet.dir).some(({ why }) => why === 'stop-ignored'),
    () => `${key} to be asked to stop`,
  );
  removeContainer(fleet.dir, record);
  setLock(fleet.dir, key, 'free');
}

/** What stood in the live line at any time, newest last; without its ends. */
function livesOf({ bytes }: Terminal): readonly string[] {
  return [...bytes().matchAll(/\r\x1b\[2K\x1b\[\?7l([^\r\n]*?)\x1b\[\?7h/g)].map(
    ([, line = '']) => line,
  );
}

describe.concurrent('the question', () => {
  test.for<[string, string, number]>([
    ['Enter', '\r', 0],
    ['n', 'n\r', 0],
    ['anything else', 'yeah\r', 0],
    ['Ctrl-D', '\x04', 0],
    ['Ctrl-C', '\x03', 130],
  ])('%s declines it, and nothing is spawned', async ([, keys, code], { desk, expect }) => {
    desk.stage.scale(20);
    const fleet = await desk.stage.addFleet([
      { name: 'alpha', clients: 2 },
      { name: 'bravo', stale: false },
      { name: 'charlie', running: false },
    ]);
    const terminal = open(desk, ['update', '--all']);
    const asked = await terminal.sees('Restart them? [y/N] ');
    expect(asked).toContain(
      'All 2 sessions are checked; those on a stale image are restarted (1 known now).',
    );
    expect(asked).toContain(`  ${find(fleet, 'alpha').key}  stale, somebody is attached now\r\n`);
    expect(asked).toContain(`  ${find(fleet, 'bravo').key}  current\r\n`);
    expect(asked).not.toContain('charlie');
    terminal.type(keys);
    await terminal.sees(/\r\nNothing was restarted\.\r\n/);
    expect(await terminal.ends()).toBe(code);
    expect(updatesOf(fleet)).toEqual([]);
    expect(existsSync(join(desk.stage.program.ownFolder, 'runs'))).toBe(false);
  });

  test('y runs it, of the named sessions only', async ({ desk, expect }) => {
    desk.stage.scale(20);
    const fleet = await desk.stage.addFleet(['alpha', 'bravo']);
    const alpha = find(fleet, 'alpha');
    const terminal = open(desk, ['update', 'alpha']);
    expect(await terminal.sees('[y/N] ')).toContain(
      '1 session will be updated & restarted where stale.',
    );
    terminal.type('y\r');
    await terminal.sees(`[sandy] Restarting ${alpha.key}...`);
    await terminal.sees('1 restarted, 0 failed.');
    await terminal.sees(`  ${alpha.key}  restarted`);
    expect(await terminal.ends()).toBe(0);
    expect(updatesOf(fleet).map(({ argv }) => argv)).toEqual([
      ['--update-sessions', '--yes', '--workspace', alpha.workspace],
    ]);
  });

  test('is answered to the agent that was started meanwhile', async ({ desk, expect }) => {
    desk.stage.scale(20);
    const fleet = await desk.stage.addFleet(['alpha']);
    const terminal = open(desk, ['update', '--all']);
    await terminal.sees('[y/N] ');
    const agent = await desk.stage.startAgent();
    terminal.type('y\r');
    await terminal.sees('1 restarted, 0 failed.');
    expect(await terminal.ends()).toBe(0);
    expect(updatesOf(fleet)).toHaveLength(1);
    expect(agent.newest().lastRun?.restarted).toEqual([find(fleet, 'alpha').key]);
    await agent.stop();
  });

  test('shows hostile names harmless, as the rest does', async ({ desk, expect }) => {
    desk.stage.scale(20);
    const steering = 'a\x1b]0;owned\x07\x1b[31m\n[sandy] Restarting b...\u202e\x9b2J日本';
    await desk.stage.addFleet(
      [
        {
          key: steering,
          workspace: join(desk.stage.program.folder, 'fleet', 'ws', steering),
          clients: 1,
        },
      ],
      {
        commands: {
          '--update-sessions': { stdout: '\x1b]0;owned\x07\x1b[31mred \u202eback\x9b2J\n' },
        },
      },
    );
    const terminal = open(desk, ['update', '--all'], { columns: 60 });
    const asked = await terminal.sees('[y/N] ');
    expect(asked).toContain('  a↵[sandy] Restarting b...日本  stale, somebody is attached now\r\n');
    terminal.type('y\r');
    await terminal.sees('red back\r\n');
    await terminal.sees('  a↵[sandy] Restarting b...日本  restarted');
    expect(await terminal.ends()).toBe(0);
    expect(terminal.bytes()).not.toMatch(HOSTILE);
  });
});

describe.concurrent('the live line', () => {
  test.for([
    ['with an agent', true],
    ['without one', false],
  ] as const)(
    'tells where the run is, here and elsewhere, %s',
    async ([, hasAgent], { desk, expect }) => {
      const { stage } = desk;
      stage.scale(20);
      const fleet = await stage.addFleet(three);
      const bravo = find(fleet, 'bravo');
      const agent = hasAgent ? await stage.startAgent({ watched: false }) : null;
      const first = open(desk, ['update', '--all', '--yes'], { columns: 100 });
      const live = /\[########\.{16}\] 1 of 3 restarted · \d+ s · restarting bravo-\w{8}/;
      await first.sees(`[sandy] Restarting ${bravo.key}...\r\n`);
      await first.sees(live);

      const second = open(desk, ['update', '--all', '--yes'], { columns: 100 });
      await second.sees('This update is running already; here is what it does.');
      await second.sees(`[sandy] Restarting ${bravo.key}...`);
      await second.sees(live);
      const watch = open(desk, ['status', '--watch'], { columns: 200 });
      await watch.sees(`Updating: 1 of 3 restarted, restarting ${bravo.key}.`);

      // It is the agent where there is none; whoever is left goes on.
      first.type('\x03');
      await first.sees(
        hasAgent
          ? 'The update goes on without this window.'
          : 'What sandy is doing now goes on; what comes after it waits for the next sandy-tray command or agent.',
      );
      expect(await first.ends()).toBe(130);
      await letGo(fleet);
      await second.sees('3 restarted, 0 failed.');
      expect(await second.ends()).toBe(0);
      expect(updatesOf(fleet)).toHaveLength(1);
      expect(await statusOf(desk)).toMatchObject({ run: null, lastRun: { failed: [] } });
      expect((await statusOf(desk)).lastRun?.restarted).toHaveLength(3);
      expect(stage.records().filter(({ kind }) => kind === 'run-completed')).toHaveLength(1);
      await agent?.stop();
    },
  );

  test('goes on without any window', async ({ desk }) => {
    desk.stage.scale(20);
    const fleet = await desk.stage.addFleet(three);
    const agent = await desk.stage.startAgent();
    const terminal = open(desk, ['update', '--all', '--yes']);
    await terminal.sees('1 of 3 restarted');
    terminal.close();
    await terminal.ended;
    await letGo(fleet);
    await agent.sees(({ lastRun }) => lastRun?.restarted.length === 3, 'the end of the run');
    await agent.stop();
  });

  test('is never longer than its window, and is gone at the end', async ({ desk, expect }) => {
    desk.stage.scale(20);
    const fleet = await desk.stage.addFleet(three);
    const terminal = open(desk, ['update', '--all', '--yes'], { columns: 40 });
    await terminal.sees('1 of 3 restarted');
    await letGo(fleet);
    await terminal.sees('3 restarted, 0 failed.');
    expect(await terminal.ends()).toBe(0);
    const lives = livesOf(terminal);
    expect(lives.length).toBeGreaterThan(3);
    for (const line of lives) expect(line.length).toBeLessThan(40);
    // Whatever is printed first takes it away.
    expect(terminal.bytes()).not.toMatch(/\x1b\[\?7h(?!\r\x1b\[2?K)/);
  });

  test('says it in words when the build hangs', async ({ desk, expect }) => {
    desk.stage.scale(20);
    await desk.stage.addFleet([
      { name: 'alpha', startedAt: Date.UTC(2026, 0, 2) },
      {
        name: 'bravo',
        startedAt: Date.UTC(2026, 0, 1),
        build: 'hangs',
        delays: { heartbeatMs: 400 },
      },
    ]);
    const agent = await desk.stage.startAgent({ watched: false });
    const terminal = open(desk, ['update', '--all', '--yes'], { columns: 120 });
    await terminal.sees(
      /\[############\.{12}\] building 2 of 2 · \d+ s · bravo-\w{8} #7 \[3\/5\] RUN step 3/,
    );
    await terminal.sees(
      'The image build has not moved for 15 minutes. `sandy-tray update --cancel` ends it',
    );
    await terminal.sees('the image build hangs');
    const { stdout } = await desk.stage.program.run(['status']);
    expect(stdout).toContain('\nUpdating: 0 restarted, the image build hangs.\n');
    const cancelled = open(desk, ['update', '--cancel']);
    await cancelled.sees('The update was cancelled; no session was touched.');
    expect(await cancelled.ends()).toBe(0);
    await terminal.sees('Cancelled; 0 restarted before.');
    expect(await terminal.ends()).toBe(1);
    await agent.stop();
  });

  test('a dry run, which has none, shows how the build goes', async ({ desk, expect }) => {
    desk.stage.scale(20);
    await desk.stage.addFleet([{ name: 'bravo', build: 'hangs' }]);
    const terminal = open(desk, ['update', '--all', '--dry-run']);
    await terminal.sees(/\.\.\.still refreshing bravo-\w{8} \(20s: #7 \[3\/5\] RUN step 3\)/);
    terminal.type('\x03');
    expect(await terminal.ends()).toBe(130);
  });
});

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux)
  console.log('tmux is not installed: what an update looks like on a screen is not tested.');

// Without it a machine that is to test everything would say nothing.
test.skipIf(!hasTmux && process.env.CI !== 'true')(
  'on a screen only one line is the live one, below the last of sandy',
  async ({ desk, expect }) => {
    const { program } = desk.stage;
    desk.stage.scale(20);
    const fleet = await desk.stage.addFleet(three);
    const socket = join(program.folder, 'tmux');
    const tmux = (...args: string[]) =>
      spawnSync('tmux', ['-f', '/dev/null', '-S', socket, ...args], {
        encoding: 'utf8',
        env: { ...program.environment, LANG: 'C.UTF-8' },
      }).stdout.trimEnd();
    const command = [
      process.execPath,
      '--import',
      OWN_PROCESSES,
      PROGRAM,
      'update',
      '--all',
      '--yes',
    ];
    const ended = join(program.folder, 'ended');
    const shell = writeScript(
      join(program.folder, 'in-tmux'),
      `${command.map((word) => `'${word}'`).join(' ')}; echo $? > '${ended}'; read -r line`,
    );
    tmux('new-session', '-d', '-x', '50', '-y', '40', shell);
    // Not when the test is finished: its socket would be gone by then, and it would stay.
    try {
      const screen = () => tmux('capture-pane', '-p').split('\n');
      const isLive = (line: string) => line.includes('of 3 restarted');
      const bravo = `[sandy] Restarting ${find(fleet, 'bravo').key}...`;
      const shown = (await until(
        () => {
          const lines = screen();
          const isWanted = / 1 of 3 restarted · /.test(lines.at(-1) ?? '') && lines.includes(bravo);
          return isWanted ? lines : null;
        },
        () => `the live line on ${screen().join('\n')}`,
      )) as string[];
      expect(shown.filter(isLive)).toHaveLength(1);
      expect(shown.at(-1)).toMatch(/^\[####\.{8}\] 1 of 3 restarted · .*…$/);
      expect(shown.at(-2)).toBe(bravo);
      await letGo(fleet);
      await vi.waitFor(() => expect(readFileSync(ended, 'utf8')).toBe('0\n'), { timeout: 60_000 });
      expect(screen().filter(isLive)).toEqual([]);
      expect(screen().filter((line) => line.endsWith('  restarted'))).toHaveLength(3);
      expect(screen().filter((line) => line.startsWith('[sandy] Restarting '))).toHaveLength(3);
    } finally {
      tmux('kill-server');
    }
  },
);
