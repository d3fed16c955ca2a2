/** Service managers that are files, for programs that find them on PATH. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeScript } from '../program.ts';

export interface StandIns {
  /** To be put at the front of PATH. */
  readonly bin: string;
  /** Replaces parts of what the manager knows. */
  set(values: Readonly<Record<string, unknown>>): void;
  readonly state: () => Record<string, never> & { units: Record<string, unknown> };
  /** What was asked since the last call, without looks, as command lines. */
  takeDeeds(): readonly string[];
  /** Whatever was asked since the last call. */
  takeCalls(): readonly string[];
  setCrontab(text: string | null): void;
}

const SCRIPTS = ['systemctl', 'launchctl'] as const;

/** Puts the stand-ins into a folder. `unitFolder`: where systemd finds the units of this user. */
export function makeStandIns(folder: string, unitFolder: string): StandIns {
  const bin = join(folder, 'stand-ins');
  mkdirSync(bin, { recursive: true });
  for (const name of SCRIPTS) {
    const script = join(import.meta.dirname, `stand-in-${name}.mjs`);
    writeScript(join(bin, name), `exec '${process.execPath}' '${script}' '${bin}' "$@"`);
  }
  const table = join(bin, 'table');
  writeScript(join(bin, 'crontab'), `test "$1" = -l && exec cat '${table}'`);
  const statePath = join(bin, 'state.json');
  const state = () => JSON.parse(readFileSync(statePath, 'utf8'));
  const set = (values: object) =>
    writeFileSync(
      statePath,
      JSON.stringify({ ...(existsSync(statePath) ? state() : {}), ...values }),
    );
  set({ unitFolder, units: {}, jobs: {} });
  const log = join(bin, 'calls.log');
  const takeCalls = () => {
    const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
    writeFileSync(log, '');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line).join(' '));
  };
  return {
    bin,
    set,
    state,
    takeCalls,
    takeDeeds: () => takeCalls().filter((call) => !/ (show|print) /.test(call)),
    setCrontab: (text) => writeFileSync(table, text ?? ''),
  };
}

/** Everything under a folder, as path and content, in order. */
export function readTree(folder: string): readonly (readonly [string, string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')] as const);
}
