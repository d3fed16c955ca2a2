/** The tray's icon as pixels. Pure: the same icon gives the same picture on every machine. */

import { drawCount } from './digits.ts';
import { measureField } from './distance-field.ts';
import { iconDrawings } from './icon-drawings.ts';
import type { Pixels } from './pixels.ts';
import { GRID, type IconDrawings, type Outline, type Stroke } from './strokes.ts';
import type { TrayIcon } from './tray-picture.ts';

/**
 * The panel that an icon is for. Each of `light` and `dark` is seen on the other too, by its outline;
 * `template` is black and transparency, which macOS colours itself, and has no number: text stands beside it.
 */
export type IconTheme = 'light' | 'dark' | 'template';

type Colour = readonly [red: number, green: number, blue: number];

interface Theme {
  readonly ink: Colour;
  /** Around everything and on the screen, so that a panel of any colour shows it; null: none. */
  readonly halo: { readonly colour: Colour; readonly alpha: number; readonly width: number } | null;
  /** Marks keep colours of their own. */
  readonly coloured: boolean;
}

const black: Colour = [0, 0, 0];
const white: Colour = [255, 255, 255];

const themes: Readonly<Record<IconTheme, Theme>> = {
  light: {
    ink: [52, 56, 60],
    halo: { colour: white, alpha: 0.85, width: 1 },
    coloured: true,
  },
  dark: {
    ink: [232, 232, 230],
    halo: { colour: [30, 32, 36], alpha: 0.8, width: 1 },
    coloured: true,
  },
  template: { ink: black, halo: null, coloured: false },
};

/**
 * Draws an icon of `size` × `size` pixels, smooth at every size. A caller keeps what it shows: drawing takes a
 * few milliseconds until the code is warm. A size that is none gives one pixel.
 */
export function drawIcon(
  icon: TrayIcon,
  size: number,
  theme: IconTheme,
  drawings: IconDrawings = iconDrawings,
): Pixels {
  const side = Number.isFinite(size) ? Math.max(1, Math.floor(size)) : 1;
  const layers = layOut(icon, theme, drawings[icon.shape], side);
  const data = new Uint8Array(side * side * 4);
  // Red, green and blue as weighed by what covers them, and how much is covered.
  const pixel = [0, 0, 0, 0];
  for (let at = 0; at < side * side; at += 1) {
    pixel.fill(0);
    for (const { colour, alpha, grown, fields } of layers) {
      let distance = Number.POSITIVE_INFINITY;
      for (const field of fields) distance = Math.min(distance, field[at] ?? distance);
      lay(pixel, colour, alpha * cover(distance - grown, side / GRID));
    }
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixel;
    data.set(
      [Math.round(red), Math.round(green), Math.round(blue), Math.round(alpha * 255)],
      at * 4,
    );
  }
  return { width: side, height: side, data };
}

interface Layer {
  readonly colour: Colour;
  readonly alpha: number;
  /** How much wider than its ink it is. */
  readonly grown: number;
  /** The nearest counts. */
  readonly fields: readonly Float64Array[];
}

/** What is painted, bottom first: the outline with the screen, the ink with its number or prompt, the marks. */
function layOut(
  { count }: TrayIcon,
  theme: IconTheme,
  strokes: readonly Stroke[],
  side: number,
): Layer[] {
  const { ink, halo, coloured } = themes[theme];
  const number = theme === 'template' ? [] : drawCount(count);
  const inked: Outline[] = [...number];
  const screen: Outline[] = [];
  const marks: { readonly colour: Colour; readonly outline: Outline }[] = [];
  for (const { outline, paint } of strokes) {
    if (paint === 'ink') inked.push(outline);
    else if (paint === 'screen') screen.push(outline);
    else if (paint !== 'prompt') {
      marks.push({ colour: coloured ? [paint.red, paint.green, paint.blue] : ink, outline });
    } else if (number.length === 0) inked.push(outline);
  }
  const reach = (halo?.width ?? 0) + GRID / side;
  const measure = (outlines: readonly Outline[]) => measureField(outlines, side, reach);
  const solid = { alpha: 1, grown: 0 };
  const layers: Layer[] = [
    { ...solid, colour: ink, fields: [measure(inked)] },
    ...marks.map(({ colour, outline }) => ({ ...solid, colour, fields: [measure([outline])] })),
  ];
  if (halo === null) return layers;
  // The screen is its own outline: it ends where the box does.
  const plate = measure(screen).map((distance) => distance + halo.width);
  const fields = [...layers.flatMap((layer) => layer.fields), plate];
  return [{ colour: halo.colour, alpha: halo.alpha, grown: halo.width, fields }, ...layers];
}

/** How much of a pixel is ink whose edge is this far from its middle, from 0 to 1. */
function cover(distance: number, scale: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance * scale));
}

/** Lays a colour on a pixel; colours are weighed by how much they cover. */
function lay(pixel: number[], colour: Colour, alpha: number): void {
  const [red = 0, green = 0, blue = 0, below = 0] = pixel;
  const under = below * (1 - alpha);
  const total = under + alpha;
  if (total === 0 || alpha === 0) return;
  pixel[0] = (red * under + colour[0] * alpha) / total;
  pixel[1] = (green * under + colour[1] * alpha) / total;
  pixel[2] = (blue * under + colour[2] * alpha) / total;
  pixel[3] = total;
}
