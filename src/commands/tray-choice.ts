import type { TrayChoice } from '../store/preferences.ts';
import { connectBus } from '../system/dbus-connection.ts';
import { drawIcon } from '../tray/icon.ts';
import { toArgb32 } from '../tray/pixels.ts';
import { createStatusNotifier } from '../tray/status-notifier.ts';
import type { TrayBackend, TrayListener } from '../tray/tray-picture.ts';

/** How the tray is started here; null: there is to be none. */
export function prepareTray(
  choice: TrayChoice,
  timeScale: number,
): ((listener: TrayListener) => TrayBackend) | null {
  if (choice === 'off' || process.platform !== 'linux') return null;
  return (listener) => {
    const bus = connectBus(process.env, timeScale);
    const backend = createStatusNotifier({
      bus,
      listener,
      timeScale,
      drawIcon(icon, sizePx) {
        // Nobody can ask a panel for its colour; the dark one is readable on both.
        const pixels = drawIcon(icon, sizePx, 'dark');
        const { width, height } = pixels;
        return { width, height, argb: Buffer.from(toArgb32(pixels)) };
      },
    });
    return {
      ...backend,
      async stop() {
        await backend.stop();
        await bus.close();
      },
    };
  };
}
