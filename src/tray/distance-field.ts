/** How far each pixel of a picture is from ink. From that, edges can be drawn smooth and outlined at any size. */

import { GRID, type Outline, type Point } from './strokes.ts';

/** A part of an outline: where it lies, and how far a point is from its ink (negative within it). */
interface Piece {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly measure: (x: number, y: number) => number;
}

/**
 * The distance from the middle of each pixel of a `side` × `side` picture to the nearest ink, row by row, in
 * units of the grid; negative within ink, and infinite where it is more than `reach`.
 */
export function measureField(
  outlines: readonly Outline[],
  side: number,
  reach: number,
): Float64Array {
  const field = new Float64Array(side * side).fill(Number.POSITIVE_INFINITY);
  for (const piece of outlines.flatMap(cutPieces)) spreadPiece(field, piece, side, reach);
  return field;
}

/** Looks only at the pixels that the piece can reach: this is most of the cost of an icon. */
function spreadPiece(field: Float64Array, piece: Piece, side: number, reach: number): void {
  const pixel = GRID / side;
  const first = (edge: number) => Math.max(0, Math.floor((edge - reach) / pixel));
  const last = (edge: number) => Math.min(side - 1, Math.floor((edge + reach) / pixel));
  const [left, right] = [first(piece.left), last(piece.right)];
  const [top, bottom] = [first(piece.top), last(piece.bottom)];
  for (let row = top; row <= bottom; row += 1) {
    for (let column = left; column <= right; column += 1) {
      const distance = piece.measure((column + 0.5) * pixel, (row + 0.5) * pixel);
      const at = row * side + column;
      if (distance <= reach && distance < (field[at] ?? 0)) field[at] = distance;
    }
  }
}

function cutPieces(outline: Outline): Piece[] {
  switch (outline.kind) {
    case 'line':
      return outline.points
        .slice(1)
        .map((to, index) => cutSegment(outline.points[index] ?? to, to, outline.width / 2));
    case 'disc':
      return [cutSegment(outline.centre, outline.centre, outline.radius)];
    case 'ring': {
      const { centre, radius, width } = outline;
      const middle = cutSegment(centre, centre, 0);
      const measure = (x: number, y: number) => Math.abs(middle.measure(x, y) - radius) - width / 2;
      return [{ ...cutSegment(centre, centre, radius + width / 2), measure }];
    }
    case 'block': {
      const [[left, top], [right, bottom]] = [outline.from, outline.to];
      const measure = (x: number, y: number) => Math.max(left - x, x - right, top - y, y - bottom);
      return [{ left, top, right, bottom, measure }];
    }
  }
}

/** A straight line with round ends; one without length is a disc. */
function cutSegment([ax, ay]: Point, [bx, by]: Point, radius: number): Piece {
  const [dx, dy] = [bx - ax, by - ay];
  const length2 = dx * dx + dy * dy;
  return {
    left: Math.min(ax, bx) - radius,
    top: Math.min(ay, by) - radius,
    right: Math.max(ax, bx) + radius,
    bottom: Math.max(ay, by) + radius,
    measure: (x, y) => {
      const along = length2 === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / length2;
      const within = Math.min(1, Math.max(0, along));
      const [restX, restY] = [x - ax - within * dx, y - ay - within * dy];
      // Math.hypot may differ between engines in its last bit; this can't, so pictures are the same everywhere.
      return Math.sqrt(restX * restX + restY * restY) - radius;
    },
  };
}
