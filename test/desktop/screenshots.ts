/** Pictures of the screen for people, made only when SANDY_TRAY_SCREENSHOTS is set. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { encodePng } from '../../src/tray/pixels.ts';
import type { Box, Shot } from './screen.ts';

const FOLDER = join(import.meta.dirname, '../../assets/screenshots');
/** How long nothing has to move. */
const STILL_MS = 300;

/** Writes what is in a box of the screen, with a margin, once the screen is still. */
export async function saveScreenshot(
  desktop: { readonly panel: string; readonly takeShot: () => Shot },
  name: string,
  box: Box,
  marginPx: number,
): Promise<void> {
  if (!process.env.SANDY_TRAY_SCREENSHOTS) return;
  let before: Buffer = Buffer.alloc(0);
  let picture = cut(desktop.takeShot(), box, marginPx);
  while (!before.equals(picture)) {
    await delay(STILL_MS);
    [before, picture] = [picture, cut(desktop.takeShot(), box, marginPx)];
  }
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}-${desktop.panel}.png`), picture);
}

function cut(shot: Shot, box: Box, marginPx: number): Buffer {
  const left = Math.max(0, box.left - marginPx);
  const top = Math.max(0, box.top - marginPx);
  const width = Math.min(shot.width, box.left + box.width + marginPx) - left;
  const height = Math.min(shot.height, box.top + box.height + marginPx) - top;
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    const colour = shot.colourAt(left + (at % width), top + Math.floor(at / width));
    data.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], at * 4);
  }
  return encodePng({ width, height, data });
}

/** The smallest box around some. */
export function surround(...boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left, top, width: right - left, height: bottom - top };
}
