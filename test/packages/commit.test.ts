import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nameCommit } from '../../.packaging/bundling.mjs';
import { makeScratchFolder } from '../scratch-folder.ts';

function makeCheckout(): string {
  const folder = makeScratchFolder();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder });
  git('init', '--quiet');
  writeFileSync(join(folder, 'file'), '');
  git('add', 'file');
  git('commit', '--quiet', '--message', 'one');
  git('tag', '--annotate', '--message', 'one', 'v1.0.0');
  return folder;
}

describe('the commit that a build was made from', () => {
  test('is the one of its checkout, and says what was not committed', () => {
    const folder = makeCheckout();
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' });
    const commit = nameCommit(folder);
    expect(commit).toMatch(/^[0-9a-f]{7,}$/);
    expect(head.startsWith(commit ?? '?')).toBe(true);
    writeFileSync(join(folder, 'new'), '');
    expect(nameCommit(folder)).toBe(commit);
    writeFileSync(join(folder, 'file'), 'changed');
    expect(nameCommit(folder)).toBe(`${commit}-dirty`);
  });

  test('is not known without a checkout, nor that of another one around it', () => {
    expect(nameCommit(makeScratchFolder())).toBeNull();
    const inside = join(makeCheckout(), 'node_modules', 'sandy-tray');
    mkdirSync(inside, { recursive: true });
    expect(nameCommit(inside)).toBeNull();
  });

  test('is not known without git', () => {
    const folder = makeCheckout();
    const { PATH } = process.env;
    try {
      process.env.PATH = '/nonexistent';
      expect(nameCommit(folder)).toBeNull();
    } finally {
      process.env.PATH = PATH;
    }
  });
});
