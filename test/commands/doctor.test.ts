import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect as plainExpect, test as plainTest } from 'vitest';
import { setKnobs, setLock } from '../../fixtures/fake-sandy/fleet.mjs';
import type { Check } from '../../src/commands/doctor-check.ts';
import { checkNode } from '../../src/commands/doctor-machine.ts';
import { test as stageTest } from '../agent/running-agent.ts';
import { startServer } from '../notify/server-stand-in.ts';
import { type Program, test, type Variables, writeScript } from '../program.ts';
import { startBus } from '../system/bus-stand-in.ts';

/** The exit code and the checks by name, as programs get them. */
async function examine(program: Program, variables: Variables = {}, args: readonly string[] = []) {
  const { code, stdout } = await program.run(['doctor', '--json', ...args], variables);
  const document = JSON.parse(stdout);
  const checks: Check[] = document.checks;
  const of = (name: string) => {
    const found = checks.filter((check) => check.name === name);
    return found.length === 1 ? found[0] : found;
  };
  return { code, document, checks, of };
}

const wellNames = [
  'node',
  'config',
  'folders',
  'pty',
  'terminal',
  'banners',
  'sandy',
  'flags',
  'look',
  'sessions',
  'service',
];

describe.concurrent('all is well', () => {
  test('one line a check, exit 0', async ({ program, expect }) => {
    const fleet = await program.addFleet({ sessions: [{ name: 'a' }] });
    const { code, stdout, stderr } = await program.run(['doctor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      `ok    node      Node ${process.versions.node}`,
      'ok    config    every preference is valid',
      `ok    folders   ${program.ownFolder}`,
      'ok    pty       a program in a pty is heard to its end',
      'ok    terminal  there is no display here, so no windows are opened',
      'ok    banners   there is no desktop here, so no banners are shown',
      `ok    sandy     1.7.0 at ${fleet.sandy}`,
      'ok    flags     start, attach, stop and update-sessions',
      expect.stringMatching(
        /^ok {4}look {6}docker answers; a full look takes \d+ ms, the next would be in 15 min$/,
      ),
      'ok    sessions  1 session, nothing is wrong with any',
      'ok    service   no systemd of yours answers here, so nothing is started by one',
      'warn  agent     none runs, so nothing is watched',
      '                mend it with: sandy-tray run',
      '',
    ]);
  });

  test('the document has a schema; every check a fact, and a remedy or null', async ({
    program,
    expect,
  }) => {
    await program.addFleet();
    const { code, document } = await examine(program);
    expect(code).toBe(0);
    expect(document).toEqual({
      schema: 1,
      checks: [
        ...wellNames.map((name) => ({
          name,
          level: 'ok',
          fact: expect.stringMatching(/./),
          remedy: null,
        })),
        {
          name: 'agent',
          level: 'warn',
          fact: expect.stringMatching(/./),
          remedy: 'sandy-tray run',
        },
      ],
    });
  });

  test('it leaves nothing but the folder and what a look keeps', async ({ program, expect }) => {
    await program.addFleet();
    await program.run(['doctor']);
    expect(statSync(program.ownFolder).mode & 0o777).toBe(0o700);
    expect(readdirSync(program.ownFolder)).toEqual(['sandy-schema.json']);
  });
});

plainTest.each([
  ['18.19.0', 'fail'],
  ['20.11.1', 'fail'],
  ['20.12.0', 'ok'],
  ['22.1.0', 'ok'],
  ['24.0.0', 'ok'],
])('Node %s: %s', (version, level) => {
  const check = checkNode(version);
  plainExpect(check).toMatchObject({ name: 'node', level });
  plainExpect(check.fact).toContain(version);
  plainExpect(check.remedy === null).toBe(level === 'ok');
});

describe.concurrent('the folder', () => {
  test('that is a file fails', async ({ program, expect }) => {
    await program.addFleet();
    writeFileSync(program.ownFolder, '');
    const { code, of } = await examine(program);
    expect(code).toBe(1);
    expect(of('folders')).toEqual({
      name: 'folders',
      level: 'fail',
      fact: expect.stringMatching(/own can't be written \((EEXIST|ENOTDIR)\)$/),
      remedy: expect.stringMatching(/permissions/),
    });
  });

  test('that is open to others is a warning, with a command that may be pasted', async ({
    program,
    expect,
  }) => {
    await program.addFleet();
    const folder = join(program.folder, "it's $(touch X)");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const { code, of } = await examine(program, { SANDY_TRAY_DIR: folder });
    expect(code).toBe(0);
    expect(of('folders')).toEqual({
      name: 'folders',
      level: 'warn',
      fact: `${folder} is open to other users`,
      remedy: `chmod 700 '${program.folder}/it'\\''s $(touch X)'`,
    });
  });

  test.skipIf(process.getuid?.() !== 0)('of another user fails', async ({ program, expect }) => {
    await program.addFleet();
    mkdirSync(program.ownFolder);
    chownSync(program.ownFolder, 65_534, 65_534);
    const { code, of } = await examine(program);
    expect(code).toBe(1);
    expect(of('folders')).toMatchObject({
      level: 'fail',
      fact: expect.stringMatching(/belongs to another user$/),
      remedy: 'Set SANDY_TRAY_DIR to a folder of yours.',
    });
  });
});

describe.concurrent('sandy', () => {
  test('that is missing fails with the way to name it', async ({ program, expect }) => {
    const variables = { SANDY_TRAY_SANDY: '/no/where/sandy' };
    const { code, of, checks } = await examine(program, variables);
    expect(code).toBe(1);
    expect(of('sandy')).toEqual({
      name: 'sandy',
      level: 'fail',
      fact: expect.stringMatching(/^SANDY_TRAY_SANDY names a file that does not exist: /),
      remedy: 'sandy-tray config set sandyPath /path/to/sandy',
    });
    expect(checks.map((check) => check.name)).toEqual([
      ...['node', 'config', 'folders', 'pty', 'terminal', 'banners', 'sandy', 'service', 'agent'],
    ]);
    const { stdout } = await program.run(['doctor'], variables);
    expect(stdout).toMatch(/^fail {2}sandy .*\n {16}mend it with: sandy-tray config set /m);
  });

  test('that is too old fails without sending anybody to the settings', async ({
    program,
    expect,
  }) => {
    const sandy = writeScript(join(program.folder, 'sandy'), "echo 'sandy 0.9.0'");
    const { code, of } = await examine(program, { SANDY_TRAY_SANDY: sandy });
    expect(code).toBe(1);
    expect(of('sandy')).toMatchObject({
      level: 'fail',
      fact: expect.stringContaining('Upgrade it to 1.1.0'),
      remedy: 'sandy --version',
    });
  });

  test('that is missing is told together with a login shell that said nothing', async ({
    program,
    expect,
  }) => {
    const { of } = await examine(program, {
      SANDY_TRAY_SANDY: '/no/where/sandy',
      SHELL: writeScript(join(program.folder, 'login-shell'), 'exit 1'),
    });
    expect(of('contract')).toMatchObject({
      level: 'warn',
      fact: expect.stringMatching(/^Your login shell did not show its environment/),
    });
  });

  test.for([
    ['1.0.0', 1, 'fail', /no daemon sessions; they came with 1\.1\.0/, 'sandy --upgrade'],
    ['1.1.0', 0, 'warn', /no --update-sessions; it came with 1\.2\.0/, 'sandy --upgrade'],
    ['1.2.0', 0, 'ok', /update-sessions/, null],
  ] as const)(
    '%s: its flags',
    async ([version, exit, level, fact, remedy], { program, expect }) => {
      await program.addFleet({ version });
      const { code, of } = await examine(program);
      expect(code).toBe(exit);
      expect(of('flags')).toEqual({
        name: 'flags',
        level,
        fact: expect.stringMatching(fact),
        remedy,
      });
    },
  );

  test('that can’t say its flags is not called old', async ({ program, expect }) => {
    await program.addFleet({ commands: { '--print-schema': { output: 'junk' } } });
    const { code, of } = await examine(program);
    expect(code).toBe(0);
    expect(of('flags')).toEqual({
      name: 'flags',
      level: 'warn',
      fact: 'this sandy could not say what it can do',
      remedy: 'sandy --print-schema',
    });
    expect(of('contract')).toMatchObject({ level: 'warn', remedy: null });
    expect(of('look')).toMatchObject({ level: 'ok' });
  });

  test('of the future, and fields that are not what they were, are warnings', async ({
    program,
    expect,
  }) => {
    await program.addFleet({
      schemaVersion: 9,
      extraFields: { container: { attached_clients: 'many' } },
      sessions: [{ name: 'a' }],
    });
    const { code, of } = await examine(program);
    expect(code).toBe(0);
    expect(of('contract')).toEqual([
      {
        name: 'contract',
        level: 'warn',
        fact: expect.stringMatching(/running_containers\[\]\.attached_clients: expected integer/),
        remedy: null,
      },
      {
        name: 'contract',
        level: 'warn',
        fact: expect.stringMatching(/schema version 9/),
        remedy: null,
      },
    ]);
  });

  test('what mends it is a command to be pasted, or a sentence that stands for itself', async ({
    program,
    expect,
  }) => {
    const fleet = await program.addFleet({ docker: 'down' });
    const { stdout } = await program.run(['doctor'], { PATH: fleet.dockerFolder });
    expect(stdout).toMatch(/^fail {2}look .*\n {16}Start Docker\.\n/m);
    expect(stdout).toMatch(/^warn {2}agent .*\n {16}mend it with: sandy-tray run\n/m);
    expect(stdout).not.toContain('mend it with: Start');
  });

  test('a look that fails names what to try: docker, or sandy', async ({ program, expect }) => {
    const fleet = await program.addFleet({ docker: 'down' });
    const down = await examine(program, { PATH: fleet.dockerFolder });
    expect(down.code).toBe(1);
    expect(down.of('look')).toMatchObject({
      level: 'fail',
      fact: expect.stringMatching(/^Docker does not answer\./),
      remedy: 'Start Docker.',
    });
    expect(down.of('sandy')).toMatchObject({ level: 'ok' });
    setKnobs(fleet.dir, { docker: 'up', commands: { '--print-state': { output: 'half' } } });
    const half = await examine(program);
    expect(half.code).toBe(1);
    expect(half.of('look')).toMatchObject({
      level: 'fail',
      fact: expect.stringMatching(/printed something that is not its state\./),
      remedy: 'sandy --print-state light',
    });
  });
});

describe.concurrent('sessions that are not well', () => {
  test('each has its remedy named', async ({ program, expect }) => {
    const fleet = await program.addFleet({
      version: '1.8.0',
      sessions: [{ name: 'lost' }, { name: 'moved', workspaceMissing: true }],
    });
    const [lost, moved] = fleet.sessions;
    setLock(fleet.dir, lost?.record ?? '', 'free');
    const { code, of } = await examine(program);
    expect(code).toBe(0);
    expect(of('session')).toEqual([
      {
        name: 'session',
        level: 'warn',
        fact: expect.stringMatching(/^lost-\w+: Its supervisor is gone: /),
        remedy: `sandy-tray stop ${lost?.key} && sandy-tray start ${lost?.key}`,
      },
      {
        name: 'session',
        level: 'warn',
        fact: `${moved?.key}: Its workspace folder is missing.`,
        remedy: 'Put the folder back, or remove the sandbox.',
      },
    ]);
    expect(of('sessions')).toEqual([]);
  });
});

describe.concurrent('what is needed for windows', () => {
  const withDisplay = { DISPLAY: ':0' };

  test('a terminal that is there is named', async ({ program, expect }) => {
    await program.addFleet();
    const bin = join(program.folder, 'bin');
    mkdirSync(bin);
    writeScript(join(bin, 'kitty'), 'exit 0');
    const PATH = `${bin}:${process.env.PATH}`;
    const chosen = { ...withDisplay, PATH };
    await program.run(['config', 'set', 'terminal', 'kitty']);
    const { of } = await examine(program, chosen);
    expect(of('terminal')).toMatchObject({ level: 'ok', fact: 'windows open in kitty' });
  });

  test('none is a warning', async ({ program, expect }) => {
    const variables = { ...withDisplay, PATH: '/nowhere', SANDY_TRAY_SANDY: '/nowhere/sandy' };
    const { of } = await examine(program, variables);
    expect(of('terminal')).toMatchObject({ level: 'warn', fact: 'no terminal program was found' });
  });
});

describe.concurrent('the agent', () => {
  stageTest('that runs is named', async ({ stage, expect }) => {
    await stage.addFleet(['a']);
    const agent = await stage.startAgent();
    const { of } = await examine(stage.program);
    expect(of('agent')).toMatchObject({
      level: 'ok',
      fact: expect.stringContaining(`runs (pid ${agent.pid}, `),
    });
    await agent.stop();
  });

  test('that a file was set aside is told', async ({ program, expect }) => {
    await program.addFleet();
    mkdirSync(program.ownFolder, { mode: 0o700 });
    writeFileSync(join(program.ownFolder, 'config.json.bad'), '{');
    const { of } = await examine(program);
    const path = join(program.ownFolder, 'config.json.bad');
    expect(of('files')).toEqual({
      name: 'files',
      level: 'warn',
      fact: `${path} could not be used and was kept`,
      remedy: `rm ${path}`,
    });
  });
});

describe('banners', () => {
  test('are tried and followed: clicked, closed, or nobody there', async ({ program, expect }) => {
    await program.addFleet();
    const { variables } = await startBus(program.folder);
    const none = await examine(program, variables);
    expect(none.of('banners')).toEqual({
      name: 'banners',
      level: 'warn',
      fact: 'Nothing shows notifications here, and there is no display to start it on',
      remedy: 'Start what shows notifications on your desktop, such as dunst.',
    });
    expect((await examine(program, variables, ['--notify'])).of('banners')).toMatchObject({
      level: 'fail',
      fact: expect.stringContaining('no display to start it on'),
    });

    const server = await startServer(variables);
    const there = await examine(program, variables);
    expect(there.of('banners')).toMatchObject({
      level: 'ok',
      fact: 'they are shown by stand-in, and can be clicked',
    });
    expect(server.notified).toEqual([]);

    const clicked = examine(program, variables, ['--notify']);
    await expect.poll(() => server.notified.length, { timeout: 30_000 }).toBe(1);
    server.click(1, 'default');
    expect((await clicked).of('banners')).toMatchObject({
      level: 'ok',
      fact: 'one was shown by stand-in, and its click came back',
    });

    const closed = examine(program, variables, ['--notify']);
    await expect.poll(() => server.notified.length, { timeout: 30_000 }).toBe(2);
    server.end(2, 2);
    expect((await closed).of('banners')).toMatchObject({
      level: 'warn',
      fact: 'one was handed to stand-in, and it was closed without a click',
    });

    const late = await examine(program, { ...variables, SANDY_TRAY_TIME_SCALE: '100' }, [
      '--notify',
    ]);
    expect(late.of('banners')).toMatchObject({
      level: 'warn',
      fact: 'one was handed to stand-in, and nothing was heard of it',
    });
    expect(server.visible()).toEqual([]);
  });
});
