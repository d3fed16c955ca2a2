import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  checkPreference,
  configFileName,
  preferenceKeys,
  readPreferences,
} from '../../src/store/preferences.ts';

function inFolder<T>(text: string, look: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'sandy-tray-'));
  try {
    writeFileSync(join(folder, configFileName), text);
    return look(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const anything = fc.oneof(
  fc.jsonValue(),
  fc.boolean(),
  fc.constantFrom('22:00-07:30', '/bin/sandy', 60, 600, 5),
);
const top = preferenceKeys.filter((key) => !key.includes('.'));
const inside = preferenceKeys
  .filter((key) => key.includes('.'))
  .map((key) => key.split('.')[1] ?? '');
const files = fc
  .dictionary(fc.oneof(fc.constantFrom(...top), fc.string()), anything)
  .chain((flat) =>
    fc
      .dictionary(fc.oneof(fc.constantFrom(...inside), fc.string()), anything)
      .map((notify) => ({ ...flat, notify })),
  );

test('any JSON object gives valid preferences and one problem for each wrong value', () => {
  fc.assert(
    fc.property(files, (file) => {
      const read = inFolder(JSON.stringify(file), readPreferences);
      let wrong = 0;
      for (const key of preferenceKeys) {
        const [first = '', second] = key.split('.');
        const group = second === undefined ? file : file.notify;
        const name = second ?? first;
        const given = Object.hasOwn(group, name)
          ? (group as Record<string, unknown>)[name]
          : undefined;
        const value = read.values.get(key);
        expect(checkPreference(key, value)).toEqual({ kind: 'fine' });
        if (given === undefined) continue;
        if (checkPreference(key, given).kind === 'fine') expect(value).toEqual(given);
        else wrong += 1;
      }
      expect(read.problems.length).toBe(wrong);
      expect(read.preferences.watchMinutes).toBe(read.values.get('watchMinutes'));
      expect(read.preferences.notify.late).toBe(read.values.get('notify.late'));
    }),
  );
});

test('any text is read or kept, to the letter', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      inFolder(text, (folder) => {
        const { problems } = readPreferences(folder);
        const [name = ''] = readdirSync(folder);
        expect(name).toBe(problems.length === 0 ? configFileName : `${configFileName}.bad`);
        expect(readFileSync(join(folder, name), 'utf8')).toBe(Buffer.from(text).toString());
      });
    }),
    { examples: [['null'], ['{}'], ['{"a":1}\u0000'], ['\ufeff{}']] },
  );
});

test.each(['xterm', 'iterm2', ['/opt/a b/term', '-x', '{cmd}', '--end'], null])(
  'a terminal may be %j',
  (terminal) => {
    expect(checkPreference('terminal', terminal)).toEqual({ kind: 'fine' });
  },
);
