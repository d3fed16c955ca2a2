/** What is on the screen of an Xvfb that keeps it in a file, in the format of `xwd`. */

import { readFileSync } from 'node:fs';
import type { Colour } from './icon-colours.ts';

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Shot {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue in one number. */
  readonly colourAt: (x: number, y: number) => number;
}

export function takeShot(file: string): Shot {
  const bytes = readFileSync(file);
  const word = (at: number) => bytes.readUInt32BE(at * 4);
  const [headerBytes, width, height, lineBytes, colours] = [0, 4, 5, 12, 19].map(word) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const start = headerBytes + colours * 12;
  return {
    width,
    height,
    colourAt: (x, y) => bytes.readUInt32LE(start + y * lineBytes + x * 4) & 0xff_ffff,
  };
}

/** The smallest box around all pixels that are so; null: none is. */
export function findBox(
  { width, height }: Shot,
  isMeant: (x: number, y: number) => boolean,
): Box | null {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (!isMeant(x, y)) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return right < 0 ? null : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

export function findColour(shot: Shot, colour: Colour): Box | null {
  const wanted = numberOf(colour);
  return findBox(shot, (x, y) => shot.colourAt(x, y) === wanted);
}

/** The box of what is not as it was. */
export function findChange(before: Shot, now: Shot): Box | null {
  return findBox(now, (x, y) => before.colourAt(x, y) !== now.colourAt(x, y));
}

/** How much of a box has one of some colours, from 0 to 1. */
export function shareOf(shot: Shot, box: Box, colours: readonly Colour[]): number {
  const wanted = new Set(colours.map(numberOf));
  let count = 0;
  for (let y = box.top; y < box.top + box.height; y += 1) {
    for (let x = box.left; x < box.left + box.width; x += 1) {
      if (wanted.has(shot.colourAt(x, y))) count += 1;
    }
  }
  return count / (box.width * box.height);
}

function numberOf([red, green, blue]: Colour): number {
  return red * 0x1_0000 + green * 0x100 + blue;
}
