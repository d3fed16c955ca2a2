/** Icons as panels take them, drawn once. */

import type { TrayIcon } from './tray-picture.ts';

/** A picture as panels take it: 4 bytes a pixel, alpha, red, green, blue. */
export interface IconPixmap {
  readonly width: number;
  readonly height: number;
  readonly argb: Buffer;
}

/** Draws an icon for a square of so many pixels. */
export type DrawIcon = (icon: TrayIcon, sizePx: number) => IconPixmap;

/** Panels are 22 pixels high, or twice that on dense screens; they shrink what is larger. */
const ICON_SIZES_PX = [22, 44];
const KEPT_ICONS = 32;

/** The same for two icons that look the same. */
export function describeIcon({ shape, count }: TrayIcon): string {
  return `${shape} ${count}`;
}

/**
 * The pictures of an icon as `IconPixmap` has them, each drawn once. The oldest goes when there are too many.
 */
export function createIconCache(drawIcon: DrawIcon) {
  const kept = new Map<string, readonly unknown[]>();
  return (icon: TrayIcon): readonly unknown[] => {
    const key = describeIcon(icon);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const drawn = ICON_SIZES_PX.map((size) => {
      const { width, height, argb } = drawIcon(icon, size);
      return [width, height, argb];
    });
    const oldest = kept.keys().next().value;
    if (kept.size >= KEPT_ICONS && oldest !== undefined) kept.delete(oldest);
    kept.set(key, drawn);
    return drawn;
  };
}
