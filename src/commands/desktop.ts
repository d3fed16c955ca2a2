import { type BusConnection, connectBus } from '../system/dbus-connection.ts';

/** What this process shows things on: the tray and the banners share one connection to the session bus. */
export interface Desktop {
  /** Connects at the first call. */
  readonly bus: () => BusConnection;
  /** To be called when nothing is shown any more. */
  readonly close: () => Promise<void>;
}

/** @param timeScale by which the delays between attempts to connect are divided */
export function openDesktop(timeScale: number): Desktop {
  let bus: BusConnection | null = null;
  return {
    bus() {
      bus ??= connectBus(process.env, timeScale);
      return bus;
    },
    async close() {
      await bus?.close();
    },
  };
}
