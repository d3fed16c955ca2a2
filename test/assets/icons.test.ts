import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawFiles, iconShapes, readDrawings } from '../../assets/icon-files.ts';
import { readSvgDrawing } from '../../assets/svg-drawings.ts';
import { iconDrawings } from '../../src/tray/icon-drawings.ts';
import { decodePng } from '../tray/decode-png.ts';

const icons = join(import.meta.dirname, '../../assets/icons');
const drawings = readDrawings((shape) => readFileSync(join(icons, `${shape}.svg`), 'utf8'));
const files = drawFiles(drawings);

/** What to do when one of these fails. */
const cure = 'run: node assets/draw-icons.mjs';

test('the program draws what the SVGs say', () => {
  expect(iconDrawings, cure).toEqual(drawings);
});

test.each([...files])('%s is what the script makes', (name, pixels) => {
  const committed = decodePng(readFileSync(join(icons, name)));
  expect([committed.width, committed.height]).toEqual([pixels.width, pixels.height]);
  expect(Buffer.compare(committed.data, pixels.data), cure).toBe(0);
});

test('nothing else lies there', () => {
  const expected = [...files.keys(), ...iconShapes.map((shape) => `${shape}.svg`)];
  expect(readdirSync(icons).sort()).toEqual(expected.sort());
});

describe('an SVG that is more than can be drawn is refused', () => {
  const svg = (body: string) => `<svg viewBox="0 0 22 22">${body}</svg>`;
  test.each([
    ['a curve', svg('<path class="ink" stroke-width="2" d="M1 1 C2 2 3 3 4 4"/>')],
    ['another element', svg('<text class="ink" x="1">7</text>')],
    ['an ellipse', svg('<ellipse class="ink" cx="1" cy="1" rx="2" ry="3"/>')],
    ['a group', svg('<g><circle class="ink" fill="none" cx="1" cy="1" r="2"/></g>')],
    ['no width', svg('<path class="ink" d="M1 1 L2 2"/>')],
    ['a colour by name', svg('<circle class="mark" fill="red" cx="1" cy="1" r="2"/>')],
    ['no class', svg('<circle fill="#123456" cx="1" cy="1" r="2"/>')],
    ['another grid', '<svg viewBox="0 0 24 24"></svg>'],
  ])('%s', (_, text) => {
    expect(() => readSvgDrawing(text)).toThrow();
  });
});
