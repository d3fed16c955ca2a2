/** What doctor says of banners: who shows them, and with `--notify` what became of one. */

import { createNotificationServer } from '../notify/notification-server.ts';
import type { NoticeEnd, Notifier } from '../notify/notifier.ts';
import { composeTest } from '../notify/own-notices.ts';
import { listBusSockets } from '../system/dbus-address.ts';
import { connectBus } from '../system/dbus-connection.ts';
import { hasDisplay } from '../system/display.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { settleWithin } from '../system/settling.ts';
import { openDesktop } from './desktop.ts';
import { advice, type Check, fail, ok, type Remedy, warn } from './doctor-check.ts';
import { startBanners } from './notifier-choice.ts';
import type { Setup } from './setup.ts';
import { texts } from './texts.ts';

const NO_DESKTOP = ok('banners', 'there is no desktop here, so no banners are shown');

/** Who would show one now; none is shown for it. */
export async function checkBanners(): Promise<readonly Check[]> {
  // On a Mac only showing one tells.
  if (process.platform === 'darwin') return [];
  if (listBusSockets(process.env).length === 0) return [NO_DESKTOP];
  const bus = connectBus(process.env, 1);
  const server = createNotificationServer({
    bus,
    mayStart: hasDisplay(process.env),
    onEvent: () => {},
  });
  const look = await server.look();
  server.stop();
  await bus.close();
  if (look.kind !== 'found') {
    return [warn('banners', look.reason, describeRemedy(look))];
  }
  const name = cleanForeignText(look.server.name, 40);
  const can = look.server.hasActions ? 'and can be clicked' : "but can't be clicked";
  return [ok('banners', `they are shown by ${name}, ${can}`)];
}

/** How long somebody has to click it. */
const CLICK_LIMIT_MS = 20_000;

type Heard = { readonly kind: 'clicked' } | { readonly kind: 'ended'; readonly end: NoticeEnd };

/** Shows a banner and waits for what becomes of it. */
export async function tryBanner({
  timeScale,
}: Pick<Setup, 'timeScale'>): Promise<readonly Check[]> {
  const desktop = openDesktop(timeScale);
  let hear: (heard: Heard) => void = () => {};
  const heard = new Promise<Heard>((resolve) => {
    hear = resolve;
  });
  const listener = {
    onClick: () => hear({ kind: 'clicked' }),
    onEnd: (_key: string, end: NoticeEnd) => hear({ kind: 'ended', end }),
  };
  const banners = await startBanners({ desktop, listener, timeScale });
  try {
    return banners === null ? [NO_DESKTOP] : [await follow(banners, heard, timeScale)];
  } finally {
    await banners?.close();
    await desktop.close();
  }
}

async function follow(banners: Notifier, heard: Promise<Heard>, timeScale: number): Promise<Check> {
  const shown = await banners.show(composeTest(Date.now()));
  if (shown.kind === 'not-shown') {
    return fail('banners', shown.reason, describeRemedy(shown));
  }
  const name = cleanForeignText(shown.server, 40);
  if (!shown.clickable) {
    return ok('banners', `one was handed to ${name}, which can't be clicked; was it to be seen?`);
  }
  const limitMs = CLICK_LIMIT_MS / timeScale;
  process.stderr.write(`${texts.clickTheBanner(name, CLICK_LIMIT_MS / 1000)}\n`);
  const came = await settleWithin(heard, limitMs, () => null);
  if (came?.kind === 'clicked')
    return ok('banners', `one was shown by ${name}, and its click came back`);
  const quiet = came === null ? 'nothing was heard of it' : describeEnd(came.end);
  const remedy = advice('Look whether your desktop is set not to disturb you.');
  return warn('banners', `one was handed to ${name}, and ${quiet}`, remedy);
}

function describeRemedy({ isLate }: { readonly isLate?: true }): Remedy {
  return advice(
    isLate === true
      ? 'End what shows notifications on your desktop, and start it again.'
      : 'Start what shows notifications on your desktop, such as dunst.',
  );
}

function describeEnd(end: NoticeEnd): string {
  switch (end) {
    case 'expired':
      return 'it went by itself without a click';
    case 'dismissed':
      return 'it was closed without a click';
    case 'withdrawn':
      return 'it was taken down without a click';
    case 'server-lost':
      return 'what showed it ended';
  }
}
