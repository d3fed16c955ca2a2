import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSandy, hasProgram, identifyFile, isSameFile } from '../../src/sandy/finding.ts';
import { describeTrouble } from '../../src/sandy/trouble.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';

/** A folder with one of everything that can bear the name. */
function layOut() {
  const root = makeScratchFolder();
  const good = writeScript(join(root, 'good/sandy'), '');
  const second = writeScript(join(root, 'second/sandy'), '');
  const plain = writeScript(join(root, 'plain/sandy'), '');
  chmodSync(plain, 0o644);
  mkdirSync(join(root, 'folder/sandy'), { recursive: true });
  mkdirSync(join(root, 'dangling'));
  symlinkSync('/nonexistent', join(root, 'dangling/sandy'));
  return {
    root,
    good,
    second,
    plain,
    folders: (names: string[]) => names.map((name) => join(root, name)),
  };
}

const nowhere = { setting: null, variable: undefined, folders: [] };

describe('finding sandy', () => {
  it('asks the setting, then the variable, then the folders in order', async () => {
    const { good, second, folders } = layOut();
    const all = folders(['empty', 'folder', 'plain', 'dangling', 'good', 'second']);
    const found = (path: string) => ({ kind: 'found', path });
    expect(await findSandy({ setting: second, variable: good, folders: all })).toEqual(
      found(second),
    );
    expect(await findSandy({ setting: null, variable: second, folders: all })).toEqual(
      found(second),
    );
    expect(await findSandy({ setting: null, variable: '', folders: all })).toEqual(found(good));
    expect(await findSandy({ setting: null, variable: undefined, folders: all })).toEqual(
      found(good),
    );
  });

  it('never looks elsewhere than where it was told to', async () => {
    const { folders, root, plain } = layOut();
    const all = folders(['good']);
    const wrongs = [
      ['sandy', 'not-absolute', 'is not an absolute path'],
      ['~/bin/sandy', 'not-absolute', 'is not an absolute path'],
      ['', 'not-absolute', 'is not an absolute path'],
      [join(root, 'empty/sandy'), 'missing', 'does not exist'],
      [join(plain, 'below'), 'missing', 'does not exist'],
      [join(root, 'dangling/sandy'), 'missing', 'does not exist'],
      [`${root}/a\0b`, 'missing', 'does not exist'],
      [join(root, 'folder/sandy'), 'directory', 'names a folder'],
      [plain, 'not-executable', 'not executable'],
    ] as const;
    for (const [path, wrong, words] of wrongs) {
      const named = await findSandy({ setting: path, variable: undefined, folders: all });
      expect(named).toEqual({
        kind: 'not-found',
        problem: { kind: 'named-wrongly', by: 'setting', path, wrong },
      });
      if (named.kind === 'found') throw new Error('unreachable');
      const { reason, text } = describeTrouble(named);
      expect(reason).toBe('sandy-missing');
      expect(text).toContain(words);
      if (path === '') continue;
      expect(await findSandy({ setting: null, variable: path, folders: all })).toMatchObject({
        problem: { by: 'variable', wrong },
      });
    }
  });

  it('says when there is none, and when the only one cannot be run', async () => {
    const { folders, plain } = layOut();
    const none = await findSandy({ ...nowhere, folders: folders(['empty', 'folder']) });
    expect(none).toEqual({ kind: 'not-found', problem: { kind: 'nowhere', unusable: null } });
    const only = await findSandy({ ...nowhere, folders: folders(['plain']) });
    expect(only).toEqual({ kind: 'not-found', problem: { kind: 'nowhere', unusable: plain } });
    if (none.kind === 'found' || only.kind === 'found') throw new Error('unreachable');
    expect(describeTrouble(none).text).toContain('was not found in PATH');
    expect(describeTrouble(only).text).toContain(`${plain}, is not executable`);
  });

  it('cleans a hostile path before it shows it', async () => {
    const named = await findSandy({ ...nowhere, setting: '/x\x1b[31m\n\u202ey' });
    if (named.kind === 'found') throw new Error('unreachable');
    expect(describeTrouble(named).text).toContain(': /x↵y. ');
  });

  it('knows whether a program can be run', async () => {
    const { folders } = layOut();
    expect(await hasProgram('sandy', folders(['plain', 'folder', 'good']))).toBe(true);
    expect(await hasProgram('sandy', folders(['plain', 'folder', 'dangling']))).toBe(false);
  });
});

describe('a file’s identity', () => {
  it('changes with its contents, its time, its place and its target', async () => {
    const root = makeScratchFolder();
    const file = writeScript(join(root, 'one'), '');
    const other = writeScript(join(root, 'two'), '');
    const link = join(root, 'link');
    symlinkSync(file, link);
    const before = await identifyFile(link);
    if (before === null) throw new Error('missing');
    expect(isSameFile(before, { ...before })).toBe(true);
    for (const change of [
      { realPath: '/x' },
      { device: before.device + 1 },
      { inode: before.inode + 1 },
      { modifiedAt: before.modifiedAt + 1 },
      { bytes: before.bytes + 1 },
    ]) {
      expect(isSameFile(before, { ...before, ...change })).toBe(false);
    }
    expect(before.realPath).toBe(file);
    utimesSync(file, 1, 1);
    const touched = await identifyFile(link);
    expect(touched?.modifiedAt).toBe(1_000);
    writeFileSync(file, 'longer than before, surely');
    expect((await identifyFile(link))?.bytes).not.toBe(before.bytes);
    expect((await identifyFile(other))?.inode).not.toBe(before.inode);
    expect(await identifyFile(join(root, 'missing'))).toBeNull();
  });
});
