/** The digits of the icon's number: a font of its own, since a picture of 22 pixels can load none. */

import type { Outline, Point } from './strokes.ts';

/** A glyph on a box of 2 × 4 steps: lines apart by a bar, and their points by spaces. */
const glyphs: Readonly<Record<string, string>> = {
  '0': '.5,0 1.5,0 2,.5 2,3.5 1.5,4 .5,4 0,3.5 0,.5 .5,0',
  '1': '.2,.9 1.2,0 1.2,4',
  '2': '0,.5 .5,0 1.5,0 2,.5 2,1.5 0,4 2,4',
  '3': '0,0 2,0 2,1.6 1.6,2 .7,2|1.6,2 2,2.4 2,3.5 1.5,4 0,4',
  // Open at its top: a closed one is a blot at this size.
  '4': '.4,0 0,2.6 2.1,2.6|1.6,1.7 1.6,4',
  '5': '2,0 0,0 0,1.8 1.5,1.8 2,2.3 2,3.5 1.5,4 0,4',
  '6': '1.7,0 .6,0 0,.6 0,3.5 .5,4 1.5,4 2,3.5 2,2.3 1.5,1.8 0,1.8',
  '7': '0,0 2,0 2,.4 .8,4',
  '8': '.5,0 1.5,0 2,.5 2,1.5 1.5,1.9 .5,1.9 0,1.5 0,.5 .5,0|.5,1.9 0,2.4 0,3.5 .5,4 1.5,4 2,3.5 2,2.4 1.5,1.9',
  '9': '2,2.2 .5,2.2 0,1.7 0,.5 .5,0 1.5,0 2,.5 2,3.4 1.4,4 .3,4',
  '+': '0,2 2,2|1,1 1,3',
};

/** How the number is set: wide for one and two characters, narrow for three. */
interface Setting {
  readonly width: number;
  readonly pen: number;
  readonly gap: number;
}
const wide: Setting = { width: 6, pen: 1.8, gap: 1 };
const narrow: Setting = { width: 4, pen: 1.4, gap: 1 };

const CENTRE_X = 11;
const TOP = 9.6;
const HEIGHT = 9;

/** What is written for a count: `7`, `42`, `99+`; nothing for none, zero and what is no number. */
export function writeCount(count: number | null): string {
  if (count === null || !(count >= 1)) return '';
  return count > 99 ? '99+' : String(Math.floor(count));
}

/** The number as lines, set in the middle of the box. */
export function drawCount(count: number | null): Outline[] {
  const characters = [...writeCount(count)];
  const { width, pen, gap } = characters.length > 2 ? narrow : wide;
  const total = characters.length * width + (characters.length - 1) * gap;
  return characters.flatMap((character, index) => {
    // On whole pixels of the smallest icon, where a blur would cost most.
    const left = Math.floor(CENTRE_X - total / 2) + index * (width + gap) + pen / 2;
    const [stepX, stepY] = [(width - pen) / 2, (HEIGHT - pen) / 4];
    return (glyphs[character] ?? '').split('|').map((line) => ({
      kind: 'line' as const,
      width: pen,
      points: line.split(' ').map((point): Point => {
        const [x = 0, y = 0] = point.split(',').map(Number);
        return [left + x * stepX, TOP + pen / 2 + y * stepY];
      }),
    }));
  });
}
