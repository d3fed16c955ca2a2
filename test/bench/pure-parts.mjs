import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const source = join(import.meta.dirname, '..', '..', 'src');

export const pureExports = `
  export { parseJsonDocument } from './sandy/json-document.ts';
  export { readStateDocument } from './sandy/state-document.ts';
  export { nextPoll } from './fleet/cadence.ts';
  export { newModel } from './fleet/model.ts';
  export { update } from './fleet/update.ts';
  export { view } from './fleet/view.ts';
  export { windowsFrom } from './fleet/windows.ts';
  export { readPreferences } from './store/preferences.ts';
`;

/** Builds functions as they are shipped into one file. */
export async function buildParts(exports, outfile) {
  await build({
    stdin: { contents: exports, resolveDir: source },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.12',
    outfile,
    logLevel: 'warning',
    // Some packages ask for Node's own by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
}

/** The functions between what sandy prints and what is shown. */
export async function loadPureParts() {
  const folder = await mkdtemp(join(tmpdir(), 'sandy-tray-bench-'));
  const outfile = join(folder, 'parts.mjs');
  try {
    await buildParts(pureExports, outfile);
    return await importParts(outfile, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What was built, with a model to begin with. */
export async function importParts(outfile, folder) {
  const parts = await import(pathToFileURL(outfile).href);
  const { preferences } = parts.readPreferences(folder);
  const windows = parts.windowsFrom(preferences, 1);
  return { ...parts, startModel: () => parts.newModel(windows, preferences.notify) };
}
