import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const source = resolve(import.meta.dirname, '../../src');

test('one kind of apostrophe, so that no output mixes two', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(100);
  const curly = files.filter((name) => readFileSync(join(source, name), 'utf8').includes('’'));
  expect(curly).toEqual([]);
});
