import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder with the contents of a package of npm, below `cache`; fetched where it is not there yet. Throws
 * where its tarball is not the one of that `integrity` (sha512, as package-lock.json writes it).
 */
export function fetchPackage(name, version, integrity, cache) {
  const folder = join(cache, `${name.replace('/', '-')}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  try {
    const args = ['pack', '--silent', '--pack-destination', draft, `${name}@${version}`];
    const file = join(draft, execFileSync('npm', args, { encoding: 'utf8', cwd: draft }).trim());
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
    if (found !== integrity)
      throw new Error(`${name}@${version} is not what was expected: ${found}`);
    execFileSync('tar', ['-xzf', file, '-C', draft]);
    renameSync(join(draft, 'package'), folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}
