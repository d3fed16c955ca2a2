/** The bundle of the npm package, in dist: split, so that a command loads what it needs. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundling, nameBuild, ROOT } from './bundling.mjs';

rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
await build({
  ...bundling,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  format: 'esm',
  // Half of the bytes to be read at each start; names stay as they are.
  minifyWhitespace: true,
  minifySyntax: true,
  splitting: true,
  target: 'node20.12',
  define: nameBuild(),
  // For packages that ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = (name) => createRequire(import.meta.url)(name);",
  },
});
