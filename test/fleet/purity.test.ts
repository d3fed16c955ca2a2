import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const fleet = join(import.meta.dirname, '../../src/fleet');
const files = readdirSync(fleet).filter((name) => name.endsWith('.ts'));

/** The code without comments, strings and templates' text. */
function codeOf(name: string): string {
  return readFileSync(join(fleet, name), 'utf8')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
}

test('there is a fleet to look at', () => {
  expect(files.length).toBeGreaterThan(10);
});

// It never throws because nothing in it can, not because something swallows what does.
test.each(files)('%s neither throws nor catches', (name) => {
  expect(codeOf(name)).not.toMatch(/\b(try|catch|throw)\b/);
});

test.each(files)('%s reads no clock, no chance and no world', (name) => {
  const code = codeOf(name);
  expect(code).not.toMatch(/\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bMath\.random\b/);
  expect(code).not.toMatch(
    /\bprocess\.(env|argv|cwd|hrtime|on)\b|\bglobalThis\b|\bset(Timeout|Interval)\b|\bconsole\b/,
  );
  expect(code).not.toMatch(/\b(await|async|Promise)\b/);
});
