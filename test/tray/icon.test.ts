import { describe, expect, test } from 'vitest';
import { writeCount } from '../../src/tray/digits.ts';
import { drawIcon, type IconTheme } from '../../src/tray/icon.ts';
import type { Pixels } from '../../src/tray/pixels.ts';
import type { IconShape } from '../../src/tray/tray-picture.ts';

const shapes: readonly IconShape[] = ['ok', 'stale', 'updating', 'attention', 'unknown'];
const pairs = shapes.flatMap((a, index) => shapes.slice(index + 1).map((b) => [a, b] as const));
const themes: readonly IconTheme[] = ['light', 'dark', 'template'];
const sizes = [16, 22, 32, 44, 64] as const;

/** Which pixels are ink in a template: its silhouette, without any colour. */
function silhouette(shape: IconShape, size: number): boolean[] {
  const { data } = drawIcon({ shape, count: null }, size, 'template');
  return Array.from({ length: size * size }, (_, pixel) => (data[pixel * 4 + 3] ?? 0) > 127);
}

/** The brightness of each pixel on a panel of that brightness. */
function look({ data }: Pixels, panel: number): number[] {
  return Array.from({ length: data.length / 4 }, (_, pixel) => {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(pixel * 4, pixel * 4 + 4);
    const own = 0.3 * red + 0.59 * green + 0.11 * blue;
    return own * (alpha / 255) + panel * (1 - alpha / 255);
  });
}

describe('shapes are told apart without colour', () => {
  test.each(sizes)('at %i pixels', (size) => {
    for (const [a, b] of pairs) {
      const [one, other] = [silhouette(a, size), silhouette(b, size)];
      const differing = one.filter((ink, pixel) => ink !== other[pixel]).length;
      // A fiftieth of the picture: some ten pixels at 22.
      expect(differing, `${a} and ${b}`).toBeGreaterThan((size * size) / 50);
    }
  });

  test.each(pairs)('%s and %s, in grey on the smallest panel', (a, b) => {
    for (const theme of ['light', 'dark'] as const) {
      const [one, other] = [a, b].map((shape) =>
        look(drawIcon({ shape, count: 3 }, 22, theme), theme === 'light' ? 240 : 30),
      );
      const differing = (one ?? []).filter(
        (value, at) => Math.abs(value - (other?.[at] ?? 0)) > 40,
      );
      expect(differing.length).toBeGreaterThan(8);
    }
  });
});

describe('an icon is seen on a panel of any colour', () => {
  test.each(shapes)('%s', (shape) => {
    for (const theme of ['light', 'dark'] as const) {
      for (const panel of [0, 30, 128, 222, 246]) {
        const seen = look(drawIcon({ shape, count: null }, 22, theme), panel);
        const apart = seen.filter((value) => Math.abs(value - panel) > 45).length;
        expect(apart, `${theme} on ${panel}`).toBeGreaterThan(40);
      }
    }
  });
});

/** What is ink of the number alone: the lines that a count adds where the prompt stood. */
function digitsOf(count: number, size: number): { ink: boolean[]; holes: number; pieces: number } {
  const { data } = drawIcon({ shape: 'ok', count }, size, 'dark');
  const inside = (pixel: number) => {
    const [x, y] = [((pixel % size) * 22) / size, (Math.floor(pixel / size) * 22) / size];
    return x > 2.6 && x < 18.8 && y > 7 && y < 18.8;
  };
  const ink = Array.from(
    { length: size * size },
    (_, pixel) => inside(pixel) && (data[pixel * 4] ?? 0) > 140,
  );
  const holes =
    countPieces(
      ink.map((set) => !set),
      size,
      false,
    ) - 1;
  return { ink, holes, pieces: countPieces(ink, size, true) };
}

/** Connected pieces; `diagonal`: pixels that touch at a corner hang together. */
function countPieces(set: readonly boolean[], size: number, diagonal: boolean): number {
  const seen = new Set<number>();
  let pieces = 0;
  for (let start = 0; start < set.length; start += 1) {
    if (!set[start] || seen.has(start)) continue;
    pieces += 1;
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at) || !set[at]) continue;
      seen.add(at);
      for (const dy of [-1, 0, 1]) {
        for (const dx of [-1, 0, 1]) {
          const [x, y] = [(at % size) + dx, Math.floor(at / size) + dy];
          const near = diagonal || dx === 0 || dy === 0;
          if (near && x >= 0 && x < size && y >= 0 && y < size) open.push(y * size + x);
        }
      }
    }
  }
  return pieces;
}

describe('the number can be read', () => {
  const holes: Readonly<Record<number, number>> = { 6: 1, 8: 2, 9: 1 };

  test.each([22, 44] as const)(
    'each digit is one piece with its holes open, at %i pixels',
    (size) => {
      for (let digit = 1; digit <= 9; digit += 1) {
        const drawn = digitsOf(digit, size);
        expect([digit, drawn.pieces, drawn.holes]).toEqual([digit, 1, holes[digit] ?? 0]);
      }
    },
  );

  test.each([22, 44] as const)('digits stand apart, at %i pixels', (size) => {
    for (const [count, pieces] of [
      [10, 2],
      [38, 2],
      [42, 2],
      [69, 2],
      [88, 2],
      [120, 3],
    ] as const) {
      expect([count, digitsOf(count, size).pieces]).toEqual([count, pieces]);
    }
  });

  test('no two digits look alike', () => {
    for (let a = 1; a <= 9; a += 1) {
      for (let b = a + 1; b <= 9; b += 1) {
        const [one, other] = [digitsOf(a, 22).ink, digitsOf(b, 22).ink];
        const differing = one.filter((ink, pixel) => ink !== other[pixel]).length;
        expect(differing, `${a} and ${b}`).toBeGreaterThan(2);
      }
    }
  });

  test.each([
    [null, ''],
    [0, ''],
    [-1, ''],
    [Number.NaN, ''],
    [1, '1'],
    [10, '10'],
    [99, '99'],
    [100, '99+'],
    [Number.POSITIVE_INFINITY, '99+'],
  ])('%j is written %j', (count, text) => {
    expect(writeCount(count)).toBe(text);
  });
});

describe('themes', () => {
  test('a template is black and transparency, and has no number', () => {
    for (const shape of shapes) {
      const { data } = drawIcon({ shape, count: 7 }, 32, 'template');
      expect(data.every((value, at) => at % 4 === 3 || value === 0)).toBe(true);
      expect(data).toEqual(drawIcon({ shape, count: null }, 32, 'template').data);
    }
  });

  test.each(sizes)('any size has its bytes, at %i pixels', (size) => {
    for (const theme of themes) {
      const { width, height, data } = drawIcon({ shape: 'stale', count: 7 }, size, theme);
      expect([width, height, data.length]).toEqual([size, size, size * size * 4]);
    }
  });

  test.each([0, -3, Number.NaN, Number.POSITIVE_INFINITY, 0.5])(
    'a size of %j is one pixel',
    (size) => {
      expect(drawIcon({ shape: 'ok', count: null }, size, 'dark').data.length).toBe(4);
    },
  );
});
