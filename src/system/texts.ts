/** The sentences of this room that a person reads: what is wrong, then what to do. */

import { cleanForeignText } from './foreign-text.ts';
import type { FoldersOutcome } from './paths.ts';
import type { NoResources } from './resources-error.ts';
import { quoteForShell } from './shell-words.ts';

/** Why the program's folders can't be named. */
export function describeWrongFolders(
  outcome: Exclude<FoldersOutcome, { readonly kind: 'found' }>,
): string {
  switch (outcome.kind) {
    case 'wrong-own-folder':
      return `SANDY_TRAY_DIR is not an absolute path: "${cleanForeignText(outcome.value)}". Set it to one that starts with /, or unset it.`;
    case 'wrong-home':
      return outcome.value === null
        ? 'This user has no home folder. Set HOME, or SANDY_TRAY_DIR, to an absolute path.'
        : `The home folder is not an absolute path: "${cleanForeignText(outcome.value)}". Set HOME, or SANDY_TRAY_DIR, to one that starts with /.`;
  }
}

/** Why an executable's files are not on the disk. */
export function describeNoResources(reason: NoResources): string {
  if (!('base' in reason)) return describeWrongFolders(reason);
  const shown = cleanForeignText(reason.base);
  switch (reason.kind) {
    case 'not-private':
      return `${shown} is not a folder of yours alone, so that nothing is run from it. See: ls -ld ${quoteForShell(shown)}, then make it yours, chmod 700, or set SANDY_TRAY_DIR to another folder.`;
    case 'not-executable':
      return `No program may be run from ${shown} (its file system may be mounted noexec). Set SANDY_TRAY_DIR to a folder where programs may be run.`;
    case 'not-written':
      return `The program's files can't be unpacked to ${shown} (${reason.errorCode}). Make room there and make it writable, or set SANDY_TRAY_DIR to another folder.`;
  }
}

/** Why `SANDY_TRAY_TIME_SCALE` can't be used. */
export function describeWrongTimeScale(value: string): string {
  return `SANDY_TRAY_TIME_SCALE is not a number above 0: "${cleanForeignText(value)}". Set it to one such as 10, or unset it.`;
}
