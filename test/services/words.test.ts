/** Hostile paths through those who read the files in earnest: systemd, and the library of desktops. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  composeAgentUnit,
  composeAutostart,
  composeUpdateTimer,
  composeUpdateUnit,
  findUnwritable,
  type ServiceFacts,
} from '../../src/service/service-files.ts';
import { readTemplatesFrom } from '../../src/service/templates.ts';
import { writeScript } from '../program.ts';
import { startUserManager, type UserManager } from './user-manager.ts';

const read = readTemplatesFrom(join(import.meta.dirname, '..', '..'));
const schedule = { hour: 23, minute: 59, idleMinutes: 30 };

let manager: UserManager;
beforeAll(async () => {
  manager = await startUserManager();
});
afterAll(async () => {
  await manager?.end();
});

/** A folder name, in which a program is that records how it is run. */
const words = [
  'plain',
  'with  two spaces',
  ' ends with one ',
  '%h%%n%i%',
  'a;b #c',
  "it's",
  'say "hi"',
  'back\\slash\\',
  '\\x41\\n\\"',
  '$HOME $\x7bHOME} $$ $',
  '`touch x`$(touch y)',
  'é☃𝄞\u202e\u2028',
  'k=v',
  'all of it: \'a\' "b" \\ % %% $X ; # é = `',
  '-dash',
  '@at:+!',
  '*?[a]{b}~<>|&',
];

const program = `printf '%s\\0' "$0" "$@" "$HOSTILE" > "$RECORD"`;

/** What is run as the word says, where that is possible; else its arguments are as the word says. */
function describeFacts(folder: string, word: string, isPath: boolean): ServiceFacts {
  const inside = join(folder, isPath ? word : 'runs', 'node');
  writeScript(inside, program);
  return {
    program: [inside, `/opt/${word}/main.js`],
    variables: [
      ['PATH', '/usr/bin:/bin'],
      ['HOSTILE', word],
      ['RECORD', join(folder, 'record')],
    ],
    home: '/',
    logs: '/',
  };
}

const said = (folder: string) =>
  readFileSync(join(folder, 'record'), 'utf8').split('\0').slice(0, -1);

test('a unit runs what its words say', { timeout: 120_000 }, async () => {
  let runnable = 0;
  const expected = new Map<string, string[]>();
  for (const [index, word] of words.entries()) {
    for (const isPath of [false, true]) {
      const name = `words-${index}-${isPath}`;
      const folder = join(manager.folder, name);
      const facts = describeFacts(folder, word, isPath);
      if (findUnwritable(facts, 'unit') !== null) continue;
      if (isPath) runnable += 1;
      await manager.addUnit(`${name}.service`, composeAgentUnit(read, facts));
      expected.set(folder, [...facts.program, 'run', word]);
      await manager.systemctl('start', `${name}.service`);
      await vi.waitFor(() => expect(said(folder)).toEqual(expected.get(folder)), {
        timeout: 20_000,
      });
    }
  }
  expect(expected.size - runnable).toBe(words.length);
  expect(runnable).toBeGreaterThan(8);
});

test('a desktop runs what its words say', () => {
  const folders: string[] = [];
  for (const [index, word] of words.entries()) {
    const folder = join(manager.folder, `desktop-${index}`);
    const isPath = findUnwritable(describeFacts(folder, word, true), 'autostart') === null;
    const facts = describeFacts(folder, word, isPath);
    const file = join(folder, 'sandy-tray.desktop');
    writeFileSync(file, composeAutostart(read, facts));
    expect(spawnSync('desktop-file-validate', [file], { encoding: 'utf8' })).toMatchObject({
      stdout: '',
      stderr: '',
      status: 0,
    });
    const { status, stderr } = spawnSync('gio', ['launch', file], {
      env: manager.environment,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    folders.push(folder);
    expect([word, isPath]).toEqual([word, !word.includes('=')]);
  }
  return vi.waitFor(
    () => {
      for (const [index, folder] of folders.entries()) {
        const [, main, command, value] = said(folder);
        const word = words[index];
        expect([main, command, value]).toEqual([`/opt/${word}/main.js`, 'run', word]);
      }
    },
    { timeout: 20_000 },
  );
});

test('systemd finds nothing to say of the units', () => {
  for (const word of ['plain', 'all of it: \'a\' "b" \\ % $X ; # é `']) {
    const folder = join(manager.folder, `verify-${word.length}`);
    const facts = describeFacts(folder, word, false);
    const files = {
      'sandy-tray.service': composeAgentUnit(read, facts),
      'sandy-tray-update.service': composeUpdateUnit(read, facts, schedule),
      'sandy-tray-update.timer': composeUpdateTimer(read, schedule),
    };
    const units = join(folder, 'units');
    mkdirSync(units);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(units, name), text);
    const paths = readdirSync(units).map((name) => join(units, name));
    const verify = spawnSync('systemd-analyze', ['--user', 'verify', ...paths], {
      env: manager.environment,
      encoding: 'utf8',
    });
    expect(verify).toMatchObject({ status: 0, stdout: '', stderr: '' });
  }
});
