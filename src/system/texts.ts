/** The sentences of this room that a person reads: what is wrong, then what to do. */

import { cleanForeignText } from './foreign-text.ts';
import type { FoldersOutcome } from './paths.ts';

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

/** Why `SANDY_TRAY_TIME_SCALE` can't be used. */
export function describeWrongTimeScale(value: string): string {
  return `SANDY_TRAY_TIME_SCALE is not a number above 0: "${cleanForeignText(value)}". Set it to one such as 10, or unset it.`;
}
