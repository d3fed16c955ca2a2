/** The sentences of `install`, `uninstall` and `schedule`. */

import { cleanForeignText } from '../system/foreign-text.ts';

const clean = (path: string) => cleanForeignText(path, 300);

export const serviceTexts = {
  whichShell: (name: string) =>
    `There is no function for the shell "${cleanForeignText(name, 40)}"; say bash, zsh or fish.`,
  shellAlone: '--shell prints its function and does nothing else.',
  fromNpx: (path: string) =>
    `This program is in npx's cache, which npm empties: ${clean(path)}. Install it first: npm install --global sandy-tray`,
  loginShellSilent:
    'Your login shell did not show its environment within 4 s, so the services get the PATH of this terminal. See what your shell profile waits for.',
  purgeNotOwn: (folder: string) =>
    `SANDY_TRAY_DIR names a folder of your own (${clean(folder)}), which --purge does not remove. Remove it yourself, and uninstall without --purge.`,
  purgeAgent: (pid: number | null) =>
    `An agent still runs${pid === null ? '' : ` (pid ${pid})`}, so preferences and state were kept. End it (Ctrl-C where it runs, or its menu), then run this again.`,
  purgeRun:
    'A start, a stop or an update is still at work, so preferences and state were kept. Wait for its end, then run this again.',
  purgeUnknown: (code: string) =>
    `Nobody can tell whether an agent runs (${code}), so preferences and state were kept. Mend the permissions of the state folder, then run this again.`,
  removed: (path: string) => `removed  ${clean(path)}`,
  wouldRemove: (path: string) => `would remove  ${clean(path)}`,
  kept: (paths: readonly string[]) =>
    `Preferences and state were kept (${paths.map(clean).join(', ')}); uninstall --purge removes them.`,
  wrongTime: (text: string) =>
    `"${cleanForeignText(text, 20)}" is no time of the day; --at takes one such as 04:00.`,
  wrongMinutes: (text: string) =>
    `"${cleanForeignText(text, 20)}" is no number of minutes; --idle-for takes a whole number from 1.`,
  offAlone: '--off goes with --print only.',
  printWhat: '--print shows what --at or --off would do.',
} as const;
