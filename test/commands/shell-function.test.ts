import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import * as pty from 'node-pty';
import { describe, type ExpectStatic } from 'vitest';
import { type Program, test, writeScript } from '../program.ts';

/** How each shell is made to run a script with arguments, and nothing of the person's. */
const shells = {
  bash: (script: string, args: readonly string[]) => [
    '--norc',
    '--noprofile',
    '-c',
    script,
    'bash',
    ...args,
  ],
  zsh: (script: string, args: readonly string[]) => ['-f', '-c', script, 'zsh', ...args],
  fish: (script: string, args: readonly string[]) => ['--no-config', '-c', script, '--', ...args],
} as const;
type Shell = keyof typeof shells;

interface Bench {
  /** Calls the function in a real shell; gives who was run, with what, and the exit code. */
  call(
    args: readonly string[],
    options?: { setup?: string; onTerminal?: boolean; without?: 'sandy-tray' },
  ): Promise<readonly [program: string, args: readonly string[], code: number]>;
}

/** Programs that only say that they were run; sandy exits with 3, sandy-tray with 5. */
async function prepare(shell: Shell, program: Program, expect: ExpectStatic): Promise<Bench> {
  const printed = await program.run(['install', '--shell', shell]);
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  const file = join(program.folder, 'function');
  writeFileSync(file, printed.stdout);
  const record = join(program.folder, 'record');
  const bin = join(program.folder, 'bin');
  for (const [name, code] of [
    ['sandy', 3],
    ['sandy-tray', 5],
  ] as const) {
    writeScript(
      join(bin, name),
      `for word in ${name} "$@"; do printf '%s\\0' "$word"; done >> '${record}'\nexit ${code}`,
    );
  }
  const words = shell === 'fish' ? '$argv' : '"$@"';
  return {
    call: async (args, { setup = '', onTerminal = true, without } = {}) => {
      if (without !== undefined) rmSync(join(bin, without));
      const script = `${setup}\nsource '${file}'\nsandy ${words}`;
      const argv = shells[shell](script, args);
      const environment = { HOME: program.home, PATH: `${bin}:/usr/bin:/bin`, TERM: 'xterm' };
      const code = onTerminal
        ? await runOnTerminal(shell, argv, environment)
        : spawnSync(shell, argv, { env: environment, encoding: 'utf8' }).status;
      const said = existsSync(record) ? readFileSync(record, 'utf8').split('\0').slice(0, -1) : [];
      rmSync(record, { force: true });
      const [name = 'nobody', ...given] = said;
      return [name, given, code ?? -1];
    },
  };
}

function runOnTerminal(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const child = pty.spawn(file, [...args], { env, cwd: env.HOME ?? '/' });
  // One that nobody reads can't end.
  child.onData(() => {});
  return new Promise((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
}

const has = (shell: Shell) => spawnSync(shell, ['-c', 'true']).status === 0;
const missing = (shell: Shell) => (has(shell) ? '' : ` (skipped: there is no ${shell} here)`);

describe.concurrent.for(Object.keys(shells) as Shell[])('the function for %s', (shell) => {
  const inShell = test.skipIf(!has(shell));

  inShell.for<[string[], string[]]>([
    [['--attach'], ['attach']],
    [
      ['--attach', '--workspace', '/w'],
      ['attach', '--', '/w'],
    ],
    [
      ['--workspace', '/w', '--attach'],
      ['attach', '--', '/w'],
    ],
    [
      ['--attach', '--workspace', 'rel ative'],
      ['attach', '--', './rel ative'],
    ],
    [
      ['--attach', '--workspace', '.'],
      ['attach', '--', './.'],
    ],
    [
      ['--attach', '--workspace', '--attach'],
      ['attach', '--', './--attach'],
    ],
    [
      ['--workspace', '-x', '--attach'],
      ['attach', '--', './-x'],
    ],
    [
      ['--attach', '--workspace', '/a b/$(touch x)`y`"\'\\\n*?[a]~;&|<>!'],
      ['attach', '--', '/a b/$(touch x)`y`"\'\\\n*?[a]~;&|<>!'],
    ],
  ])(`%j goes to sandy-tray${missing(shell)}`, async ([args, given], { program, expect }) => {
    const bench = await prepare(shell, program, expect);
    expect(await bench.call(args)).toEqual(['sandy-tray', given, 5]);
  });

  inShell.for<[string[]]>([
    [[]],
    [['']],
    [['(']],
    [['!', '=', '--attach']],
    [['--attach', '']],
    [['', '--attach']],
    [['--attach', '--help']],
    [['--attach', '--workspace']],
    [['--attach', '--workspace', '']],
    [['--attach', '--workspace=/w']],
    [['--attach', '--workspace,/w', '/w']],
    [['--workspace', '/w', '--start']],
    [['--attach', '--workspace', '/w', '--verbose']],
    [['--start', '--workspace', '/w']],
    [['-p', 'say --attach']],
    [['--', '--attach']],
    [['-n']],
    [['$(touch x)', '`y`', '"\'\\', '\n', '*', '~', ' ']],
  ])(`%j goes to sandy${missing(shell)}`, async ([args], { program, expect }) => {
    const bench = await prepare(shell, program, expect);
    expect(await bench.call(args)).toEqual(['sandy', args, 3]);
  });

  inShell(
    `any other words reach sandy as they are${missing(shell)}`,
    async ({ program, expect }) => {
      const bench = await prepare(shell, program, expect);
      const word = fc.oneof(
        fc.constantFrom('--attach', '--workspace', '--start', '-', '--', '(', ']', '='),
        fc.string({ unit: fc.constantFrom(...'a -$"\'`\\*?[]{}()!;&|<>~#%=,\n\té☃') }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(word, { maxLength: 4 }), async (args) => {
          const [first, second, third] = args;
          const attaches =
            (args.length === 1 && first === '--attach') ||
            (args.length === 3 &&
              first === '--attach' &&
              second === '--workspace' &&
              third !== '') ||
            (args.length === 3 && first === '--workspace' && third === '--attach' && second !== '');
          const [name, given, code] = await bench.call(args);
          if (attaches) expect([name, code]).toEqual(['sandy-tray', 5]);
          else expect([name, given, code]).toEqual(['sandy', args, 3]);
        }),
        { numRuns: 25 },
      );
    },
  );

  inShell(
    `without a terminal or sandy-tray all is sandy’s${missing(shell)}`,
    async ({ program, expect }) => {
      const bench = await prepare(shell, program, expect);
      const args = ['--attach', '--workspace', '/w'];
      expect(await bench.call(args, { onTerminal: false })).toEqual(['sandy', args, 3]);
      expect(await bench.call(args, { without: 'sandy-tray' })).toEqual(['sandy', args, 3]);
    },
  );
});

describe.concurrent('the settings of a shell change nothing', () => {
  test.for<[Shell, string]>(
    [
      ['bash', 'set -eu -o pipefail'],
      ['bash', 'set -f; IFS=/-'],
      ['bash', 'set -o posix'],
      ['zsh', 'set -eu'],
      ['zsh', 'setopt sh_word_split glob_subst ksh_arrays warn_create_global; IFS=/-'],
      ['fish', 'set -g workspace /other; set -g attaches yes'],
    ].filter(([shell]) => has(shell as Shell)) as [Shell, string][],
  )('%s: %s', async ([shell, setup], { program, expect }) => {
    const bench = await prepare(shell, program, expect);
    const path = '/a b/*-c';
    const attach = ['--attach', '--workspace', path];
    expect(await bench.call(attach, { setup })).toEqual(['sandy-tray', ['attach', '--', path], 5]);
    const start = ['--start', '', path];
    expect(await bench.call(start, { setup })).toEqual(['sandy', start, 3]);
  });
});

describe.concurrent('an alias of the same name', () => {
  test('keeps its words, and breaks nothing', async ({ program, expect }) => {
    const bench = await prepare('bash', program, expect);
    const setup = 'shopt -s expand_aliases; alias sandy="sandy --verbose"';
    const said = await bench.call(['--attach'], { setup });
    expect(said).toEqual(['sandy', ['--verbose', '--attach'], 3]);
  });
});

describe.concurrent('which shell', () => {
  test.for([
    ['/bin/bash', 'bash'],
    ['/usr/local/bin/fish', 'fish'],
    ['/bin/zsh', 'zsh'],
  ] as const)('$SHELL %s: %s', async ([path, shell], { program, expect }) => {
    const asked = await program.run(['install', '--shell', shell]);
    expect(await program.run(['install', '--shell'], { SHELL: path })).toEqual(asked);
    expect(asked.stdout).toContain('function sandy');
  });

  test.for([undefined, '', '/bin/dash'])('none for %j', async (path, { program, expect }) => {
    const { code, stdout, stderr } = await program.run(['install', '--shell'], { SHELL: path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^There is no function for the shell ".*"; say bash, zsh or fish\.\nUsage: /,
    );
  });
});
