/** The sentences of `selftest`. */

import { cleanForeignText } from '../system/foreign-text.ts';

export const selftestTexts = {
  executable: 'one-file executable',
  package: 'package',
  filesRead: (folder: string, count: number) =>
    `${count} of the program's own are read from ${cleanForeignText(folder)}`,
  filesMissing: (folder: string) =>
    `Files of the program are missing in ${cleanForeignText(folder)}. Install sandy-tray again.`,
  noPicture: (name: string) => `${cleanForeignText(name)} is no picture. Install sandy-tray again.`,
  ptyOpened: 'a child got a terminal and was heard',
  ptySilent: (end: string) =>
    `A child was given a terminal and nothing was heard of it (${end}). Try it again; if that lasts, report it.`,
  helperNotNeeded: 'the icon needs no other program on this machine',
  helperStarted: 'the program that draws the icon in old panels starts',
  demoPlayed: 'was played to its end, with nothing on PATH',
  demoAgentEnded: 'The agent of the demo ended, or could not be started. Install sandy-tray again.',
  demoInterrupted: 'The demo was interrupted.',
};
