/** The icon and its menu in a panel of the old kind, drawn by the real helper program. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { TrayPicture } from '../../src/tray/tray-picture.ts';
import { type Bundle, bundleScript, startScript } from '../node-script.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { eventually } from '../system/bus-stand-in.ts';
import { line, makePicture, menu, note, row } from '../tray/helper-stage.ts';
import { startPanel } from '../tray/panel-stand-in.ts';
import { see, startPanelDesktop } from './panel-desktop.ts';
import { type Box, findBox, type Shot } from './screen.ts';

const HELPER = 'tray_linux_rele';
/** Where the panel ends. */
const PANEL_HEIGHT = 32;
const ROW_HEIGHT = 26;

let driver: Bundle;
beforeAll(async () => {
  driver = await bundleScript(`${import.meta.dirname}/systray-driver.ts`);
  return driver.remove;
});

const usual = [
  row('first_row'),
  line('l'),
  menu('sandbox_a', [row('Open it'), row('Stop it')]),
  menu('sandbox_b', [row('Open b'), row('Stop b')]),
  line('m'),
  note('All is well'),
];

async function startAll(choice: string) {
  const desktop = await startPanelDesktop('trayer');
  const folder = makeScratchFolder();
  const script = startScript(driver.file, [choice, folder, '5'], {
    // The bundle is not where the program is, from which packages are found.
    env: { ...desktop.variables, NODE_PATH: join(import.meta.dirname, '../../node_modules') },
  });
  const show = (shown: TrayPicture) => script.tell(JSON.stringify(shown));
  const hear = async (wanted: object) => {
    for (;;) {
      const said = await script.hear();
      if (JSON.stringify(said) === JSON.stringify(wanted)) return;
    }
  };
  const seeIcon = () => see(desktop, (shot) => (isDrawn(shot) ? findIcon(shot) : null));
  const openMenu = async () => {
    const icon = await seeIcon();
    desktop.click(icon.left + icon.width / 2, icon.top + icon.height / 2);
    return seeMenu(desktop);
  };
  const clickFirstRow = async () => {
    const { left } = await openMenu();
    desktop.click(left + 30, PANEL_HEIGHT + ROW_HEIGHT / 2);
    await hear({ action: { kind: 'open', key: 'first_row' }, activationToken: null });
  };
  return { desktop, folder, script, show, hear, seeIcon, openMenu, clickFirstRow };
}

function findIcon(shot: Shot): Box | null {
  return findBox(shot, (x, y) => y < PANEL_HEIGHT && shot.colourAt(x, y) !== 0);
}

/** Whether there is more in the panel than its own colour. */
function isDrawn(shot: Shot): boolean {
  const box = findIcon(shot);
  const colours = new Set<number>();
  for (let y = 4; box !== null && y < PANEL_HEIGHT - 4; y += 1) {
    for (let x = box.left + 4; x < box.left + box.width - 4; x += 1)
      colours.add(shot.colourAt(x, y));
  }
  return colours.size > 8;
}

/** The menu once it is whole: it is drawn in steps. */
function seeMenu(desktop: Parameters<typeof see>[0]): Promise<Box> {
  let last = '';
  return see(desktop, (shot) => {
    const box = findBox(shot, (x, y) => y > PANEL_HEIGHT && shot.colourAt(x, y) !== 0);
    const isSame = box !== null && JSON.stringify(box) === last;
    last = JSON.stringify(box);
    return isSame ? box : null;
  });
}

test('a panel of the old kind has the icon when no other comes, and clicks arrive', async () => {
  const { show, hear, folder, seeIcon, clickFirstRow, openMenu, desktop } = await startAll('auto');
  show(makePicture(usual));
  await hear({ state: 'no-watcher' });
  await hear({ state: 'shown' });
  await clickFirstRow();
  const home = join(folder, 'tray', readdirSync(join(folder, 'tray'))[0] ?? '');
  for (const path of [join(folder, 'tray'), home, join(home, 'tray_linux_release')]) {
    expect(statSync(path).mode & 0o777).toBe(0o700);
  }

  const { height } = await openMenu();
  const taller = [...usual, row('one more'), row('and another')];
  show(makePicture(taller, { icon: { shape: 'attention', count: 3 } }));
  // An open menu grows as it is.
  await see(desktop, (shot) => {
    const box = findBox(shot, (x, y) => y > PANEL_HEIGHT && shot.colourAt(x, y) !== 0);
    return box !== null && box.height > height ? box : null;
  });
  desktop.press('Escape');
  await seeIcon();

  // The pointer is part of the picture.
  desktop.click(450, 600);
  // A panel of the other kind comes: only one icon is wanted.
  await startPanel(desktop.variables as Record<string, string>);
  await eventually(() => expect(isDrawn(desktop.takeShot())).toBe(false));
  expect(desktop.countNamed(HELPER)).toBe(0);
});

test('the icon is back when its helper or the panel was killed', async () => {
  const { show, hear, desktop, clickFirstRow, seeIcon } = await startAll('systray');
  show(makePicture(usual));
  await hear({ state: 'shown' });
  await seeIcon();
  await desktop.killNamed(HELPER);
  await hear({ state: 'starting' });
  await hear({ state: 'shown' });
  await clickFirstRow();

  await desktop.killPanel();
  await hear({ state: 'no-host' });
  await eventually(() => expect(desktop.countNamed(HELPER)).toBe(0));
  desktop.startPanel();
  await hear({ state: 'shown' });
  await clickFirstRow();
});

test('the helper goes with the program, and its icon too', async () => {
  const { show, hear, desktop, script, seeIcon } = await startAll('systray');
  show(makePicture(usual));
  await hear({ state: 'shown' });
  await seeIcon();
  script.child.kill('SIGKILL');
  await script.ended;
  await eventually(() => expect(desktop.countNamed(HELPER)).toBe(0));
  await eventually(() => expect(isDrawn(desktop.takeShot())).toBe(false));
});
