import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Expectations that were edited by hand, or that the captures no longer lead to, prove nothing.
test('the expected files are what expect.mjs makes of the captures', () => {
  const committed = join(import.meta.dirname, 'expected');
  const fresh = mkdtempSync(join(tmpdir(), 'golden-'));
  try {
    execFileSync(process.execPath, [join(import.meta.dirname, 'expect.mjs'), fresh]);
    expect(readdirSync(fresh).sort()).toEqual(readdirSync(committed).sort());
    for (const name of readdirSync(committed)) {
      const same = readFileSync(join(fresh, name)).equals(readFileSync(join(committed, name)));
      expect(same, name).toBe(true);
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
});
