/** What `draw-icons.mjs` makes from the SVG sources, as values: the check compares it with what is committed. */

import { drawIcon, type IconTheme } from '../src/tray/icon.ts';
import { encodePng, type Pixels } from '../src/tray/pixels.ts';
import type { IconDrawings } from '../src/tray/strokes.ts';
import type { IconShape } from '../src/tray/tray-picture.ts';
import { readSvgDrawing } from './svg-drawings.ts';

export const iconShapes: readonly IconShape[] = ['ok', 'stale', 'updating', 'attention', 'unknown'];

/** Name, theme and side in pixels. macOS shows templates at 16 points. */
const variants: readonly (readonly [name: string, theme: IconTheme, size: number])[] = [
  ['light-22', 'light', 22],
  ['light-44', 'light', 44],
  ['dark-22', 'dark', 22],
  ['dark-44', 'dark', 44],
  ['template', 'template', 32],
  ['template@2x', 'template', 64],
];

/** Every shape's strokes, read from its SVG. */
export function readDrawings(readSvg: (shape: IconShape) => string): IconDrawings {
  const entries = iconShapes.map((shape) => [shape, readSvgDrawing(readSvg(shape))] as const);
  return Object.fromEntries(entries) as unknown as IconDrawings;
}

/** The pictures by file name, without a number. */
export function drawFiles(drawings: IconDrawings): Map<string, Pixels> {
  return new Map(
    iconShapes.flatMap((shape) =>
      variants.map(([name, theme, size]) => [
        `${shape}-${name}.png`,
        drawIcon({ shape, count: null }, size, theme, drawings),
      ]),
    ),
  );
}

/** The module through which the program itself has the strokes. */
export function writeModule(drawings: IconDrawings): string {
  return [
    '/** Made from assets/icons/*.svg by assets/draw-icons.mjs; change those. */',
    '',
    "import type { IconDrawings } from './strokes.ts';",
    '',
    `export const iconDrawings: IconDrawings = ${JSON.stringify(drawings)};`,
    '',
  ].join('\n');
}

export { encodePng };
