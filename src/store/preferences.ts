import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { NoticeSettings } from '../fleet/events.ts';
import type { WindowSettings } from '../fleet/windows.ts';
import { isJsonObject } from '../system/json-object.ts';
import { COMMAND_PLACE, type TerminalSetting, terminalNames } from '../system/terminal-names.ts';
import { setAside } from './set-aside.ts';
import { texts } from './texts.ts';

/** What a person can set, with the defaults filled in. */
export interface Preferences extends WindowSettings {
  readonly sandyPath: string | null;
  readonly terminal: TerminalSetting;
  readonly notify: NoticeSettings & { readonly failedInQuietHours: boolean };
  readonly tray: TrayChoice;
  /** `HH:MM-HH:MM`, local time; null: never quiet. */
  readonly quietHours: string | null;
}

/** Which kind of tray; `auto` takes what the desktop has. */
const trayChoices = ['auto', 'status-notifier', 'systray', 'jxa', 'off'] as const;
export type TrayChoice = (typeof trayChoices)[number];

/** One preference: its default, what is allowed, and the same in words. */
interface Preference {
  readonly fallback: unknown;
  readonly schema: z.ZodMiniType<unknown>;
  readonly allowed: string;
}

const hour = '([01]\\d|2[0-3]):[0-5]\\d';

/** Every key of config.json that this version knows, in the order in which people see them. */
const known: Readonly<Record<string, Preference>> = {
  sandyPath: {
    fallback: null,
    schema: z.nullable(z.string().check(z.startsWith('/'))),
    allowed: 'an absolute path, or null to look for sandy',
  },
  pollFullSeconds: wholeNumber(900, 60, 86_400),
  returnWindowSeconds: wholeNumber(90, 10, 600),
  watchMinutes: wholeNumber(15, 1, 60),
  settleSeconds: wholeNumber(60, 5, 600),
  terminal: {
    fallback: null,
    schema: z.union([
      z.null(),
      z.enum(terminalNames),
      z
        .array(
          z.string().check(
            z.minLength(1),
            z.refine((element) => !element.includes('\0')),
          ),
        )
        .check(z.refine(holdsCommandOnce)),
    ]),
    allowed: `null to take the one that is there, a name (${terminalNames.join(', ')}), or a list such as ["kitty","--hold","--","${COMMAND_PLACE}"] in which one element after the first is "${COMMAND_PLACE}"`,
  },
  tray: {
    fallback: 'auto',
    schema: z.enum(trayChoices),
    allowed: `one of ${trayChoices.join(', ')}`,
  },
  'notify.overnight': onOff(true),
  'notify.late': onOff(true),
  'notify.failed': onOff(true),
  'notify.back': onOff(true),
  'notify.ended': onOff(false),
  'notify.progress': onOff(false),
  'notify.failedInQuietHours': onOff(true),
  quietHours: {
    fallback: null,
    schema: z.nullable(z.string().check(z.regex(new RegExp(`^${hour}-${hour}$`)))),
    allowed: 'a time span such as "22:00-07:30", or null',
  },
};

export const preferenceKeys: readonly string[] = Object.keys(known);

/** What dotted keys stand under in the file. */
const groups: ReadonlySet<string> = new Set(
  preferenceKeys.filter((key) => key.includes('.')).map((key) => key.slice(0, key.indexOf('.'))),
);

export const configFileName = 'config.json';

/** What config.json says; `problems` are sentences for the person, each a value that is not used. */
export interface PreferencesRead {
  readonly preferences: Preferences;
  /** By key, defaults filled in. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly string[];
}

/**
 * Reads config.json of the config folder. A value that is wrong costs that value; a file that can't be
 * parsed is kept under another name (`config.json.bad`) and the defaults are used.
 */
export function readPreferences(folder: string): PreferencesRead {
  const path = join(folder, configFileName);
  const file = readObject(path);
  const problems = file.problem === null ? [] : [file.problem];
  const values = new Map<string, unknown>();
  for (const group of groups) {
    const value = valueAt(file.object, group);
    if (value !== undefined && !isJsonObject(value)) {
      problems.push(texts.wrongGroup(path, group, value));
    }
  }
  for (const [key, preference] of Object.entries(known)) {
    const value = valueAt(file.object, key);
    if (value === undefined) {
      values.set(key, preference.fallback);
    } else if (preference.schema.safeParse(value).success) {
      values.set(key, value);
    } else {
      problems.push(
        texts.wrongPreference(path, key, value, preference.allowed, preference.fallback),
      );
      values.set(key, preference.fallback);
    }
  }
  return { preferences: gather(values), values, problems };
}

/** Whether `value` may stand under `key`, or one sentence on what is wrong and one on what to do. */
export function checkPreference(
  key: string,
  value: unknown,
): { readonly kind: 'fine' } | { readonly kind: 'refused'; readonly text: string } {
  const preference = Object.hasOwn(known, key) ? known[key] : undefined;
  if (preference === undefined) {
    return { kind: 'refused', text: texts.unknownPreference(key, preferenceKeys) };
  }
  if (preference.schema.safeParse(value).success) return { kind: 'fine' };
  return { kind: 'refused', text: texts.refusedPreference(key, value, preference.allowed) };
}

/**
 * Writes one preference; other keys, unknown ones too, stay as they are. The caller has checked it.
 * Throws what the file system throws (a full or read-only disk).
 */
export async function writePreference(folder: string, key: string, value: unknown): Promise<void> {
  const { default: Conf } = await import('conf');
  const config = new Conf({ cwd: folder, configName: 'config', configFileMode: 0o600 });
  config.set(key, value);
}

function gather(values: ReadonlyMap<string, unknown>): Preferences {
  const nested: Record<string, unknown> = { notify: {} };
  for (const [key, value] of values) {
    const [first = '', second] = key.split('.');
    if (second === undefined) nested[first] = value;
    else (nested[first] as Record<string, unknown>)[second] = value;
  }
  // Each value has passed its own schema or is its default.
  return nested as unknown as Preferences;
}

function valueAt(object: Record<string, unknown>, key: string): unknown {
  let value: unknown = object;
  for (const part of key.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

function readObject(path: string): { object: Record<string, unknown>; problem: string | null } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const problem = code === 'ENOENT' ? null : texts.unreadablePreferences(path, code);
    return { object: {}, problem };
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { object: value, problem: null };
  } catch {
    // Kept aside below, as any other text that is no JSON object.
  }
  const kept = setAside(path);
  const keptAs = kept.kind === 'kept' ? kept.path : null;
  return { object: {}, problem: texts.brokenPreferences(path, keptAs) };
}

/** An element that only contains it would be given to the terminal as it is, or to a shell. */
function holdsCommandOnce([program, ...rest]: readonly string[]): boolean {
  if (program === undefined || program.includes(COMMAND_PLACE)) return false;
  const places = rest.filter((element) => element.includes(COMMAND_PLACE));
  return places.length === 1 && places[0] === COMMAND_PLACE;
}

function wholeNumber(fallback: number, least: number, most: number): Preference {
  return {
    fallback,
    schema: z.int().check(z.minimum(least), z.maximum(most)),
    allowed: `a whole number from ${least} to ${most}`,
  };
}

function onOff(fallback: boolean): Preference {
  return { fallback, schema: z.boolean(), allowed: 'true or false' };
}
