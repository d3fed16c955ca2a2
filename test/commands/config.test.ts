import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type Program, test } from '../program.ts';

/** Each key: its default, a value that is right, values that are wrong, and a word of what is allowed. */
const table: readonly [string, unknown, unknown, readonly unknown[], string][] = [
  ['sandyPath', null, '/opt/a b/sandy', ['sandy', 5, ''], 'absolute path'],
  ['pollFullSeconds', 900, 60, [59, 86_401, 60.5, '1 min', null], '60 to 86400'],
  ['returnWindowSeconds', 90, 600, [9, 601, true], '10 to 600'],
  ['watchMinutes', 15, 1, [0, 61, -1], '1 to 60'],
  ['settleSeconds', 60, 5, [4, 601, {}], '5 to 600'],
  [
    'terminal',
    null,
    ['kitty', '--hold', '--', '{cmd}'],
    [
      'moon',
      'xterm -e',
      5,
      [],
      ['kitty'],
      ['{cmd}'],
      ['kitty', '{cmd}', '{cmd}'],
      ['sh', '-c', 'xterm -e {cmd}'],
      ['kitty', '{cmd}', ''],
      ['kitty', 7, '{cmd}'],
    ],
    'after the first is "{cmd}"',
  ],
  ['tray', 'auto', 'off', ['on', 'gnome', null, true], 'status-notifier'],
  ['notify.overnight', true, false, ['no', 1, null], 'true or false'],
  ['notify.late', true, false, [0], 'true or false'],
  ['notify.failed', true, false, [[]], 'true or false'],
  ['notify.back', true, false, ['off'], 'true or false'],
  ['notify.ended', false, true, ['on'], 'true or false'],
  ['notify.progress', false, true, ['yes'], 'true or false'],
  ['notify.failedInQuietHours', true, false, ['never'], 'true or false'],
  ['quietHours', null, '22:00-07:30', ['22-7', '24:00-07:00', '22:00-07:60', 7], '22:00-07:30'],
];
const defaults = Object.fromEntries(table.map(([key, fallback]) => [key, fallback]));

const configOf = (program: Program) => join(program.ownFolder, 'config.json');
const modeOf = (path: string) => statSync(path).mode & 0o777;

function writeConfig(program: Program, text: string): void {
  mkdirSync(program.ownFolder, { recursive: true });
  writeFileSync(configOf(program), text);
}

async function readAll(program: Program): Promise<unknown> {
  return JSON.parse((await program.run(['config', '--json'])).stdout);
}

describe.concurrent('config', () => {
  test('shows every key with its default and leaves nothing behind', async ({
    program,
    expect,
  }) => {
    expect(await readAll(program)).toEqual(defaults);
    const { code, stdout, stderr } = await program.run(['config']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const shown = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(shown).toEqual(table.map(([key, fallback]) => [key, JSON.stringify(fallback)]));
    expect(existsSync(program.ownFolder)).toBe(false);
  });

  test('path names the file, also through the usual folders', async ({ program, expect }) => {
    expect((await program.run(['config', 'path'])).stdout).toBe(`${configOf(program)}\n`);
    const usual = await program.run(['config', 'path'], { SANDY_TRAY_DIR: undefined });
    const folder = process.platform === 'darwin' ? 'Library/Application Support' : '.config';
    expect(usual.stdout).toBe(`${join(program.home, folder, 'sandy-tray/config.json')}\n`);
  });

  test.for(table)(
    '%s: set, get, refuse',
    async ([key, fallback, right, wrong, allowed], { program, expect }) => {
      const get = async () => JSON.parse((await program.run(['config', 'get', key])).stdout);
      expect(await get()).toEqual(fallback);
      const asText = typeof right === 'string' ? right : JSON.stringify(right);
      const set = await program.run(['config', 'set', key, asText]);
      expect(set).toMatchObject({ code: 0, stdout: '', stderr: '' });
      expect(await get()).toEqual(right);
      const before = readFileSync(configOf(program), 'utf8');
      for (const value of wrong) {
        const given = typeof value === 'string' ? value : JSON.stringify(value);
        const { code, stdout, stderr } = await program.run(['config', 'set', key, '--', given]);
        expect({ code, stdout }, given).toEqual({ code: 2, stdout: '' });
        const [what, form, ...rest] = stderr.split('\n');
        expect(what).toContain(`${key} can't be ${JSON.stringify(value)}. Give it `);
        expect(what).toContain(allowed);
        expect(form).toMatch(/^Usage: sandy-tray config /);
        expect(rest).toEqual(['']);
      }
      expect(readFileSync(configOf(program), 'utf8')).toBe(before);
      expect(await readAll(program)).toEqual({ ...defaults, [key]: right });
    },
  );

  test('null takes a setting back', async ({ program, expect }) => {
    await program.run(['config', 'set', 'sandyPath', '/x']);
    expect((await program.run(['config', 'set', 'sandyPath', 'null'])).code).toBe(0);
    expect(await readAll(program)).toEqual(defaults);
  });

  test.for([
    ['get', 'moon'],
    ['set', 'moon', '1'],
    ['get', 'notify'],
    ['get', '__proto__'],
  ])('refuses an unknown key: %j', async (args, { program, expect }) => {
    const { code, stdout, stderr } = await program.run(['config', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^There is no preference "\w+"\. The keys are: sandyPath, .+\.\nUsage: .+\n$/,
    );
    expect(existsSync(program.ownFolder)).toBe(false);
  });

  test.for([['get'], ['set'], ['set', 'watchMinutes'], ['path', 'x'], ['show'], ['get', 'a', 'b']])(
    'refuses wrong usage in two lines: %j',
    async (args, { program, expect }) => {
      const { code, stdout, stderr } = await program.run(['config', ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^[^\n]+\.\nUsage: sandy-tray config [^\n]+\n$/);
    },
  );
});

describe.concurrent('config.json', () => {
  test('is for this user only, in a folder for this user only', async ({ program, expect }) => {
    await program.run(['config', 'set', 'watchMinutes', '20']);
    expect(modeOf(program.ownFolder)).toBe(0o700);
    expect(modeOf(configOf(program))).toBe(0o600);
    chmodSync(configOf(program), 0o644);
    await program.run(['config', 'set', 'watchMinutes', '21']);
    expect(modeOf(configOf(program))).toBe(0o600);
    expect(readdirSync(program.ownFolder)).toEqual(['config.json']);
  });

  test('keeps what this version does not know', async ({ program, expect }) => {
    const foreign = { moon: { phase: ['full'] }, 'a.b': 1, notify: { moods: 'blue', late: false } };
    writeConfig(program, JSON.stringify(foreign));
    const set = await program.run(['config', 'set', 'notify.back', 'false']);
    expect(set).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(readFileSync(configOf(program), 'utf8'))).toEqual({
      ...foreign,
      notify: { ...foreign.notify, back: false },
    });
    expect(await readAll(program)).toEqual({
      ...defaults,
      'notify.late': false,
      'notify.back': false,
    });
  });

  test('a wrong value costs that value, and every command says so', async ({ program, expect }) => {
    await program.addFleet();
    writeConfig(program, '{"watchMinutes":"\\u001b[31m","settleSeconds":7,"notify":{"late":1}}');
    for (const args of [
      ['status', '--json'],
      ['config', '--json'],
      ['config', 'path'],
      ['doctor'],
    ]) {
      const { code, stderr } = await program.run(args);
      expect(code, args.join(' ')).toBe(0);
      const lines = stderr.split('\n');
      expect(lines, args.join(' ')).toEqual([
        expect.stringMatching(
          /config\.json: watchMinutes is .*, which is not a whole number from 1 to 60; the default, 15, is used\. Set it with: sandy-tray config set watchMinutes VALUE$/,
        ),
        expect.stringMatching(
          /config\.json: notify\.late is 1, which is not true or false; the default, true, is used\. /,
        ),
        '',
      ]);
      expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
    }
    expect(await readAll(program)).toEqual({ ...defaults, settleSeconds: 7 });
    const checks = JSON.parse((await program.run(['doctor', '--json'])).stdout).checks;
    const named = checks.filter((check: { name: string }) => check.name === 'config');
    expect(named).toMatchObject([
      { level: 'warn', fact: expect.stringContaining('watchMinutes') },
      { level: 'warn', fact: expect.stringContaining('notify.late') },
    ]);
  });

  test('a group that is no object is named once, and set mends it', async ({ program, expect }) => {
    writeConfig(program, '{"notify":5}');
    const { stderr } = await program.run(['config']);
    expect(stderr).toMatch(/^[^\n]+config\.json: notify is 5, which is not an object; [^\n]+\n$/);
    expect(await readAll(program)).toEqual(defaults);
    expect((await program.run(['config', 'set', 'notify.late', 'false'])).code).toBe(0);
    expect((await program.run(['config'])).stderr).toBe('');
    expect(await readAll(program)).toEqual({ ...defaults, 'notify.late': false });
  });

  test('what is no JSON object is kept aside, never overwritten', async ({ program, expect }) => {
    const broken = ['{"watchMinutes": 20', '[1]', '', '"text"'];
    for (const [place, text] of broken.entries()) {
      writeConfig(program, text);
      const { code, stdout, stderr } = await program.run(['config', '--json']);
      const kept = place === 0 ? 'config.json.bad' : `config.json.${place + 1}.bad`;
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual(defaults);
      expect(stderr).toBe(
        `${configOf(program)} is not a JSON object; it is kept as ${join(program.ownFolder, kept)} and the defaults are used. Mend it and move it back.\n`,
      );
      expect((await program.run(['config'])).stderr).toBe('');
    }
    const files = readdirSync(program.ownFolder).sort();
    expect(files).toEqual([
      'config.json.2.bad',
      'config.json.3.bad',
      'config.json.4.bad',
      'config.json.bad',
    ]);
    const texts = ['config.json.bad', ...files.slice(0, 3)].map((name) =>
      readFileSync(join(program.ownFolder, name), 'utf8'),
    );
    expect(texts).toEqual(broken);
  });

  test('set on a broken file keeps the broken one too', async ({ program, expect }) => {
    writeConfig(program, '{');
    expect((await program.run(['config', 'set', 'watchMinutes', '3'])).code).toBe(0);
    expect(readFileSync(`${configOf(program)}.bad`, 'utf8')).toBe('{');
    expect(await readAll(program)).toEqual({ ...defaults, watchMinutes: 3 });
  });

  test('a folder that takes no file is one sentence and exit 1', async ({ program, expect }) => {
    writeFileSync(program.ownFolder, 'a file in the place of the folder');
    const shown = await program.run(['config', '--json']);
    expect(JSON.parse(shown.stdout)).toEqual(defaults);
    expect(shown.stderr).toMatch(
      /^[^\n]+config\.json can't be read \(ENOTDIR\); the defaults are used\. [^\n]+\.\n$/,
    );
    const { code, stdout, stderr } = await program.run(['config', 'set', 'watchMinutes', '3']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n').slice(1)).toEqual([
      expect.stringMatching(
        /config\.json can't be written \((ENOTDIR|EEXIST)\)\. .+, then try again\.$/,
      ),
      '',
    ]);
    expect(readFileSync(program.ownFolder, 'utf8')).toBe('a file in the place of the folder');
  });

  test('a folder in place of the file is one sentence and exit 1', async ({ program, expect }) => {
    mkdirSync(configOf(program), { recursive: true });
    const { code, stderr } = await program.run(['config', 'set', 'watchMinutes', '3']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/can't be written \(EISDIR\)/);
  });
});
