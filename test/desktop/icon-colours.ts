export type Colour = readonly [red: number, green: number, blue: number];

const colours: readonly Colour[] = [
  [0xff, 0x00, 0xc8],
  [0x00, 0xff, 0x3c],
  [0x00, 0xc8, 0xff],
];

/** The colour of the icon with a number. */
export function colourOf(count: number | null): Colour {
  return colours[(count ?? 0) % colours.length] ?? [0, 0, 0];
}
