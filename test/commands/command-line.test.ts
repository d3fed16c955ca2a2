import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as pty from 'node-pty';
import { describe } from 'vitest';
import { catalogue } from '../../src/commands/catalogue.ts';
import { PROGRAM, test } from '../program.ts';

const names = Object.keys(catalogue);

/** Options that a command may have some day; whichever its help doesn't list it must refuse today. */
const imaginable = [
  '--json',
  '--watch',
  '--all',
  '--yes',
  '--dry-run',
  '--notify',
  '--print',
  '--purge',
  '--verbose',
  '--quiet',
  '--force',
  '--color',
  '--no-json',
  '-j',
  '-v',
];

const optionsIn = (help: string) => new Set(help.match(/(?<![\w-])--?[a-z][a-z-]*/g));

describe.concurrent('the frame', () => {
  test('says what commands there are, asked or not', async ({ program, expect }) => {
    const helps = await Promise.all(
      [['--help'], ['-h'], ['help'], []].map((args) => program.run(args)),
    );
    for (const help of helps) expect(help).toEqual({ ...helps[0], code: 0, stderr: '' });
    for (const name of names) expect(helps[0]?.stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
  });

  test('help COMMAND is COMMAND --help', async ({ program, expect }) => {
    const asked = await program.run(['help', 'update']);
    expect(asked).toEqual(await program.run(['update', '--help']));
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(await program.run(['help', 'nope'])).toEqual(await program.run(['nope']));
  });

  test('says one sentence of a value that looks like an option', async ({ program, expect }) => {
    const { code, stderr } = await program.run(['update', '--all', '--idle-for', '-3']);
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      "Option '--idle-for' argument is ambiguous.",
      expect.stringMatching(/^Usage: /),
      '',
    ]);
  });

  test('prints the version of the package, and the commit that it was built from', async ({
    program,
    expect,
  }) => {
    const file = join(import.meta.dirname, '..', '..', 'package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8'));
    for (const flag of ['--version', '-V']) {
      const ran = await program.run([flag]);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      const [said = '', ...commit] = ran.stdout.trimEnd().split(' (');
      expect(said).toBe(`sandy-tray ${version}`);
      // None where this is no checkout.
      for (const word of commit) expect(word).toMatch(/^[0-9a-f]{7,40}(?:-dirty)?\)$/);
    }
  });

  test.for(['nonsense', 'constructor', '__proto__', '--json', 'a\nb\x1b[31m\u202e', ''])(
    'refuses %j, which is no command, in two lines',
    async (name, { program, expect }) => {
      const { code, stdout, stderr } = await program.run([name]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        /^There is no command "[^\x00-\x1f\u202e]*"\.\nSee: sandy-tray --help\n$/,
      );
    },
  );

  test.for([
    [{ SANDY_TRAY_DIR: 'relative\n/x' }, 'SANDY_TRAY_DIR'],
    [{ SANDY_TRAY_DIR: '' }, 'SANDY_TRAY_DIR'],
    [{ SANDY_TRAY_TIME_SCALE: '0' }, 'SANDY_TRAY_TIME_SCALE'],
    [{ SANDY_TRAY_TIME_SCALE: 'fast\x1b[31m' }, 'SANDY_TRAY_TIME_SCALE'],
    [{ SANDY_TRAY_DIR: undefined, HOME: 'no/where' }, 'home folder'],
  ] as const)('refuses to stand on %j', async ([variables, named], { program, expect }) => {
    const { code, stdout, stderr } = await program.run(['status'], variables);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(named);
    expect(stderr).toMatch(
      /^[^\x00-\x1f]+\. Set [^\x00-\x1f]+\.\nUsage: sandy-tray status [^\n]+\n$/,
    );
  });
});

describe.concurrent.for(names)('%s', (name) => {
  test('--help tells the truth: what it lists is taken, and nothing else', async ({
    program,
    expect,
  }) => {
    const help = await program.run([name, '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(new RegExp(`^Usage: sandy-tray ${name}\\b.*\n\n[A-Z].*\\.\n`));
    expect(help.stdout).toMatch(/^Exit: 0/m);
    expect((await program.run([name, '-h'])).stdout).toBe(help.stdout);
    const listed = optionsIn(help.stdout);
    for (const option of listed) {
      // The wrong one behind it is what is refused, so that no command does anything here.
      const takesValue = new RegExp(`${option} [A-Z]`).test(help.stdout);
      const given = takesValue ? `${option}=1` : option;
      const { code, stdout, stderr } = await program.run([name, given, '--nonsense']);
      expect({ code, stdout }, option).toEqual({ code: 2, stdout: '' });
      expect(stderr, option).toMatch(/^[^\n]*'--nonsense'[^\n]*\.\nUsage: /);
    }
    for (const option of imaginable.filter((some) => !listed.has(some))) {
      const { code, stdout, stderr } = await program.run([name, option]);
      expect({ code, stdout }, option).toEqual({ code: 2, stdout: '' });
      expect(stderr.split('\n')).toEqual([
        expect.stringContaining(option),
        expect.stringMatching(`^Usage: sandy-tray ${name}\\b`),
        '',
      ]);
    }
  });

  test.for([['--a\nb\x1b]0;title\x07\u202e'], ['--json=yes'], ['-x. y']])(
    'refuses %j in two clean lines',
    async (args, { program, expect }) => {
      const { code, stdout, stderr } = await program.run([name, ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^[^\x00-\x1f\u202e]+\.\nUsage: sandy-tray [^\x00-\x1f]+\n$/);
    },
  );
});

describe.concurrent.for(['status', 'config', 'doctor'])('%s', (name) => {
  test('refuses words that it has no use for', async ({ program, expect }) => {
    const { code, stdout, stderr } = await program.run([name, 'path', 'too', 'many', 'words\n']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`Too many arguments.\nUsage: sandy-tray ${catalogue[name]?.usage}\n`);
  });
});

describe.concurrent('where its words go', () => {
  test.for(['--help', 'status', 'config', 'doctor'])(
    'a reader of %s who leaves early is no error',
    async (args, { program, expect }) => {
      await program.addFleet({ sessions: [{ name: 'a' }] });
      const child = spawn(process.execPath, [PROGRAM, args], {
        env: program.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      const ended = new Promise((resolve) => child.once('close', resolve));
      const stderr = await text(child.stderr);
      expect({ code: await ended, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );

  test.skipIf(!existsSync('/dev/full'))(
    'a full disk is told in a sentence',
    async ({ program, expect }) => {
      const script = '"$0" "$1" --help >/dev/full';
      const child = spawn('/bin/sh', ['-c', script, process.execPath, PROGRAM], {
        env: program.environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const ended = new Promise((resolve) => child.once('close', resolve));
      const stderr = await text(child.stderr);
      expect(stderr).toMatch(/^The output can't be written \(ENOSPC\)\. .+\.\n$/);
      expect(await ended).toBe(1);
    },
  );

  test('a terminal gets the same table', async ({ program, expect }) => {
    await program.addFleet({
      sessions: [
        { name: 'one', stale: true, clients: 2, startedAt: Date.UTC(2026, 0, 2) },
        { name: 'two', startedAt: Date.UTC(2026, 0, 2) },
      ],
    });
    const child = pty.spawn(process.execPath, [PROGRAM, 'status'], {
      cols: 300,
      rows: 24,
      cwd: program.folder,
      env: program.environment,
    });
    let screen = '';
    // The last line may come after the news of the end.
    const whole = new Promise<void>((resolve) => {
      child.onData((data) => {
        screen += data;
        if (screen.endsWith('one look.\r\n')) resolve();
      });
    });
    const ended = await new Promise((resolve) => child.onExit(resolve));
    expect(ended).toMatchObject({ exitCode: 0 });
    await whole;
    const plain = await program.run(['status']);
    const withoutClock = (words: string) => words.replace(/\d\d:\d\d/g, 'hh:mm');
    expect(withoutClock(screen.replaceAll('\r\n', '\n'))).toBe(withoutClock(plain.stdout));
    expect(plain.stdout).toMatch(
      /^SESSION +STATE .*\none-\w+ +running +stale +2 .*\ntwo-\w+ +detached +current +0 /,
    );
  });
});
