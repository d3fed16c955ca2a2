// Makes what is generated from assets/icons/*.svg: the PNGs beside them, and src/tray/icon-drawings.ts.
// Run it after changing an SVG or the drawing code: node assets/draw-icons.mjs

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const icons = join(import.meta.dirname, 'icons');
const module = join(import.meta.dirname, '../src/tray/icon-drawings.ts');

const { outputFiles } = await build({
  entryPoints: [join(import.meta.dirname, 'icon-files.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
});
const code = Buffer.from(outputFiles[0].contents).toString('base64');
const { drawFiles, encodePng, readDrawings, writeModule } = await import(
  `data:text/javascript;base64,${code}`
);

const drawings = readDrawings((shape) => readFileSync(join(icons, `${shape}.svg`), 'utf8'));
writeFileSync(module, writeModule(drawings));
execFileSync('npx', ['biome', 'format', '--write', module], { stdio: 'inherit' });
for (const [name, pixels] of drawFiles(drawings)) {
  writeFileSync(join(icons, name), encodePng(pixels));
}
