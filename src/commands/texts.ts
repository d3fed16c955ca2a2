/** The sentences of the command line: what is wrong, then what to do. */

import { cleanForeignText } from '../system/foreign-text.ts';

export const texts = {
  program:
    'sandy-tray watches your sandy sessions and tells what restarts and updates did to them.',
  moreHelp: 'sandy-tray COMMAND --help says more; --version prints the version.',
  unknownCommand: (name: string) => `There is no command "${cleanForeignText(name, 40)}".`,
  seeHelp: 'See: sandy-tray --help',
  rightForm: (usage: string) => `Usage: sandy-tray ${usage}`,
  tooManyArguments: 'Too many arguments.',
  wrongConfigVerb: (verb: string) =>
    `"config ${cleanForeignText(verb, 40)}" with these arguments is not a form of config.`,
  noDaemon: (version: string) =>
    `sandy ${version} has no daemon sessions. They came with 1.1.0: sandy --upgrade`,
  noUpdates: (version: string) =>
    `sandy ${version} cannot update sessions. --update-sessions came with 1.2.0: sandy --upgrade`,
  notPrinted: (code: string) =>
    `The output can't be written (${code}). Free the disk or send it elsewhere, then try again.`,
  notWritten: (path: string, code: string) =>
    `${cleanForeignText(path)} can't be written (${code}). Free the disk or mend its permissions, then try again.`,
} as const;
