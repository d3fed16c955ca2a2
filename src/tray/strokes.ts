/** The few things that icons are made of. Lengths are units of a grid of 22 × 22, whatever the size in pixels. */

import type { IconShape } from './tray-picture.ts';

export type Point = readonly [x: number, y: number];

/** The side of the grid. */
export const GRID = 22;

export type Outline =
  /** A line with round ends and corners; a closed one ends where it began. */
  | { readonly kind: 'line'; readonly points: readonly Point[]; readonly width: number }
  | { readonly kind: 'disc'; readonly centre: Point; readonly radius: number }
  | {
      readonly kind: 'ring';
      readonly centre: Point;
      readonly radius: number;
      readonly width: number;
    }
  | { readonly kind: 'block'; readonly from: Point; readonly to: Point };

/** What a stroke is painted with. */
export type Paint =
  /** The colour that a panel's own signs have. */
  | 'ink'
  /** The same, left out where a number stands. */
  | 'prompt'
  /** The opposite of the ink, behind it: what stands on it is read on panels of any colour. */
  | 'screen'
  | { readonly red: number; readonly green: number; readonly blue: number };

export interface Stroke {
  readonly outline: Outline;
  readonly paint: Paint;
}

/** Which strokes make each shape. */
export type IconDrawings = Readonly<Record<IconShape, readonly Stroke[]>>;
