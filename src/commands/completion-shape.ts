/** PURE: what can be typed after a command, read off the catalogue, so that it is always what help says. */

import type { Command, Commands } from './command.ts';

export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagShape[];
  readonly sessions: 'none' | 'one' | 'many';
  /** Fixed words, one of which may come first. */
  readonly firstWords: readonly string[];
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

const FLAG = /(--[a-z][a-z-]*)( [A-Z]+\])?/g;

/** Every command, in the order of the catalogue. */
export function readShapes(commands: Commands): readonly CommandShape[] {
  return Object.entries(commands).map(([name, command]) => readShape(name, command));
}

/** The forms of a usage are parted by ` | `; what is left out may stand in brackets. */
function readShape(name: string, { usage, summary, details }: Command): CommandShape {
  const forms = usage.split(' | ').map((form) =>
    form
      .slice(name.length)
      .replace(FLAG, '')
      .replaceAll(/[[\]]/g, '')
      .split(/\s+/)
      .map((place) => place.split('|').filter((word) => word !== ''))
      .filter((place) => place.length > 0),
  );
  const places = forms.flat();
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
    firstWords: forms.flatMap(([first = []]) => first.filter((word) => /^[a-z]/.test(word))),
    beforePreference: forms.flatMap(([first = [], second = []]) =>
      second.includes('KEY') ? first : [],
    ),
  };
}

function describeFlag(flag: string, details: readonly string[]): string {
  const pattern = new RegExp(`^${flag}(?: [A-Z]+)? {2,}(\\S.*)$`);
  return details.flatMap((line) => pattern.exec(line)?.[1] ?? [])[0] ?? '';
}
