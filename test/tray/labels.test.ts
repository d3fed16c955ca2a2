import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameFolder, nameId, nameKey, wrapSentence } from '../../src/tray/labels.ts';

test.each([
  ['zork-3dfda686', 'zork-3dfda686'],
  ['a-rather-long-project-name-3dfda686', 'a-rather-long-p…e-3dfda686'],
  ['', '(no name)'],
  ['\u202e', '(no name)'],
  ['two\nlines', 'two↵lines'],
])('the key %j is named %j', (key, name) => {
  expect(nameKey(key)).toBe(name);
});

test('a long path keeps its end', () => {
  const name = nameFolder(`/home/dev/${'x'.repeat(100)}/end`);
  expect(name).toBe(`…${'x'.repeat(55)}/end`);
  expect(nameFolder('/home/dev/zork')).toBe('/home/dev/zork');
});

test('a sentence is broken between words', () => {
  expect(wrapSentence(`${'a'.repeat(40)} ${'b'.repeat(19)} ${'c'.repeat(5)}`)).toEqual([
    `${'a'.repeat(40)} ${'b'.repeat(19)}`,
    'ccccc',
  ]);
});

test('what has no room is cut, and shows it', () => {
  const rows = wrapSentence(`${'a'.repeat(58)} ${'b'.repeat(58)} ${'c'.repeat(3)}`, 2);
  expect(rows).toEqual(['a'.repeat(58), `${'b'.repeat(58)} …`]);
  expect(wrapSentence('x'.repeat(90), 2)).toEqual([`${'x'.repeat(59)}…`]);
});

// What can be read back is never the same for two texts.
test('an id says exactly which text it is of', () => {
  const unit = fc.oneof(fc.constantFrom('a', 'f', '2', '%', '/'), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(fc.array(unit), fc.boolean(), (units, halved) => {
      const text = halved ? units.join('').slice(1) : units.join('');
      const id = nameId(text);
      expect(id).toMatch(/^[\w.%-]*$/);
      const read = id.replace(/%(.{4})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
      expect(read).toBe(text);
    }),
  );
});
