/** Banners as a person sees and clicks them. */

import { findBanners, findButtons, type NotifyDesktop } from './notify-desktop.ts';
import { see } from './panel-desktop.ts';
import { type Box, findChange, type Shot } from './screen.ts';

/** The banners once they are drawn and nothing moves any more. */
export function seeBanners(
  desktop: NotifyDesktop,
  isMeant: (box: Box, shot: Shot) => boolean = () => true,
): Promise<Box> {
  let before: Shot | null = null;
  return see(desktop, (shot) => {
    const isStill = before !== null && findChange(before, shot) === null;
    before = shot;
    const box = findBanners(shot);
    return isStill && box !== null && countColours(shot, box) > 8 && isMeant(box, shot)
      ? box
      : null;
  });
}

/** Waits until there is none. */
export const seeNone = (desktop: NotifyDesktop) =>
  see(desktop, (shot) => (findBanners(shot) === null ? true : null));

function countColours(shot: Shot, { left, top, width, height }: Box): number {
  const colours = new Set<number>();
  for (let y = top; y < top + height; y += 1) {
    for (let x = left; x < left + width; x += 1) colours.add(shot.colourAt(x, y));
  }
  return colours.size;
}

/** Clicks on the only banner: on one of its buttons, where it has some. */
export async function clickBanner(desktop: NotifyDesktop, at = 0): Promise<void> {
  const { left, top, width, height } = await seeBanners(desktop);
  if (desktop.name === 'dunst') return desktop.click(left + width / 2, top + height / 2);
  const button = findButtons(desktop.takeShot(), { left, top, width, height }).at(at);
  if (button === undefined) throw new Error('the banner has no buttons');
  desktop.click(button.left + button.width / 2, button.top + button.height / 2);
}
