import { accessSync, constants, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type ExpectStatic } from 'vitest';
import { livePids, readCalls, setKnobs, type Trouble } from '../../fixtures/fake-sandy/fleet.mjs';
import { listUsualFolders } from '../../src/sandy/environment.ts';
import { type Program, test, type Variables, writeScript } from '../program.ts';

/** One sentence on what is wrong, one on what to do, no control character, nothing else. */
const TWO_SENTENCES = /^[^\p{Cc}]+?[^.\p{Cc}]\. [A-Z][^\p{Cc}]+\.\n$/u;

/** Looks in both ways; gives the document of a look that saw nothing. */
async function lookBlindly(
  program: Program,
  expect: ExpectStatic,
  wrong: RegExp,
  variables: Variables = {},
) {
  const [json, table] = await Promise.all([
    program.run(['status', '--json'], variables),
    program.run(['status'], variables),
  ]);
  for (const ran of [json, table]) {
    expect(ran.code).toBe(69);
    expect(ran.stderr).toMatch(wrong);
    expect(ran.stderr).toMatch(TWO_SENTENCES);
  }
  expect(table.stdout).toMatch(
    /^[A-Z][\w ]+ since \d\d:\d\d; nothing is known of the sessions now\.\n$/,
  );
  const document = JSON.parse(json.stdout);
  expect(document).toMatchObject({
    schema: 1,
    checkedAt: null,
    imagesCheckedAt: null,
    blindSince: expect.stringMatching(/^\d{4}-.*Z$/),
    docker: 'unknown',
    badge: { state: 'unknown', count: 0 },
    sessions: [],
    failures: [],
    poll: { mode: 'light', reason: 'blind', nextInMs: 15_000 },
  });
  return document;
}

const one = { sessions: [{ name: 'a' }] };

/** Whether this machine itself has a program where the program always looks. */
function isInstalled(name: string): boolean {
  return [...listUsualFolders('/nowhere'), '/usr/bin', '/bin', '/usr/sbin', '/sbin'].some(
    (folder) => {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    },
  );
}

describe.concurrent('a sandy that hangs', () => {
  // First, so that the others run while these wait for their limit.
  test.for([
    [{ commands: { '--print-state': { output: 'hang' } } }, 'with a child of its own'],
    [{ docker: 'frozen' }, 'on a frozen docker'],
  ] as const)('$1 is killed with all of its group', async ([knobs], { program, expect }) => {
    const fleet = await program.addFleet({ ...one, ...knobs });
    const { code, stdout, stderr } = await program.run(['status', '--json']);
    expect(code).toBe(69);
    expect(stderr).toMatch(/^sandy --print-state did not answer within 20 s\. See /);
    expect(stderr).toMatch(TWO_SENTENCES);
    expect(JSON.parse(stdout)).toMatchObject({ sandy: { version: '1.7.0' }, docker: 'unknown' });
    await expect.poll(() => livePids(fleet.dir), { timeout: 20_000 }).toEqual([]);
  });

  test('at its version is not waited for', async ({ program, expect }) => {
    const sandy = writeScript(join(program.folder, 'sandy'), 'exec sleep 600');
    const { code, stderr } = await program.run(['status'], { SANDY_TRAY_SANDY: sandy });
    expect(code).toBe(69);
    expect(stderr).toMatch(/^sandy --version did not answer within 10 s\. /);
  });
});

describe.concurrent('no sandy to run', () => {
  test.for([
    ['missing', /^SANDY_TRAY_SANDY names a file that does not exist: .+\. Set it to /],
    ['folder', /^SANDY_TRAY_SANDY names a folder: .+\. Set it to /],
    ['plain', /^SANDY_TRAY_SANDY names a file that is not executable: .+\. Run chmod \+x on it/],
    ['plain/sandy', /^SANDY_TRAY_SANDY names a file that does not exist: /],
    ['orphan', /^sandy --version could not be started: .+ is missing\. Install sandy again\.$/m],
    ['empty', /^.+ is not sandy: asked for its version it printed ""\. Set sandyPath /],
    ['echo', /^.+ is not sandy: asked for its version it printed "--version↵\S*red"\. Set /],
    ['fails', /^sandy --version ended with code 7: "no such luck"\. Run it in a terminal /],
  ] as const)('%s', async ([name, wrong], { program, expect }) => {
    const at = (file: string) => join(program.folder, 'bin', file);
    mkdirSync(at('folder'), { recursive: true });
    writeFileSync(at('plain'), '#!/bin/sh\n');
    writeFileSync(at('orphan'), '#!/no/such/interpreter\n', { mode: 0o755 });
    writeScript(at('empty'), '');
    writeScript(at('echo'), 'printf "%s\\n\\033[31mred" "$1"');
    writeScript(at('fails'), 'echo "first" >&2; echo "no such luck" >&2; exit 7');
    const document = await lookBlindly(program, expect, wrong, { SANDY_TRAY_SANDY: at(name) });
    expect(document.sandy).toBe(null);
  });

  test('the setting wins over the variable, and is named', async ({ program, expect }) => {
    await program.addFleet(one);
    await program.run(['config', 'set', 'sandyPath', '/no/where/sandy']);
    await lookBlindly(program, expect, /^The setting sandyPath names a file that does not exist: /);
    await program.run(['config', 'set', 'sandyPath', 'null']);
    expect((await program.run(['status'])).code).toBe(0);
  });

  test('a relative variable is refused', async ({ program, expect }) => {
    const variables = { SANDY_TRAY_SANDY: 'bin/sandy' };
    await lookBlindly(program, expect, /^SANDY_TRAY_SANDY is not an absolute path: /, variables);
  });

  test.skipIf(isInstalled('sandy'))('nowhere at all', async ({ program, expect }) => {
    await lookBlindly(program, expect, /^sandy was not found in PATH or in the usual folders\. /);
  });
});

describe.concurrent('a sandy that answers badly', () => {
  const MANY = 100 * 1024 * 1024;
  const bad: Record<string, [Trouble, RegExp]> = {
    junk: [{ output: 'junk' }, /^sandy --print-state printed something that is not its state\. /],
    half: [{ output: 'half' }, /^sandy --print-state printed something that is not its state\. /],
    nothing: [{ output: 'empty' }, /^sandy --print-state printed something that is not its state/],
    '100 MB': [
      { paddingBytes: MANY },
      /^sandy --print-state printed more than 16 MiB and was stopped\. Run it /,
    ],
    '100 MB of complaints': [
      { stderr: 'x'.repeat(17 * 1024 * 1024) },
      /^sandy --print-state printed more than 16 MiB and was stopped\. Run it /,
    ],
    'a signal': [
      { signal: 'SIGKILL' },
      /^sandy --print-state was killed \(SIGKILL\)\. Nothing needs to be done unless /,
    ],
    'exit code 1': [
      { exitCode: 1, stderr: 'one\nHOME: \x1b[1munbound\x1b[0m\u202e variable\n\n' },
      /^sandy --print-state ended with code 1: "HOME: unbound variable"\. Run it in a terminal /,
    ],
  };

  test.for(Object.keys(bad))('%s', async (name, { program, expect }) => {
    const [trouble, wrong] = bad[name] ?? [{}, /never/];
    const fleet = await program.addFleet({ ...one, commands: { '--print-state': trouble } });
    const document = await lookBlindly(program, expect, wrong);
    expect(document.sandy).toMatchObject({ version: '1.7.0', schemaVersion: 1 });
    await expect.poll(() => livePids(fleet.dir), { timeout: 20_000 }).toEqual([]);
    // The next look may be well again.
    setKnobs(fleet.dir, { commands: { '--print-state': {} } });
    expect((await program.run(['status'])).code).toBe(0);
  });

  test('noise around the document is no harm', async ({ program, expect }) => {
    const noise = { stdout: '[sandy] Update available: 9\n{"a":1}\n', stderr: 'spurious trap\n' };
    await program.addFleet({ ...one, commands: { '--print-state': noise } });
    const { code, stdout, stderr } = await program.run(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\n1 session\. /);
  });

  test.for(['junk', 'half', 'empty'] as const)(
    'a schema that is %s costs what it would say, not the fleet',
    async (output, { program, expect }) => {
      await program.addFleet({ ...one, commands: { '--print-schema': { output } } });
      const { code, stdout, stderr } = await program.run(['status']);
      expect(code).toBe(0);
      expect(stderr).toMatch(
        /^sandy could not say which commands it has \(sandy --print-schema\), /,
      );
      expect(stdout).toMatch(/^SESSION .*\na-\w+ .*\n1 session\. [^\n]*\n$/);
      const { sandy, sessions } = JSON.parse((await program.run(['status', '--json'])).stdout);
      expect(sandy).toMatchObject({ version: '1.7.0', schemaVersion: null, capabilities: [] });
      expect(sessions[0].actions).toEqual([]);
    },
  );
});

describe.concurrent('docker', () => {
  test('down: blind, though the sandboxes can be read', async ({ program, expect }) => {
    const fleet = await program.addFleet({ ...one, docker: 'down' });
    const { code, stdout, stderr } = await program.run(['status'], { PATH: fleet.dockerFolder });
    expect(code).toBe(69);
    expect(stderr).toBe(
      'Docker does not answer. Start it, or see what docker ps says in a terminal.\n',
    );
    expect(stdout).toMatch(
      /^Docker has been unreachable since \d\d:\d\d; nothing is known of the sessions now\.\n$/,
    );
    const json = await program.run(['status', '--json'], { PATH: fleet.dockerFolder });
    expect(JSON.parse(json.stdout)).toMatchObject({
      docker: 'unreachable',
      checkedAt: null,
      badge: { state: 'unknown' },
      sessions: [],
    });
  });

  test.skipIf(isInstalled('docker'))('not there at all', async ({ program, expect }) => {
    await program.addFleet({ ...one, needsDockerOnPath: true });
    const { code, stderr } = await program.run(['status']);
    expect(code).toBe(69);
    expect(stderr).toBe(
      'docker was not found in PATH or in the usual folders. Install it, or add its folder to PATH in your shell profile.\n',
    );
  });
});

describe.concurrent('an environment with next to nothing in it', () => {
  const bare = (program: Program, shell: string): Variables => ({
    SANDY_TRAY_SANDY: undefined,
    PATH: undefined,
    TZ: undefined,
    SHELL: writeScript(join(program.folder, 'login-shell'), shell),
  });

  test('the login shell’s profile knows where sandy and docker are', async ({
    program,
    expect,
  }) => {
    const fleet = await program.addFleet({ ...one, needsDockerOnPath: true });
    const brew = join(program.folder, 'home brew', 'bin');
    mkdirSync(brew, { recursive: true });
    symlinkSync(fleet.sandy, join(brew, 'sandy'));
    symlinkSync(join(fleet.dockerFolder, 'docker'), join(brew, 'docker'));
    writeFileSync(
      join(program.home, '.profile'),
      `echo "Welcome!"\nPATH="${brew}:$PATH"; export PATH\nread answer\n`,
    );
    const ran = await program.run(['status', '--json'], bare(program, 'exec /bin/sh "$@"'));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const document = JSON.parse(ran.stdout);
    expect(document.sandy.path).toBe(join(brew, 'sandy'));
    expect(document.sessions).toHaveLength(1);
    const [call] = readCalls(fleet.dir);
    expect(call?.env).toMatchObject({ HOME: program.home });
    expect(call?.env.PATH?.split(':')[0]).toBe(brew);
  });

  test('the usual folders do when the shell says nothing', async ({ program, expect }) => {
    const fleet = await program.addFleet({ ...one, needsDockerOnPath: true });
    const local = join(program.home, '.local/bin');
    mkdirSync(local, { recursive: true });
    symlinkSync(fleet.sandy, join(local, 'sandy'));
    symlinkSync(join(fleet.dockerFolder, 'docker'), join(local, 'docker'));
    const { code, stdout, stderr } = await program.run(['status'], bare(program, 'exit 1'));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Your login shell did not show its environment [^\n]+\n$/);
    expect(stdout).toMatch(/\n1 session\. /);
  });

  test('no HOME: sandy gets one all the same', async ({ program, expect }) => {
    const fleet = await program.addFleet(one);
    const ran = await program.run(['status'], { HOME: undefined });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const homes = readCalls(fleet.dir).map((call) => call.env.HOME);
    expect(homes.length).toBeGreaterThan(0);
    for (const home of homes) expect(home).toMatch(/^\//);
  });

  test('sandy gets the clock of UTC and none of what is only Node’s or npm’s', async ({
    program,
    expect,
  }) => {
    const fleet = await program.addFleet(one);
    await program.run(['status'], {
      TZ: 'Asia/Tokyo',
      NODE_OPTIONS: '--no-warnings',
      npm_lifecycle_event: 'test',
      DOCKER_HOST: 'unix:///x',
    });
    const call = readCalls(fleet.dir).find(({ argv }) => argv[0] === '--print-state');
    expect(call?.env.TZ).toBe('UTC');
    expect(call?.tty).toBe(false);
    expect(call?.envNames).toContain('DOCKER_HOST');
    expect(call?.envNames).not.toContain('NODE_OPTIONS');
    expect(call?.envNames).not.toContain('npm_lifecycle_event');
  });
});
