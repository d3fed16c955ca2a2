import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** What the bundle of the npm package and those of the executables have in common, for esbuild. */
export const bundling = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  // Only its native part is ever loaded, from beside the program.
  external: ['node-pty'],
  legalComments: 'none',
  logLevel: 'warning',
};

/** What is written into the bundle. */
export function nameBuild() {
  return { SANDY_TRAY_COMMIT: JSON.stringify(nameCommit(ROOT)) };
}

/**
 * The commit of the checkout in a folder, with "-dirty" where tracked files were changed; null: it is no
 * checkout, or there is no git.
 */
export function nameCommit(folder) {
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  const git = (...args) => execFileSync('git', args, options).trim();
  try {
    // A copy inside of another repository would have that one's commits.
    if (git('rev-parse', '--show-prefix') !== '') return null;
    return git('describe', '--always', '--dirty', '--exclude', '*');
  } catch {
    return null;
  }
}
