import { createDesktopNotifier } from '../notify/desktop-notifier.ts';
import { createFirstShown } from '../notify/first-shown.ts';
import type { Notice, Notifier, NotifierListener } from '../notify/notifier.ts';
import { createNotifySend } from '../notify/notify-send.ts';
import { listBusSockets } from '../system/dbus-address.ts';
import { resourcePath } from '../system/resources.ts';
import { ResourcesError } from '../system/resources-error.ts';
import { keepDefined } from '../system/variables.ts';
import type { Desktop } from './desktop.ts';

export interface BannerStart {
  readonly desktop: Desktop;
  readonly listener: NotifierListener;
  /** By which the time that a banner is listened to is divided, where a process of its own does that. */
  readonly timeScale: number;
}

/** What shows banners on this machine, the best way first; null: nothing can. */
export async function startBanners(start: BannerStart): Promise<Notifier | null> {
  if (process.platform === 'darwin') return await startOnMac(start);
  // Without an address of a bus there is no desktop, and nothing to wait for.
  if (listBusSockets(process.env).length === 0) return null;
  const { desktop, listener } = start;
  const variables = keepDefined(process.env);
  return createFirstShown([
    createDesktopNotifier({ bus: desktop.bus(), listener, variables, chooseIcon }),
    createNotifySend({ variables, chooseIcon }),
  ]);
}

/** The drawings that read on light and dark alike, as desktops have both behind them. */
function chooseIcon({ urgency }: Notice): string | null {
  const shape = urgency === 'critical' ? 'attention' : 'ok';
  try {
    return resourcePath('assets', 'icons', `${shape}-dark-44.png`);
  } catch (error) {
    // An executable that can't unpack its files: a banner without a picture says the same.
    if (error instanceof ResourcesError) return null;
    throw error;
  }
}

/** Loaded only there. */
async function startOnMac({ listener, timeScale }: BannerStart): Promise<Notifier> {
  const { createMacNotifier } = await import('../notify/mac-notifier.ts');
  const { platform, env } = process;
  // launchd's own PATH has none of the folders that people install programs in.
  const PATH = [env.PATH ?? '', '/opt/homebrew/bin', '/usr/local/bin'].join(':');
  return createMacNotifier({ listener, environment: { ...env, PATH }, platform, timeScale });
}
