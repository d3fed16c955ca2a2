/**
 * Reads the small part of SVG that the icons are written in: `path` of M, L and Z with a stroke, and `circle`
 * with a fill or a stroke, and `rect` with a fill, on a grid of 22. Anything else is an error, so that no stroke is lost in silence.
 */

import type { Outline, Paint, Point, Stroke } from '../src/tray/strokes.ts';

/** Throws an Error that names what can't be read. */
export function readSvgDrawing(svg: string): Stroke[] {
  if (!svg.includes('viewBox="0 0 22 22"')) throw new Error('The icon is not on a grid of 22.');
  const body = svg
    .replace(/^\s*<svg\b[^>]*>|<\/svg>\s*$/g, '')
    .replace(/<title>[^<]*<\/title>/, '');
  const elements = [...body.matchAll(/<(\w+)((?:\s+[\w-]+="[^"]*")*)\s*\/>/g)];
  const rest = elements.reduce((text, [whole]) => text.replace(whole, ''), body).trim();
  if (rest !== '') throw new Error(`This can't be drawn: ${rest}`);
  return elements.map(([, name = '', attributes = '']) => {
    const read = new Map(
      [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
        key,
        value,
      ]),
    );
    return { paint: readPaint(read), outline: readOutline(name, read) };
  });
}

type Attributes = ReadonlyMap<string, string>;

function readPaint(attributes: Attributes): Paint {
  const paint = attributes.get('class');
  if (paint === 'ink' || paint === 'prompt' || paint === 'screen') return paint;
  const colour = attributes.get('fill') ?? attributes.get('stroke') ?? '';
  const [, red, green, blue] = /^#(\w\w)(\w\w)(\w\w)$/.exec(colour) ?? [];
  if (paint !== 'mark' || red === undefined || green === undefined || blue === undefined) {
    throw new Error(
      `A stroke is ink, prompt, screen or a coloured mark, not ${paint} with "${colour}".`,
    );
  }
  return { red: parseInt(red, 16), green: parseInt(green, 16), blue: parseInt(blue, 16) };
}

function readOutline(name: string, attributes: Attributes): Outline {
  const number = (key: string): number => {
    const value = Number(attributes.get(key) ?? Number.NaN);
    if (Number.isNaN(value)) throw new Error(`A ${name} lacks its ${key}.`);
    return value;
  };
  if (name === 'path') {
    const points = readPath(attributes.get('d') ?? '');
    return { kind: 'line', points, width: number('stroke-width') };
  }
  if (name === 'rect') {
    const from: Point = [number('x'), number('y')];
    return {
      kind: 'block',
      from,
      to: [from[0] + number('width'), from[1] + number('height')],
    };
  }
  if (name !== 'circle') throw new Error(`A ${name} can't be drawn.`);
  const centre: Point = [number('cx'), number('cy')];
  return attributes.has('fill')
    ? { kind: 'disc', centre, radius: number('r') }
    : { kind: 'ring', centre, radius: number('r'), width: number('stroke-width') };
}

function readPath(d: string): Point[] {
  if (!/^M[\d.]+ [\d.]+(?: L[\d.]+ [\d.]+)+(?: Z)?$/.test(d))
    throw new Error(`This path can't be drawn: ${d}`);
  const points = [...d.matchAll(/([\d.]+) ([\d.]+)/g)].map(
    ([, x, y]): Point => [Number(x), Number(y)],
  );
  const first = points[0];
  return d.endsWith('Z') && first !== undefined ? [...points, first] : points;
}
