import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandy, type Sandy, type SandyOptions } from '../../src/sandy/client.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';

const captures = join(import.meta.dirname, '../captures');

/** A home folder with a script in sandy's place and one in docker's, where both usually are. */
export interface StandIn {
  readonly home: string;
  readonly path: string;
  readonly environment: Record<string, string>;
  /** What the script was asked so far, one line a call. */
  readAsked(): string[];
  /** Puts another script in its place, as an upgrade does. */
  replace(answers: Answers): void;
}

/** What the script does for each question: lines of `/bin/sh`. */
export interface Answers {
  readonly version?: string;
  readonly schema?: string;
  readonly state?: string;
}

/** The answers of a real sandy, from its captures. */
export function answerLike(version: string, more: Answers = {}): Answers {
  const folder = join(captures, version);
  return {
    version: `cat '${folder}/version.txt'`,
    schema: `cat '${folder}/print-schema.json'`,
    state: `if [ "$2" = light ]; then mode=light; else mode=full; fi; cat "${folder}/print-state-$mode.fleet.json"`,
    ...more,
  };
}

/** Makes one; it goes when the test ends. */
export function makeStandIn(answers: Answers): StandIn {
  const home = makeScratchFolder();
  const path = join(home, '.local/bin/sandy');
  const log = join(home, 'asked');
  const replace = ({ version = '', schema = '', state = '' }: Answers) => {
    writeScript(
      path,
      `echo "$*" >> '${log}'
case "$1" in
--version) ${version || ':'} ;;
--print-schema) ${schema || ':'} ;;
--print-state) ${state || ':'} ;;
esac`,
    );
  };
  replace(answers);
  writeScript(join(home, '.local/bin/docker'), '');
  return {
    home,
    path,
    environment: { HOME: home, PATH: '/usr/bin:/bin' },
    readAsked: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
    replace,
  };
}

/** A client of a stand-in, as a person's terminal would have it: no login shell is asked. */
export function makeClient(standIn: StandIn, more: Partial<SandyOptions> = {}): Sandy {
  return createSandy({
    sandyPath: null,
    stateFolder: null,
    environment: standIn.environment,
    onTerminal: true,
    ...more,
  });
}
