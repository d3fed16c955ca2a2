import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testPackage } from './what-must-work.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-npm-')));
const prefix = join(folder, 'prefix');
const npm = findNpm();

/** By its file: PATH is to have nothing on it when it installs. */
function findNpm(): string {
  const { npm_execpath: running } = process.env;
  return realpathSync(
    running ?? execFileSync('/bin/sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim(),
  );
}

beforeAll(() => {
  mkdirSync(prefix);
  const pack = [npm, 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const tarball = execFileSync(process.execPath, pack, { cwd: root, encoding: 'utf8' }).trim();
  // No compiler and no shell is on PATH.
  execFileSync(
    process.execPath,
    [npm, 'install', '--global', '--prefix', prefix, '--no-audit', join(folder, tarball)],
    { env: { ...process.env, PATH: '/nonexistent' }, stdio: 'ignore' },
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe(`the package of npm on Node ${process.version}`, () => {
  test('installs without scripts of its own or of what it needs', () => {
    const modules = join(prefix, 'lib', 'node_modules');
    const names = readdirSync(modules, { recursive: true, encoding: 'utf8' });
    const manifests = names.filter((name) => /(?:^|\/)package\.json$/.test(name));
    expect(manifests.length).toBeGreaterThan(5);
    const withScripts = manifests.filter((name) => {
      const { scripts = {} } = JSON.parse(readFileSync(join(modules, name), 'utf8'));
      return ['preinstall', 'install', 'postinstall'].some((each) => each in scripts);
    });
    expect(withScripts).toEqual([]);
    expect(names.filter((name) => name.endsWith('binding.gyp'))).toEqual([]);
  });

  test('has what the program reads, and neither sources nor tests', () => {
    const files = readdirSync(join(prefix, 'lib', 'node_modules', 'sandy-tray')).sort();
    expect(files).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'assets', 'dist']),
    );
    for (const name of ['src', 'test', '.packaging', 'packages']) expect(files).not.toContain(name);
  });

  testPackage(
    () => [join(prefix, 'bin', 'sandy-tray')],
    // The line that begins the program asks `env` for a node.
    `${dirname(process.execPath)}:/usr/bin:/bin`,
    `package, Node ${process.versions.node}`,
  );
});
