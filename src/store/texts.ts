/** The sentences of this room that a person reads: what is wrong, then what to do. */

import { cleanForeignText } from '../system/foreign-text.ts';
import type { Unusable } from './json-file.ts';
import type { SetAside } from './set-aside.ts';

const shown = (value: unknown) => cleanForeignText(JSON.stringify(value) ?? 'nothing');

export const texts = {
  wrongPreference: (
    path: string,
    key: string,
    value: unknown,
    allowed: string,
    fallback: unknown,
  ) =>
    `${cleanForeignText(path)}: ${key} is ${shown(value)}, which is not ${allowed}; the default, ${shown(fallback)}, is used. Set it with: sandy-tray config set ${key} VALUE`,
  wrongGroup: (path: string, group: string, value: unknown) =>
    `${cleanForeignText(path)}: ${group} is ${shown(value)}, which is not an object; the defaults are used for all of it. Set its parts with: sandy-tray config set ${group}.KEY VALUE`,
  refusedPreference: (key: string, value: unknown, allowed: string) =>
    `${key} can't be ${shown(value)}. Give it ${allowed}.`,
  unknownPreference: (key: string, keys: readonly string[]) =>
    `There is no preference ${shown(key)}. The keys are: ${keys.join(', ')}.`,
  unreadablePreferences: (path: string, code: string) =>
    `${cleanForeignText(path)} can't be read (${code}); the defaults are used. Make it readable for this user.`,
  brokenPreferences: (path: string, kept: string | null) =>
    kept === null
      ? `${cleanForeignText(path)} is not a JSON object; the defaults are used. Mend it or remove it.`
      : `${cleanForeignText(path)} is not a JSON object; it is kept as ${cleanForeignText(kept)} and the defaults are used. Mend it and move it back.`,
  lostFile: (path: string, unusable: Unusable, kept: SetAside, means: string) =>
    kept.kind === 'kept'
      ? `${cleanForeignText(path)} ${describeUnusable(unusable)}; it is kept as ${cleanForeignText(kept.path)}, and ${means}.`
      : `${cleanForeignText(path)} ${describeUnusable(unusable)} and can't be moved aside (${kept.errorCode}); until it can, nothing is saved in its place, and ${means}. Move it away.`,
  lostLedgerMeans: 'what the log had before is not notified again',
  lostStateMeans: 'the sessions are taken as they are found',
  lostParts: (path: string, count: number, kept: SetAside) =>
    kept.kind === 'kept'
      ? `${cleanForeignText(path)} has ${countParts(count)} that can't be read; a copy is kept as ${cleanForeignText(kept.path)}, and the rest is used.`
      : `${cleanForeignText(path)} has ${countParts(count)} that can't be read and can't be copied (${kept.errorCode}); until it can, nothing is saved in its place, and the rest is used.`,
} as const;

const countParts = (count: number) => (count === 1 ? '1 part' : `${count} parts`);

function describeUnusable(unusable: Unusable): string {
  switch (unusable.why) {
    case 'unreadable':
      return `can't be read (${unusable.errorCode})`;
    case 'broken':
      return 'is damaged';
    case 'newer':
      return 'was written by a newer sandy-tray';
  }
}
