/** PURE: what can be typed after a command, read off the catalogue, so that it is always what help says. */

import type { Command, Commands } from './command.ts';

export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagShape[];
  readonly sessions: 'none' | 'one' | 'many';
  /** Fixed words, one of which may come first. */
  readonly firstWords: readonly string[];
  /** The same, of which none may come before this option. */
  readonly wordsOfFlag: readonly { readonly flag: string; readonly words: readonly string[] }[];
  /** Those of them after which the key of a preference comes. */
  readonly beforePreference: readonly string[];
}

export interface FlagShape {
  /** With its dashes. */
  readonly name: string;
  readonly takesValue: boolean;
  /** For people; '': nothing is said of it. */
  readonly summary: string;
}

const FLAG = /(--[a-z][a-z-]*)( [A-Z:]+\])?/g;

/** Every command, in the order of the catalogue. */
export function readShapes(commands: Commands): readonly CommandShape[] {
  return Object.entries(commands).map(([name, command]) => readShape(name, command));
}

/** The forms of a usage are parted by ` | `; what is left out may stand in brackets. */
function readShape(name: string, { usage, summary, details }: Command): CommandShape {
  const forms = usage.split(' | ').map((form) => readForm(form.slice(name.length)));
  const places = forms.flatMap((form) => form.places);
  const has = (placeholder: string) => places.some((place) => place.includes(placeholder));
  return {
    name,
    summary,
    flags: [...usage.matchAll(FLAG)].map(([, flag = '', value]) => ({
      name: flag,
      takesValue: value !== undefined,
      summary: describeFlag(flag, details),
    })),
    sessions: has('SESSION…') ? 'many' : has('SESSION') ? 'one' : 'none',
    firstWords: forms.filter(({ flag }) => flag === null).flatMap(({ words }) => words),
    wordsOfFlag: forms.flatMap(({ flag, words }) =>
      flag === null || words.length === 0 ? [] : [{ flag, words }],
    ),
    beforePreference: forms.flatMap(({ places: [first = [], second = []] }) =>
      second.includes('KEY') ? first : [],
    ),
  };
}

/** What may come after a command's name, place by place; `flag`: the option without which it is another form. */
function readForm(form: string) {
  const places = form
    .replace(FLAG, '')
    .replaceAll(/[[\]]/g, '')
    .split(/\s+/)
    .map((place) => place.split('|').filter((word) => word !== ''))
    .filter((place) => place.length > 0);
  const [first = []] = places;
  return {
    places,
    flag: /^\s*(--[a-z-]+)/.exec(form)?.[1] ?? null,
    words: first.filter((word) => /^[a-z]/.test(word)),
  };
}

function describeFlag(flag: string, details: readonly string[]): string {
  const pattern = new RegExp(`^${flag}(?: [A-Z:]+)? {2,}(\\S.*)$`);
  return details.flatMap((line) => pattern.exec(line)?.[1] ?? [])[0] ?? '';
}
