import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { holdFolder, pruneFolders } from '../../src/system/unpacked-folders.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const current = '2.0.0-0123456789ab';
const old = '1.9.0-ba9876543210';

/** Of a process that has just ended. */
const endedPid = spawnSync('/bin/sh', ['-c', 'echo $$'], { encoding: 'utf8' }).stdout.trim();

function makeBase(...names: readonly string[]): string {
  const base = makeScratchFolder();
  for (const name of names) {
    mkdirSync(join(base, name, 'assets'), { recursive: true });
    writeFileSync(join(base, name, 'assets', 'icon.png'), '');
  }
  return base;
}

function note(base: string, name: string, pid: string): void {
  mkdirSync(join(base, 'in-use', name), { recursive: true });
  writeFileSync(join(base, 'in-use', name, pid), '');
}

const list = (base: string) => readdirSync(base).sort();

describe('removing unpacked folders', () => {
  test('those that nobody runs from go, with what is noted of them', () => {
    const base = makeBase(old, current);
    note(base, old, endedPid);
    pruneFolders(base, current);
    expect(list(base)).toEqual([current, 'in-use']);
    expect(readdirSync(join(base, 'in-use'))).toEqual([]);
  });

  test('the one in which a process runs stays', () => {
    const base = makeBase(old, current);
    note(base, old, endedPid);
    holdFolder(base, old);
    pruneFolders(base, current);
    expect(list(base)).toEqual([old, current, 'in-use']);
  });

  test('our own stays, whoever is noted', () => {
    const base = makeBase(current);
    pruneFolders(base, current);
    expect(list(base)).toEqual([current]);
  });

  test('what is not ours stays', () => {
    const base = makeBase('notes', 'in-use', '1.0.0', current);
    pruneFolders(base, current);
    expect(list(base)).toEqual(['1.0.0', current, 'in-use', 'notes']);
  });

  test('what a killed process left half done goes; what a living one is at stays', () => {
    const ours = `.draft-${process.pid}-aa`;
    const base = makeBase(`.draft-${endedPid}-aa`, `.old-${endedPid}-aa`, ours, current);
    pruneFolders(base, current);
    expect(list(base)).toEqual([ours, current]);
  });

  test('without a folder there is nothing to do', () => {
    const base = join(makeScratchFolder(), 'missing');
    pruneFolders(base, current);
    expect(readdirSync(join(base, '..'))).toEqual([]);
  });
});
