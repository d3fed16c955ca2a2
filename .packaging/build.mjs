/** The bundle of the npm package, in dist. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundlePackage, ROOT, TERMINAL } from './bundling.mjs';

const dist = join(ROOT, 'dist');
rmSync(dist, { recursive: true, force: true });
await bundlePackage('src/main.ts', dist);
await bundlePackage(TERMINAL.entry, join(dist, TERMINAL.folder));
