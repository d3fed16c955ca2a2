/** An icon in a panel and the menu below it, found by what is on the screen. */

import { drawIcon } from '../../src/tray/icon.ts';
import type { TrayIcon } from '../../src/tray/tray-picture.ts';
import { type PanelDesktop, see } from './panel-desktop.ts';
import { type Box, findBox, type Shot } from './screen.ts';

/** Where the panel ends; below is nothing but what it opens. */
export const PANEL_HEIGHT = 40;
/** What these panels show an icon in, in pixels. */
const ICON_SIDE = 22;
/** A submenu is wider than this. */
const SUBMENU_WIDTH = 60;

/** Everything below the panel that is not the black of an empty screen. */
export function findMenu(shot: Shot): Box | null {
  return findBox(shot, (x, y) => y > PANEL_HEIGHT && shot.colourAt(x, y) !== 0);
}

/** The menu once it is whole: it is drawn in steps. */
async function seeMenu(
  desktop: PanelDesktop,
  isMeant: (box: Box) => boolean = () => true,
): Promise<Box> {
  let last: string | null = null;
  return see(desktop, (shot) => {
    const box = findMenu(shot);
    const isSame = JSON.stringify(box) === last;
    last = JSON.stringify(box);
    return isSame && box !== null && isMeant(box) ? box : null;
  });
}

/** Opens an icon's menu by a click. */
export async function openMenuAt(desktop: PanelDesktop, icon: Box): Promise<Box> {
  const { left, top, width, height } = icon;
  // Qt's panel takes the left button for something else.
  const button = desktop.panel === 'lxqt-panel' ? 3 : 1;
  desktop.click(left + width / 2, top + height / 2, button);
  return seeMenu(desktop);
}

/** Closes what is open of a menu, of so many levels. */
export async function closeMenu(desktop: PanelDesktop, levels = 1): Promise<void> {
  for (let level = 0; level < levels; level += 1) desktop.press('Escape');
  await see(desktop, (shot) => (findMenu(shot) === null ? true : null));
}

/** Goes to a row of the open menu by the keyboard, counted from the last one that can be chosen, which is 1. */
export function goUp(desktop: PanelDesktop, rows: number): void {
  for (let row = 0; row < rows; row += 1) desktop.press('Up');
}

/** Opens the submenu of the row that was gone to; its first row that can be chosen is then gone to. */
export async function openSubmenu(desktop: PanelDesktop, menu: Box): Promise<Box> {
  desktop.press('Right');
  return seeMenu(desktop, ({ width }) => width > menu.width + SUBMENU_WIDTH);
}

/** The agent's own icon in the panel, as it is drawn there; waits until it is seen. */
export function seeIcon(desktop: PanelDesktop, icon: TrayIcon): Promise<Box> {
  desktop.parkPointer();
  return see(desktop, (shot) => findIcon(shot, icon));
}

/** What of an icon covers the panel wholly, and so has its colour on every panel. */
function findIcon(shot: Shot, icon: TrayIcon): Box | null {
  const { data } = drawIcon(icon, ICON_SIDE, 'dark');
  const solid: { readonly x: number; readonly y: number; readonly colour: number }[] = [];
  for (let at = 0; at < ICON_SIDE * ICON_SIDE; at += 1) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(at * 4, at * 4 + 4);
    if (alpha !== 255) continue;
    const colour = red * 0x1_0000 + green * 0x100 + blue;
    solid.push({ x: at % ICON_SIDE, y: Math.floor(at / ICON_SIDE), colour });
  }
  for (let top = 0; top <= PANEL_HEIGHT - ICON_SIDE; top += 1) {
    for (let left = 0; left <= shot.width - ICON_SIDE; left += 1) {
      if (solid.every(({ x, y, colour }) => isNear(shot.colourAt(left + x, top + y), colour))) {
        return { left, top, width: ICON_SIDE, height: ICON_SIDE };
      }
    }
  }
  return null;
}

/** A panel may round what it lays on itself; what is drawn differs from what is not by far more. */
function isNear(one: number, other: number): boolean {
  return [0, 8, 16].every(
    (bits) => Math.abs(((one >> bits) & 255) - ((other >> bits) & 255)) <= 12,
  );
}
