/** Banners in real notification servers, and real clicks on them. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { composeNotice } from '../../src/notify/composing.ts';
import type { Notice } from '../../src/notify/notifier.ts';
import { createNotifySend } from '../../src/notify/notify-send.ts';
import { type Bundle, bundleScript, startScript } from '../node-script.ts';
import { notice } from '../notify/notices.ts';
import { expectGone, readPid } from '../processes.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';
import { callBus } from '../system/bus-stand-in.ts';
import { clickBanner, seeBanners, seeNone } from './banner-clicks.ts';
import { requireTools } from './desktop.ts';
import {
  findButtons,
  type NotifyDesktop,
  type ServerName,
  startNotifyDesktop,
} from './notify-desktop.ts';
import { type Box, findChange } from './screen.ts';
import { saveScreenshot } from './screenshots.ts';

const ICONS = join(import.meta.dirname, '../../assets/icons');
const NAME = 'org.freedesktop.Notifications';

let driver: Bundle;
beforeAll(async () => {
  requireTools(['notify-send']);
  driver = await bundleScript(`${import.meta.dirname}/notify-driver.ts`);
  return driver.remove;
});

function startDriver(desktop: NotifyDesktop, variables: NodeJS.ProcessEnv = desktop.variables) {
  const script = startScript(driver.file, [ICONS], { env: variables });
  const said: unknown[] = [];
  /** Reads on until the notifier says something like this. */
  const hear = async (wanted: object): Promise<unknown> => {
    for (;;) {
      const word = await script.hear();
      said.push(word);
      if (JSON.stringify({ ...(word as object), ...wanted }) === JSON.stringify(word)) return word;
    }
  };
  const show = (shown: Notice) => script.tell(JSON.stringify({ show: shown }));
  const withdraw = (key: string) => script.tell(JSON.stringify({ withdraw: key }));
  const showAll = async (...notices: Notice[]) => {
    for (const shown of notices) {
      show(shown);
      await hear({ kind: 'shown', clickable: true });
    }
  };
  return { script, said, hear, show, withdraw, showAll };
}

async function startAll(name: ServerName) {
  const desktop = await startNotifyDesktop(name);
  await desktop.startServer();
  return { desktop, ...startDriver(desktop) };
}

describe.each(['dunst', 'xfce4-notifyd'] as const)('%s', (name) => {
  test('shows a banner, and a click on it arrives', async () => {
    const { desktop, showAll, hear, said } = await startAll(name);
    await showAll(notice('api-3f2a', { urgency: 'critical' }));
    await clickBanner(desktop);
    await hear({ click: 'api-3f2a', actionId: 'open' });
    await hear({ end: 'dismissed', key: 'api-3f2a' });
    await seeNone(desktop);
    await showAll(notice('b'));
    await clickBanner(desktop);
    await hear({ click: 'b', actionId: 'open' });
    expect(said.filter((word) => Object.hasOwn(word as object, 'click')).length).toBe(2);
  });

  test('has one banner a key, until it is withdrawn', async () => {
    const { desktop, show, showAll, withdraw, hear } = await startAll(name);
    await showAll(notice('a', { body: '1 of 5' }));
    const { height } = await seeBanners(desktop);
    const before = desktop.takeShot();
    for (const count of [2, 3, 4, 5]) show(notice('a', { body: `${count} of 5` }));
    const one = (box: Box) => Math.abs(box.height - height) < 10;
    await seeBanners(desktop, (box, shot) => one(box) && findChange(before, shot) !== null);
    await showAll(notice('b'));
    await seeBanners(desktop, (box) => box.height > 1.5 * height);
    withdraw('b');
    await hear({ withdrawn: 'b' });
    await seeBanners(desktop, one);
    withdraw('a');
    await hear({ end: 'withdrawn', key: 'a' });
    await seeNone(desktop);
  });

  test('is killed and started again: a click on what is there now is not ours', async () => {
    const { desktop, showAll, hear, said } = await startAll(name);
    await showAll(notice('old'));
    await seeBanners(desktop);
    await desktop.killServer();
    await hear({ end: 'server-lost', key: 'old' });
    await seeNone(desktop);
    await desktop.startServer();
    // The first banner of a new server has the number that ours had: that of another program.
    const other = await desktop.bus.call({
      destination: NAME,
      path: '/org/freedesktop/Notifications',
      interface: NAME,
      member: 'Notify',
      signature: 'susssasa{sv}i',
      body: ['other', 0, '', 'Other', 'words', ['default', 'Do it'], [], 0],
      limitMs: 5000,
    });
    expect(other.kind).toBe('returned');
    await clickBanner(desktop);
    await seeNone(desktop);
    await showAll(notice('new'));
    await clickBanner(desktop);
    await hear({ click: 'new', actionId: 'open' });
    expect(said).not.toContainEqual(expect.objectContaining({ click: 'old' }));
  });

  test('is frozen: nothing waits for it, and it is used again when it wakes', async () => {
    const { desktop, show, showAll, hear, script } = await startAll(name);
    await showAll(notice('a'));
    await seeBanners(desktop);
    desktop.signalServer('SIGSTOP');
    show(notice('b'));
    await hear({ kind: 'not-shown', isLate: true });
    desktop.signalServer('SIGCONT');
    // The late one is another one than this.
    await showAll(notice('c'));
    await seeBanners(desktop);
    desktop.signalServer('SIGSTOP');
    script.child.stdin?.end();
    await hear({ closed: true });
    expect(await script.ended).toBe(0);
    desktop.signalServer('SIGCONT');
    await seeNone(desktop);
  });

  test('has nothing left to be clicked when the program ends', async () => {
    const { desktop, showAll, script } = await startAll(name);
    await showAll(notice('a'), notice('b', { urgency: 'critical' }));
    await seeBanners(desktop);
    script.child.stdin?.end();
    expect(await script.ended).toBe(0);
    await seeNone(desktop);
  });

  test('shows markup as the words that it is', async () => {
    const { desktop, showAll } = await startAll(name);
    const empty = { title: 'markup', actions: [{ id: 'open', label: 'Open' }] };
    await showAll(notice('a', { ...empty, body: '' }));
    const bare = await seeBanners(desktop);
    // Nothing of this is to be seen where it is markup; as words it fills lines.
    await showAll(notice('a', { ...empty, body: '<b></b>'.repeat(20) }));
    const words = await seeBanners(desktop, (box) => box.height > bare.height + 20);
    await showAll(notice('a', { ...empty, body: '<a href="http://x.y/">&amp;</a>\n\0\x1b[31m' }));
    await seeBanners(desktop, (box) => box.height !== words.height);
  });

  test('looks well', async () => {
    const { desktop, showAll } = await startAll(name);
    await showAll(
      composeNotice(
        'run',
        {
          at: 0,
          kind: 'run-completed',
          key: null,
          incident: null,
          noticeKind: 'overnight',
          text: '',
          run: {
            id: 'run',
            origin: 'outside',
            scope: [],
            startedAt: 0,
            endedAt: 1,
            restarted: ['zork-3dfda686', 'api-91c04b7e', 'web-5c11aa02', 'docs-0b7f4e19'],
            skipped: [],
            failed: [],
            log: null,
            outcome: 'done',
            reason: null,
            seen: false,
          },
        },
        'overnight',
        {
          formatTime: (at) => (at === 0 ? '03:12' : '03:19'),
          isStartable: () => true,
        },
      ),
      composeNotice(
        'late',
        {
          at: 0,
          kind: 'late',
          key: 'api-91c04b7e',
          incident: 'late',
          noticeKind: 'late',
          text: 'api-91c04b7e did not come back: it went away for an update and is not back after 90 s.',
        },
        'late',
        { formatTime: () => '03:19', isStartable: () => true },
      ),
    );
    const box = await seeBanners(desktop);
    expect(box.height).toBeGreaterThan(80);
    await saveScreenshot({ takeShot: desktop.takeShot, panel: name }, 'banner', box, 12);
  });
});

test('a click on a button of xfce4-notifyd is that of its action', async () => {
  const { desktop, showAll, hear } = await startAll('xfce4-notifyd');
  await showAll(notice('a'));
  const shot = desktop.takeShot;
  const banner = await seeBanners(desktop);
  expect(findButtons(shot(), banner).length).toBe(3);
  await clickBanner(desktop, 2);
  await hear({ click: 'a', actionId: 'log' });
});

test('there is no server, then no bus, then both', async () => {
  const desktop = await startNotifyDesktop('dunst');
  const { show, showAll, hear } = startDriver(desktop);
  await hear({ state: 'connected' });
  show(notice('a'));
  await hear({ kind: 'not-shown', reason: 'Nothing on this desktop shows notifications' });
  await desktop.killBus();
  await hear({ state: 'no-bus' });
  show(notice('a'));
  await hear({
    kind: 'not-shown',
    reason: 'There is no session bus on which a desktop could be reached',
  });
  await desktop.startBus();
  await hear({ state: 'connected' });
  await desktop.startServer();
  await showAll(notice('a'));
  await clickBanner(desktop);
  await hear({ click: 'a', actionId: 'open' });
});

test('a server is started where there is a display, and not where it would crash', async () => {
  const folder = makeScratchFolder();
  const [services, pid] = [join(folder, 'services'), join(folder, 'pid')];
  mkdirSync(services);
  const program = writeScript(join(folder, 'start'), `echo $$ > '${pid}'; exec dunst`);
  writeFileSync(
    join(services, 'notifications.service'),
    `[D-BUS Service]\nName=${NAME}\nExec=${program}\n`,
  );
  const desktop = await startNotifyDesktop('dunst', [services]);
  const blind = startDriver(desktop, { ...desktop.variables, DISPLAY: '' });
  blind.show(notice('a'));
  await blind.hear({ kind: 'not-shown' });
  expect(blind.said.at(-1)).toMatchObject({ reason: expect.stringContaining('no display') });
  const names = await callBus(desktop.bus, 'ListNames');
  expect(names.kind === 'returned' ? names.body[0] : []).not.toContain(NAME);
  expect(existsSync(pid)).toBe(false);

  const seeing = startDriver(desktop);
  onTestFinished(async () => {
    const server = await readPid(pid);
    process.kill(server, 'SIGKILL');
    await expectGone(server);
  });
  await seeing.showAll(notice('a'));
  await clickBanner(desktop);
  await seeing.hear({ click: 'a', actionId: 'open' });
});

test('notify-send gives words to a real server as they are', async () => {
  const desktop = await startNotifyDesktop('dunst');
  await desktop.startServer();
  const { variables } = desktop;
  const notifier = createNotifySend({ variables, chooseIcon: () => join(ICONS, 'ok-dark-44.png') });
  const words = { title: '--help \\t', body: 'C:\\new\\table <b>&amp;\n--wait %s' };
  expect(await notifier.show(notice('a', words))).toMatchObject({ kind: 'shown' });
  await seeBanners(desktop);
  const dunst = (member: string) =>
    desktop.bus.call({
      destination: NAME,
      path: '/org/freedesktop/Notifications',
      interface: 'org.dunstproject.cmd0',
      member,
      limitMs: 5000,
    });
  await dunst('NotificationCloseAll');
  const history = await dunst('NotificationListHistory');
  const [list] = history.kind === 'returned' ? history.body : [];
  expect(list).toMatchObject([
    { summary: words.title, body: 'C:\\new\\table &lt;b&gt;&amp;amp;\n--wait %s' },
  ]);
});
