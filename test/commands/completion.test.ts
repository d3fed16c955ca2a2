import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pty from 'node-pty';
import { describe, expect as expectNow, onTestFinished, vi } from 'vitest';
import { catalogue } from '../../src/commands/catalogue.ts';
import { readShapes } from '../../src/commands/completion-shape.ts';
import { openFleetState } from '../../src/store/fleet-state.ts';
import { preferenceKeys } from '../../src/store/preferences.ts';
import { test } from '../agent/running-agent.ts';
import { PROGRAM, type Program, writeScript } from '../program.ts';
import { makeModel, makeRow, withRows } from '../store/fleet-parts.ts';

const hostileKeys = [
  '$(touch x)',
  '`touch x`',
  'a b;c',
  '-rf',
  "q'touch x'",
  'zo\ntouch x',
  '~',
  '',
];
const plainKeys = ['zebra-1.x', 'zork-3f2a', 'ähre_7'];

/** Puts sessions into the state that the last agent left. */
function saveSessions(program: Program, keys: readonly string[]): void {
  const rows = keys.map((key) => makeRow(key));
  openFleetState(program.ownFolder).save(withRows(makeModel(), rows));
}

/** The folder of a `sandy-tray` on PATH; `sessions`: what it says of them, instead of the truth. */
function install(program: Program, sessions?: readonly string[]): string {
  const bin = join(program.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const lie = join(bin, 'sessions');
  if (sessions !== undefined) writeFileSync(lie, `${sessions.join('\n')}\n`);
  writeScript(
    join(bin, 'sandy-tray'),
    `[ "$2" = --sessions ] && [ -f '${lie}' ] && exec cat '${lie}'\nexec '${process.execPath}' '${PROGRAM}' "$@"`,
  );
  return bin;
}

function variablesOf(program: Program): Record<string, string> {
  const PATH = `${join(program.folder, 'bin')}:/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin`;
  return { ...program.environment, PATH, TERM: 'xterm', LC_ALL: 'C.UTF-8', INPUTRC: '/dev/null' };
}

const hasShell = (name: string) => spawnSync(name, ['-c', 'exit 0']).status === 0;

interface Terminal {
  /** Types, and waits until the screen shows what is expected of it since; gives what it showed. */
  type(keys: string, shown: RegExp | readonly string[]): Promise<string>;
}

const starts = {
  bash: {
    args: ['--norc', '--noprofile', '-i'],
    setUp: `bind 'set show-all-if-ambiguous on'; bind 'set enable-bracketed-paste off'; eval "$(sandy-tray completion bash)"`,
  },
  zsh: {
    args: ['-f', '-i'],
    setUp: `autoload -U compinit; compinit -u -D; PS1='> '; LISTMAX=1000; eval "$(sandy-tray completion zsh)"`,
  },
};

/** A shell as a person has it, with the completion switched on. */
async function openTerminal(shell: 'bash' | 'zsh', program: Program): Promise<Terminal> {
  const child = pty.spawn(shell, starts[shell].args, {
    cols: 200,
    rows: 60,
    cwd: program.folder,
    env: variablesOf(program),
  });
  const ended = new Promise((resolve) => child.onExit(resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let screen = '';
  child.onData((data) => {
    screen += data;
  });
  const type: Terminal['type'] = async (keys, shown) => {
    const since = screen.length;
    child.write(keys);
    // Without what steers the terminal, and without the backslashes of a shell that quotes its offers.
    const look = () => screen.slice(since).replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|[\x00\x07\\]/g, '');
    await vi.waitFor(
      () => {
        if (shown instanceof RegExp) expectNow(look()).toMatch(shown);
        else for (const word of shown) expectNow(look()).toContain(word);
      },
      { timeout: 30_000 },
    );
    return look();
  };
  await type(`${starts[shell].setUp}; echo rea''dy\r`, /ready\r?\n/);
  return { type };
}

const CLEAR = '\x15';

describe.for(['bash', 'zsh'] as const)('%s', (shell) => {
  const title = hasShell(shell) ? '' : ' (not checked: this shell is not installed)';

  test.skipIf(!hasShell(shell))(`completes at a prompt${title}`, async ({ program, expect }) => {
    install(program);
    saveSessions(program, [...plainKeys, ...hostileKeys]);
    const { type } = await openTerminal(shell, program);
    await type('sandy-tray up\t', /sandy-tray update /);
    await type(`${CLEAR}sandy-tray update zo\t`, /zork-3f2a /);
    await type(`${CLEAR}sandy-tray update zork-3f2a ze\t`, /zebra-1\.x /);
    await type(`${CLEAR}sandy-tray update --dr\t`, /--dry-run /);
    await type(`${CLEAR}sandy-tray config se\t`, /config set /);
    const notify = preferenceKeys.filter((key) => key.startsWith('notify.'));
    const keys = await type(`${CLEAR}sandy-tray config set notify.\t`, notify);
    expect(keys).not.toContain('quietHours');
    await type(`${CLEAR}sandy-tray completion f\t`, /completion fish /);
    await type(`${CLEAR}sandy-tray install --shell f\t`, /install --shell fish /);
    // Without the option it would be refused.
    const refused = await type(`${CLEAR}sandy-tray install f\t${CLEAR}echo e''nd\r`, /end\r?\n/);
    expect(refused).not.toContain('fish');
    const sessions = await type(`${CLEAR}sandy-tray update \t`, ['zebra-1.x', 'zork-3f2a']);
    for (const key of ['touch', 'a b', '-rf']) expect(sessions).not.toContain(key);
    // What is typed is never run either.
    await type(`${CLEAR}sandy-tray update '$(touch x)\t`, /touch/);
    await type(`${CLEAR}sandy-tray update \\$(touch\t`, /touch/);
    await type(`${CLEAR}sandy-tray atta\t`, /attach /);
    expect(readdirSync(program.folder)).not.toContain('x');
  });

  test.skipIf(!hasShell(shell))(
    `runs nothing that it is told${title}`,
    async ({ program, expect }) => {
      install(program, [...hostileKeys, '*', 'zork']);
      const { type } = await openTerminal(shell, program);
      await type('sandy-tray attach \t', ['zork', 'a b;c']);
      await type(`${CLEAR}sandy-tray attach z\t`, /zo/);
      await type(`${CLEAR}sandy-tray sta\t`, ['status', 'start']);
      expect(existsSync(join(program.folder, 'x'))).toBe(false);
    },
  );
});

describe('fish', () => {
  const has = hasShell('fish');
  const title = has ? '' : ' (not checked: this shell is not installed)';
  /** What fish offers for a line, without the descriptions. */
  const offer = (program: Program, line: string) => {
    const script = 'sandy-tray completion fish | source; complete -C $argv[1]';
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script, line], {
      env: variablesOf(program),
      cwd: program.folder,
      encoding: 'utf8',
    });
    expectNow(stderr).toBe('');
    return stdout
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => text.split('\t')[0]);
  };

  test.skipIf(!has)(`completes a line${title}`, ({ program, expect }) => {
    install(program);
    saveSessions(program, [...plainKeys, ...hostileKeys]);
    const offered = (line: string) => offer(program, `sandy-tray ${line}`);
    expect(offered('')).toEqual(Object.keys(catalogue).sort());
    expect(offered('up')).toEqual(['update']);
    expect(offered('update zo')).toEqual(['zork-3f2a']);
    expect(offered('update zork-3f2a z')).toEqual(['zebra-1.x', 'zork-3f2a']);
    expect(offered('attach ')).toEqual([...plainKeys].sort());
    expect(offered('attach zork-3f2a ')).toEqual([]);
    expect(offered('update --idle-for 5 zo')).toEqual(['zork-3f2a']);
    expect(offered('update --dr')).toEqual(['--dry-run']);
    expect(offered('config set notify.')).toEqual(
      preferenceKeys.filter((key) => key.startsWith('notify.')).sort(),
    );
    expect(offered('config path n')).toEqual([]);
    expect(offered('completion ')).toEqual(['bash', 'fish', 'zsh']);
    expect(offered('install ')).toEqual([]);
    expect(offered('install --shell ')).toEqual(['bash', 'fish', 'zsh']);
    expect(offered('install --shell zsh ')).toEqual([]);
  });

  test.skipIf(!has)(`runs nothing that it is told${title}`, ({ program, expect }) => {
    install(program, [...hostileKeys, '(touch x)', 'zork']);
    expect(offer(program, 'sandy-tray attach z')).toContain('zork');
    expect(offer(program, 'sandy-tray attach ')).toContain('zork');
    expect(existsSync(join(program.folder, 'x'))).toBe(false);
  });
});

describe('the sessions', () => {
  test('come from a running agent, or from what the last one saved', async ({ stage, expect }) => {
    const { program } = stage;
    await stage.addFleet(['zork', 'kiln']);
    const agent = await stage.startAgent();
    const { sessions } = await agent.sees((status) => status.sessions.length === 2, 'both');
    const lines = `${sessions
      .map(({ key }) => key)
      .sort()
      .join('\n')}\n`;
    await stage.saved();
    const file = join(program.ownFolder, 'state.json');
    const saved = readFileSync(file);
    rmSync(file);
    const asked = await program.run(['completion', '--sessions']);
    writeFileSync(file, saved, { mode: 0o600 });
    expect(asked).toMatchObject({ code: 0, stdout: lines, stderr: '' });
    await agent.stop();
    const trap = writeScript(join(program.folder, 'trap'), 'echo "$@" >>"$0.ran"');
    const variables = { SANDY_TRAY_SANDY: trap };
    const read = await program.run(['completion', '--sessions'], variables);
    expect(read).toMatchObject({ code: 0, stdout: lines, stderr: '' });
    expect(existsSync(`${trap}.ran`)).toBe(false);
  });

  test('are none where nothing is known, without a word', async ({ program, expect }) => {
    const nothing = { code: 0, stdout: '', stderr: '' };
    const ask = (variables = {}) => program.run(['completion', '--sessions'], variables);
    expect(await ask()).toMatchObject(nothing);
    expect(existsSync(program.ownFolder)).toBe(false);
    expect(await ask({ SANDY_TRAY_DIR: 'relative' })).toMatchObject(nothing);
    mkdirSync(program.ownFolder);
    for (const file of ['state.json', 'config.json']) {
      writeFileSync(join(program.ownFolder, file), '{');
    }
    expect(await ask()).toMatchObject(nothing);
    expect(readdirSync(program.ownFolder).sort()).toEqual(['config.json', 'state.json']);
  });

  test('are only those that a shell takes for what they are', async ({ program, expect }) => {
    saveSessions(program, [...hostileKeys, ...plainKeys, 'a'.repeat(101), 'ze\u202ebra']);
    const { stdout } = await program.run(['completion', '--sessions']);
    expect(stdout).toBe(`${[...plainKeys].sort().join('\n')}\n`);
  });
});

describe('the scripts', () => {
  test('are refused for another shell', async ({ program, expect }) => {
    for (const [args, sentence] of [
      [['tcsh\x1b[31m'], 'There is no completion for "tcsh".'],
      [[], 'Name the shell.'],
      [['bash', 'zsh'], 'Too many arguments.'],
      [['bash', '--sessions'], 'Too many arguments.'],
    ] as const) {
      const { code, stdout, stderr } = await program.run(['completion', ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toBe(`${sentence}\nUsage: sandy-tray completion bash|zsh|fish\n`);
    }
  });

  test('know every command and every option that help lists', ({ expect }) => {
    const shapes = readShapes(catalogue);
    expect(shapes.map(({ name }) => name)).toEqual(Object.keys(catalogue));
    for (const { name, flags, sessions, firstWords, wordsOfFlag } of shapes) {
      const { usage = '', details = [] } = catalogue[name] ?? {};
      const listed = [usage, ...details].join('\n').match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
      expect(flags.map((flag) => flag.name).sort(), name).toEqual([...new Set(listed)].sort());
      expect(sessions !== 'none', name).toBe(usage.includes('SESSION'));
      // Anything in small letters is a word to be typed.
      const words = usage.replace(/--[a-z-]+/g, '').match(/[a-z]+/g) ?? [];
      const others = words.filter((word) => word !== name && !/^tray$/.test(word));
      const typed = [...firstWords, ...wordsOfFlag.flatMap((of) => of.words)];
      expect(typed.sort(), name).toEqual([...new Set(others)].sort());
      // An option whose value the usage names takes one, and what the details say of it is said.
      for (const flag of flags) {
        expect(flag.takesValue, `${name} ${flag.name}`).toBe(usage.includes(`[${flag.name} `));
        const isDetailed = details.some((line) => line.startsWith(`${flag.name} `));
        expect(flag.summary !== '', `${name} ${flag.name}`).toBe(isDetailed);
      }
    }
    expect(shapes.find(({ name }) => name === 'schedule')).toMatchObject({
      flags: expect.arrayContaining([
        { name: '--at', takesValue: true, summary: expect.stringMatching(/^when, 04:00/) },
      ]),
    });
    expect(shapes.find(({ name }) => name === 'install')).toMatchObject({
      firstWords: [],
      wordsOfFlag: [{ flag: '--shell', words: ['bash', 'zsh', 'fish'] }],
    });
    expect(shapes.find(({ name }) => name === 'update')).toMatchObject({
      sessions: 'many',
      flags: expect.arrayContaining([
        { name: '--idle-for', takesValue: true, summary: expect.stringMatching(/^leave those/) },
      ]),
    });
  });
});
