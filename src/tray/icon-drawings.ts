/** Made from assets/icons/*.svg by assets/draw-icons.mjs; change those. */

import type { IconDrawings } from './strokes.ts';

export const iconDrawings: IconDrawings = {
  ok: [
    { paint: 'screen', outline: { kind: 'block', from: [2, 5], to: [20, 20] } },
    {
      paint: 'ink',
      outline: {
        kind: 'line',
        points: [
          [2.8, 4.8],
          [19.2, 4.8],
          [20.2, 5.8],
          [20.2, 19.2],
          [19.2, 20.2],
          [2.8, 20.2],
          [1.8, 19.2],
          [1.8, 5.8],
          [2.8, 4.8],
        ],
        width: 1.6,
      },
    },
    {
      paint: 'prompt',
      outline: {
        kind: 'line',
        points: [
          [5.5, 10],
          [9.2, 13.2],
          [5.5, 16.4],
        ],
        width: 1.8,
      },
    },
    {
      paint: 'prompt',
      outline: {
        kind: 'line',
        points: [
          [11.4, 16.4],
          [16.2, 16.4],
        ],
        width: 1.8,
      },
    },
  ],
  stale: [
    { paint: 'screen', outline: { kind: 'block', from: [2, 5], to: [20, 20] } },
    {
      paint: 'ink',
      outline: {
        kind: 'line',
        points: [
          [11, 4.8],
          [2.8, 4.8],
          [1.8, 5.8],
          [1.8, 19.2],
          [2.8, 20.2],
          [19.2, 20.2],
          [20.2, 19.2],
          [20.2, 11.2],
        ],
        width: 1.6,
      },
    },
    {
      paint: 'prompt',
      outline: {
        kind: 'line',
        points: [
          [5.5, 10],
          [9.2, 13.2],
          [5.5, 16.4],
        ],
        width: 1.8,
      },
    },
    {
      paint: 'prompt',
      outline: {
        kind: 'line',
        points: [
          [11.4, 16.4],
          [16.2, 16.4],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 0, green: 114, blue: 178 },
      outline: { kind: 'disc', centre: [17.4, 4.6], radius: 3.9 },
    },
  ],
  updating: [
    { paint: 'screen', outline: { kind: 'block', from: [2, 5], to: [20, 20] } },
    {
      paint: 'ink',
      outline: {
        kind: 'line',
        points: [
          [11, 4.8],
          [2.8, 4.8],
          [1.8, 5.8],
          [1.8, 19.2],
          [2.8, 20.2],
          [19.2, 20.2],
          [20.2, 19.2],
          [20.2, 11.2],
        ],
        width: 1.6,
      },
    },
    {
      paint: 'prompt',
      outline: {
        kind: 'line',
        points: [
          [5.5, 10],
          [9.2, 13.2],
          [5.5, 16.4],
        ],
        width: 1.8,
      },
    },
    {
      paint: 'prompt',
      outline: {
        kind: 'line',
        points: [
          [11.4, 16.4],
          [16.2, 16.4],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 230, green: 159, blue: 0 },
      outline: { kind: 'ring', centre: [17.4, 4.6], radius: 3, width: 2 },
    },
  ],
  attention: [
    { paint: 'screen', outline: { kind: 'block', from: [2, 5], to: [20, 20] } },
    {
      paint: 'ink',
      outline: {
        kind: 'line',
        points: [
          [12.4, 4.8],
          [2.8, 4.8],
          [1.8, 5.8],
          [1.8, 19.2],
          [2.8, 20.2],
          [19.2, 20.2],
          [20.2, 19.2],
          [20.2, 11.2],
        ],
        width: 1.6,
      },
    },
    {
      paint: 'prompt',
      outline: {
        kind: 'line',
        points: [
          [5.5, 10],
          [9.2, 13.2],
          [5.5, 16.4],
        ],
        width: 1.8,
      },
    },
    {
      paint: 'prompt',
      outline: {
        kind: 'line',
        points: [
          [11.4, 16.4],
          [16.2, 16.4],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 213, green: 94, blue: 0 },
      outline: {
        kind: 'line',
        points: [
          [17.6, 1.9],
          [17.6, 3],
        ],
        width: 3.4,
      },
    },
    {
      paint: { red: 213, green: 94, blue: 0 },
      outline: { kind: 'disc', centre: [17.6, 7.3], radius: 1.8 },
    },
  ],
  unknown: [
    {
      paint: { red: 128, green: 128, blue: 128 },
      outline: {
        kind: 'line',
        points: [
          [5, 4.8],
          [2.8, 4.8],
          [1.8, 5.8],
          [1.8, 8],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 128, green: 128, blue: 128 },
      outline: {
        kind: 'line',
        points: [
          [9.4, 4.8],
          [12.6, 4.8],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 128, green: 128, blue: 128 },
      outline: {
        kind: 'line',
        points: [
          [17, 4.8],
          [19.2, 4.8],
          [20.2, 5.8],
          [20.2, 8],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 128, green: 128, blue: 128 },
      outline: {
        kind: 'line',
        points: [
          [20.2, 11.6],
          [20.2, 13.4],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 128, green: 128, blue: 128 },
      outline: {
        kind: 'line',
        points: [
          [20.2, 17],
          [20.2, 19.2],
          [19.2, 20.2],
          [17, 20.2],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 128, green: 128, blue: 128 },
      outline: {
        kind: 'line',
        points: [
          [12.6, 20.2],
          [9.4, 20.2],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 128, green: 128, blue: 128 },
      outline: {
        kind: 'line',
        points: [
          [5, 20.2],
          [2.8, 20.2],
          [1.8, 19.2],
          [1.8, 17],
        ],
        width: 1.8,
      },
    },
    {
      paint: { red: 128, green: 128, blue: 128 },
      outline: {
        kind: 'line',
        points: [
          [1.8, 13.4],
          [1.8, 11.6],
        ],
        width: 1.8,
      },
    },
  ],
};
