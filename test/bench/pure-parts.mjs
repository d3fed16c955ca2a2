import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const source = join(import.meta.dirname, '..', '..', 'src');

/** The functions between what sandy prints and what is shown, built as they are shipped. */
export async function loadPureParts() {
  const folder = await mkdtemp(join(tmpdir(), 'sandy-tray-bench-'));
  const outfile = join(folder, 'parts.mjs');
  try {
    await build({
      stdin: {
        contents: `
          export { parseJsonDocument } from './sandy/json-document.ts';
          export { readStateDocument } from './sandy/state-document.ts';
          export { nextPoll } from './fleet/cadence.ts';
          export { newModel } from './fleet/model.ts';
          export { update } from './fleet/update.ts';
          export { view } from './fleet/view.ts';
          export { windowsFrom } from './fleet/windows.ts';
          export { readPreferences } from './store/preferences.ts';
        `,
        resolveDir: source,
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.12',
      outfile,
      logLevel: 'warning',
    });
    const parts = await import(pathToFileURL(outfile).href);
    const { preferences } = parts.readPreferences(folder);
    const windows = parts.windowsFrom(preferences, 1);
    return { ...parts, startModel: () => parts.newModel(windows, preferences.notify) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
