import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomically } from '../../src/system/files.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

describe('writing a file atomically', () => {
  it('makes private folders and a private file, and leaves no draft', async () => {
    const folder = makeScratchFolder();
    const path = join(folder, 'a', 'b', 'file');
    expect(await writeFileAtomically(path, 'one')).toEqual({ kind: 'written' });
    expect(await writeFileAtomically(path, 'two')).toEqual({ kind: 'written' });
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['file']);
  });

  it('says why nothing was written, and leaves what was there', async () => {
    const folder = makeScratchFolder();
    writeFileSync(join(folder, 'file'), 'kept');
    mkdirSync(join(folder, 'taken', 'full'), { recursive: true });
    expect(await writeFileAtomically(join(folder, 'file', 'x'), 'new')).toMatchObject({
      kind: 'not-written',
    });
    expect(await writeFileAtomically(join(folder, 'taken'), 'new')).toMatchObject({
      kind: 'not-written',
    });
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('kept');
    expect(readdirSync(folder).sort()).toEqual(['file', 'taken']);
  });
});
