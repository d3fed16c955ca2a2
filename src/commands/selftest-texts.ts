/** The sentences of `selftest`. */

import { cleanForeignText } from '../system/foreign-text.ts';

export const selftestTexts = {
  executable: 'one-file executable',
  package: 'package',
  filesRead: (folder: string, count: number) =>
    `${count} of the program's own are read from ${cleanForeignText(folder)}`,
  filesMissing: (folder: string) =>
    `Files of the program are missing in ${cleanForeignText(folder)}`,
  noPicture: (name: string) => `${cleanForeignText(name)} is no picture`,
  helperNotNeeded: 'the icon needs no other program on this machine',
  helperStarted: 'the program that draws the icon in old panels starts',
  demoPlayed: 'was played to its end, with nothing on PATH',
  demoAgentEnded: 'its agent ended, or could not be started',
  installAgain: 'Install it again (npm install -g sandy-tray), or take the executable anew.',
  tryAgain: 'sandy-tray selftest',
  demoInterrupted: 'it was interrupted',
};
