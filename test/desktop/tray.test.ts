/** The icon and its menu in real panels. */

import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TrayItem, TrayPicture } from '../../src/tray/tray-picture.ts';
import { type Bundle, bundleScript, startScript } from '../node-script.ts';
import { action, picture, sessions } from '../tray/panel-stand-in.ts';
import { colourOf } from './icon-colours.ts';
import { type PanelName, see, startPanelDesktop } from './panel-desktop.ts';
import { findMenu, openMenuAt, PANEL_HEIGHT } from './panel-menu.ts';
import { type Box, findColour, shareOf } from './screen.ts';

let driver: Bundle;
beforeAll(async () => {
  driver = await bundleScript(`${import.meta.dirname}/tray-driver.ts`);
  return driver.remove;
});

/** First what can be clicked, then the sessions. */
const rows = (count: number): readonly TrayItem[] => [action('first_row'), ...sessions(count)];
const withCount = (count: number): Partial<TrayPicture> => ({ icon: { shape: 'ok', count } });

async function startAll(panel: PanelName) {
  const desktop = await startPanelDesktop(panel);
  const script = startScript(driver.file, ['1000'], { env: desktop.variables });
  const show = (shown: TrayPicture) => script.tell(JSON.stringify(shown));
  /** Reads on until the tray says this. */
  const hear = async (wanted: object) => {
    for (;;) {
      const said = await script.hear();
      if (JSON.stringify(said) === JSON.stringify(wanted)) return;
    }
  };
  const seeIcon = (count: number) => see(desktop, (shot) => findColour(shot, colourOf(count)));
  const openMenu = (icon: Box): Promise<Box> => openMenuAt(desktop, icon);
  const closeMenu = async () => {
    desktop.press('Escape');
    await see(desktop, (shot) => (findMenu(shot) === null ? true : null));
  };
  /** Opens the menu until it is that high: panels fetch it in their own time, some once it is open. */
  const seeHeight = async (icon: Box, isMeant: (height: number) => boolean): Promise<number> => {
    for (;;) {
      const { height } = await openMenu(icon);
      await closeMenu();
      if (isMeant(height)) return height;
    }
  };
  return { desktop, show, hear, seeIcon, openMenu, closeMenu, seeHeight };
}

describe.each(['xfce4-panel', 'lxqt-panel'] as const)('%s', (panel) => {
  test('shows the icon, and a click on a row of its menu arrives', async () => {
    const { desktop, show, hear, seeIcon, openMenu } = await startAll(panel);
    show(picture(rows(3)));
    await hear({ state: 'shown' });
    const menu = await openMenu(await seeIcon(0));
    expect(menu.height).toBeGreaterThan(60);
    desktop.click(menu.left + menu.width / 2, PANEL_HEIGHT + 6);
    await hear({ action: { kind: 'open', key: 'first_row' }, activationToken: null });
  });

  test('shows it again when the panel or the bus comes back', async () => {
    const { desktop, show, hear, seeIcon, openMenu } = await startAll(panel);
    show(picture(rows(3)));
    await hear({ state: 'shown' });
    await seeIcon(0);
    await desktop.killPanel();
    await hear({ state: 'no-watcher' });
    show(picture(rows(2), withCount(1)));
    desktop.startPanel();
    await hear({ state: 'shown' });
    await seeIcon(1);

    await desktop.killBus();
    await hear({ state: 'no-bus' });
    await desktop.killPanel();
    show(picture(rows(3), withCount(2)));
    await desktop.startBus();
    desktop.startPanel();
    await hear({ state: 'shown' });
    const menu = await openMenu(await seeIcon(2));
    desktop.click(menu.left + menu.width / 2, PANEL_HEIGHT + 6);
    await hear({ action: { kind: 'open', key: 'first_row' }, activationToken: null });
  });

  test('has the rows that there are, and leaves an open menu alone', async () => {
    const { desktop, show, hear, seeIcon, openMenu, closeMenu, seeHeight } = await startAll(panel);
    show(picture(rows(3)));
    await hear({ state: 'shown' });
    const icon = await seeIcon(0);
    const three = await seeHeight(icon, () => true);
    show(picture(rows(30), withCount(1)));
    await seeIcon(1);
    await seeHeight(icon, (height) => height > 4 * three);
    show(picture(rows(5), withCount(2)));
    await seeIcon(2);
    await seeHeight(icon, (height) => height > three && height < 2 * three);

    await openMenu(icon);
    for (const [count, colour] of [
      [30, 0],
      [3, 1],
    ] as const) {
      show(picture(rows(count), withCount(colour)));
      await seeIcon(colour);
      // Longer than rows wait to be told together.
      await delay(700);
      expect(findMenu(desktop.takeShot())).not.toBeNull();
    }
    await closeMenu();
    await seeHeight(icon, (height) => height === three);
  });

  test('never shows a blank icon', async () => {
    const { desktop, show, hear, seeIcon } = await startAll(panel);
    show(picture(rows(3)));
    await hear({ state: 'shown' });
    const icon = await seeIcon(0);
    const shares: number[] = [];
    const seen = new Set<number>();
    for (let turn = 0; turn < 50; turn += 1) {
      if (turn % 4 === 0) show(picture(rows(3 + (turn % 5)), withCount((turn / 4) % 3)));
      await delay(20);
      const shot = desktop.takeShot();
      shares.push(shareOf(shot, icon, [0, 1, 2].map(colourOf)));
      seen.add(shot.colourAt(icon.left + 2, icon.top + 2));
    }
    expect(Math.min(...shares)).toBeGreaterThan(0.9);
    // It was another one meanwhile, or this shows nothing.
    expect(seen.size).toBeGreaterThan(1);
  });
});
