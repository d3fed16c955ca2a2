import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

export const ROOT = join(import.meta.dirname, '..');

const bundling = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  // Only its native part is ever loaded, from beside the program.
  external: ['node-pty'],
  legalComments: 'none',
  logLevel: 'warning',
};

/** Where main.ts finds the program of a terminal: split with all the rest it would be forty files to open. */
export const TERMINAL = { entry: 'src/commands/attach.ts', folder: 'terminal' };

const keepTerminalApart = {
  name: 'keep-terminal-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/attach\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import'
        ? { path: `./${TERMINAL.folder}/attach.js`, external: true }
        : undefined,
    ),
};

/** Bundles for npm: split, so that a command loads no more than it needs. */
export async function bundlePackage(entry, folder) {
  await build({
    ...bundling,
    plugins: [keepTerminalApart],
    entryPoints: [entry],
    outdir: folder,
    format: 'esm',
    splitting: true,
    target: 'node20.12',
    // Two thirds of the bytes to be read at each start; names stay as they are.
    minifyWhitespace: true,
    minifySyntax: true,
    define: { ...nameBuild(), __dirname: 'import.meta.dirname' },
    // For packages that ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = (name) => createRequire(import.meta.url)(name);",
    },
  });
}

/** Bundles for an executable: one CommonJS script, which is all that Node takes there. */
export async function bundleExecutable(file, nodeVersion) {
  await build({
    ...bundling,
    entryPoints: ['src/executable.ts'],
    outfile: file,
    format: 'cjs',
    target: `node${nodeVersion}`,
    minify: true,
    keepNames: true,
    define: { ...nameBuild(), 'import.meta.url': 'executableUrl' },
    // There is no file of ours beside it: what asks for one has to go by src/system/resources.ts.
    logOverride: { 'empty-import-meta': 'error' },
    banner: { js: "const executableUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
}

/** What is written into the bundle. */
function nameBuild() {
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
