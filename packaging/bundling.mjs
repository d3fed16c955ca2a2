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
  return { SANDY_TRAY_COMMIT: JSON.stringify(nameCommit()) };
}

/** The commit of this checkout, with "-dirty" where tracked files were changed; null: it is no checkout. */
function nameCommit() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    // A copy inside of another repository would have that one's commits.
    if (git('rev-parse', '--show-prefix').trim() !== '') return null;
    return git('describe', '--always', '--dirty', '--exclude', '*').trim();
  } catch {
    return null;
  }
}
