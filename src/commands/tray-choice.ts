import type { TrayChoice } from '../store/preferences.ts';
import { chooseTrays, startTray } from '../tray/choosing.ts';
import { describeReason } from '../tray/reasons.ts';
import type { TrayBackend, TrayListener } from '../tray/tray-picture.ts';
import type { Desktop } from './desktop.ts';
import type { Setup } from './setup.ts';

/** How the tray is started on this machine; null: there is to be none. */
export function prepareTray(
  choice: TrayChoice,
  { folders, timeScale }: Pick<Setup, 'folders' | 'timeScale'>,
  desktop: Desktop,
): ((listener: TrayListener) => TrayBackend | null) | null {
  const question = { choice, platform: process.platform, arch: process.arch };
  if (chooseTrays(question).length === 0) return null;
  return (listener) => {
    const tray = startTray({
      ...question,
      environment: process.env,
      folders,
      timeScale,
      makeBus: desktop.bus,
      listener,
    });
    return (
      tray && {
        ...tray,
        explain() {
          const reason = tray.reason();
          return reason === null ? null : describeReason(reason);
        },
      }
    );
  };
}
