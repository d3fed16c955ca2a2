import { createDesktopNotifier } from '../notify/desktop-notifier.ts';
import type { Notifier, NotifierListener } from '../notify/notifier.ts';
import { listBusSockets } from '../system/dbus-address.ts';
import type { Desktop } from './desktop.ts';

/** What shows banners on this machine, the best way first; null: nothing could. */
export function startBanners(desktop: Desktop, listener: NotifierListener): Notifier | null {
  // Without an address there is nothing to wait for.
  if (listBusSockets(process.env).length === 0) return null;
  return createDesktopNotifier({ bus: desktop.bus(), listener, variables: process.env });
}
