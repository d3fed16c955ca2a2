import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quoteForShell } from '../../src/system/shell-words.ts';
import { writeCommandText } from '../../src/terminal/mac-terminals.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';

const NASTY = [
  '',
  ' a  b ',
  '-e',
  '--',
  `it's "q"`,
  '$(touch X)',
  '`touch X`',
  '; touch X #',
  '*',
  '~',
  '\\',
  'é😀',
  'a\nb',
  '!!',
];

test('a file that is the command runs exactly that and is gone', () => {
  const folder = makeScratchFolder();
  const program = writeScript(
    join(folder, "it's $HOME"),
    `printf '%s\\0' "$@" > '${folder}/heard'`,
  );
  const file = join(folder, 'own folder $(touch X) "it\'s".command');
  writeFileSync(file, writeCommandText([program, ...NASTY]), { mode: 0o700 });
  const { status, stderr } = spawnSync(file, [], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TERM: 'dumb' },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const heard = readFileSync(join(folder, 'heard'), 'utf8').split('\0').slice(0, -1);
  expect(heard).toEqual(NASTY);
  expect(existsSync(file)).toBe(false);
  expect(existsSync(join(folder, 'X'))).toBe(false);
});

test.each([
  ['zork-3dfda686', 'zork-3dfda686'],
  ['/a/b c', "'/a/b c'"],
  ["it's", `'it'\\''s'`],
  ['', "''"],
])('%j is quoted as %s', (word, quoted) => {
  expect(quoteForShell(word)).toBe(quoted);
});
