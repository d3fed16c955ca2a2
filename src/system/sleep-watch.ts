import type { BusConnection } from './dbus-connection.ts';

/** What logind says before a sleep, with true, and after it, with false. */
const PREPARE_FOR_SLEEP = {
  sender: 'org.freedesktop.login1',
  path: '/org/freedesktop/login1',
  interface: 'org.freedesktop.login1.Manager',
  member: 'PrepareForSleep',
  signature: 'b',
};

/**
 * Calls back when the machine wakes, as logind tells it on the system bus, which this closes in the end.
 * Where there is none it never does, and nothing ticks for it: who watches the clocks notices a sleep too,
 * only later. Returns how to stop.
 */
export function watchSleep(bus: BusConnection, onWake: () => void): () => Promise<void> {
  bus.onSignal(PREPARE_FOR_SLEEP, ({ body: [begins] }) => {
    if (begins === false) onWake();
  });
  bus.onState((state) => {
    if (state === 'no-bus') void bus.close();
  });
  return bus.close;
}
