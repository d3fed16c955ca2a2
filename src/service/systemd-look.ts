/** The user's manager of systemd, and what it knows of our units. */

import { isAbsolute, join } from 'node:path';
import { askCommand, type Host, runCommand } from './host.ts';
import { texts } from './texts.ts';

export const AGENT_UNIT = 'sandy-tray.service';
export const UPDATE_UNIT = 'sandy-tray-update.service';
export const TIMER_UNIT = 'sandy-tray-update.timer';
const DESKTOP_TARGET = 'graphical-session.target';

/** The properties of a unit as `systemctl show` prints them; one that is not set is an empty text. */
export interface UnitLook {
  readonly isActive: boolean;
  readonly isFailed: boolean;
  /** As in `enabled`, `disabled`; empty: there is no such unit. */
  readonly fileState: string;
  readonly mainPid: number | null;
  readonly needsReload: boolean;
  /** When a timer is due next, in the manager's own words; empty: never. */
  readonly nextAt: string;
  /** When a service last ended, in the manager's own words; empty: never. */
  readonly endedAt: string;
  readonly exitCode: number;
  readonly result: string;
}

export type SystemdLook =
  | {
      readonly kind: 'reachable';
      readonly agent: UnitLook;
      readonly timer: UnitLook;
      readonly update: UnitLook;
      /** A desktop session runs that systemd knows of. */
      readonly hasDesktop: boolean;
      /** Where the manager reads this user's units. */
      readonly unitFolder: string;
    }
  /** `reason`: its own words, to be cleaned before they are shown. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly unitFolder: string };

const PROPERTIES = [
  'Id',
  'ActiveState',
  'UnitFileState',
  'MainPID',
  'NeedDaemonReload',
  'NextElapseUSecRealtime',
  'ExecMainExitTimestamp',
  'ExecMainStatus',
  'Result',
];

/** Asks the user's manager; changes nothing. */
export async function lookAtSystemd(host: Host): Promise<SystemdLook> {
  const units = [AGENT_UNIT, TIMER_UNIT, UPDATE_UNIT, DESKTOP_TARGET];
  const outcome = await runCommand(host, [
    'systemctl',
    '--user',
    'show',
    `--property=${PROPERTIES.join(',')}`,
    ...units,
  ]);
  if (outcome.kind !== 'exited' || outcome.code !== 0) {
    const reason = outcome.kind === 'exited' ? outcome.stderrTail : texts.noSystemctl(outcome.kind);
    return { kind: 'unreachable', reason, unitFolder: listUnitFolders(host)[0] };
  }
  const looks = parseUnits(outcome.stdout);
  const lookAt = (unit: string) => looks.get(unit) ?? nothing;
  const unitPath = await askCommand(host, ['systemctl', '--user', 'show', '--property=UnitPath']);
  return {
    kind: 'reachable',
    agent: lookAt(AGENT_UNIT),
    timer: lookAt(TIMER_UNIT),
    update: lookAt(UPDATE_UNIT),
    hasDesktop: lookAt(DESKTOP_TARGET).isActive,
    unitFolder: chooseUnitFolder(listUnitFolders(host), unitPath ?? ''),
  };
}

/** The same where there can be one; null on a Mac, which has launchd. */
export async function lookIfSystemd(host: Host): Promise<SystemdLook | null> {
  return host.platform === 'darwin' ? null : await lookAtSystemd(host);
}

/**
 * The folder for configuration that this process has been told of, and the usual one; the manager may have
 * been told of another, or of none.
 */
function listUnitFolders({ environment, home }: Host): readonly [string, ...string[]] {
  const usual = join(home, '.config');
  const told = environment.XDG_CONFIG_HOME;
  const bases = told !== undefined && isAbsolute(told) ? [told, usual] : [usual];
  const [first = usual, ...more] = bases.map((base) => join(base, 'systemd', 'user'));
  return [first, ...more];
}

/** The first that the manager reads, as it says in `UnitPath=`, a list with spaces between. */
function chooseUnitFolder(folders: readonly [string, ...string[]], unitPath: string): string {
  const list = ` ${unitPath.trim().replace(/^UnitPath=/, '')} `;
  return folders.find((folder) => list.includes(` ${folder} `)) ?? folders[0];
}

/** Reads what `systemctl show` prints of several units: blocks of `NAME=VALUE` with empty lines between. */
export function parseUnits(text: string): Map<string, UnitLook> {
  const blocks = text.split(/\n{2,}/).map((block) => {
    const lines = block.split('\n').map((line) => {
      const [name = '', ...rest] = line.split('=');
      return [name, rest.join('=')] as const;
    });
    return new Map(lines);
  });
  return new Map(blocks.map((block) => [block.get('Id') ?? '', describeUnit(block)]));
}

function describeUnit(properties: ReadonlyMap<string, string>): UnitLook {
  const read = (name: string) => properties.get(name) ?? '';
  const state = read('ActiveState');
  const pid = Number(read('MainPID'));
  return {
    isActive: ['active', 'activating', 'reloading'].includes(state),
    isFailed: state === 'failed',
    fileState: read('UnitFileState'),
    mainPid: pid > 0 ? pid : null,
    needsReload: read('NeedDaemonReload') === 'yes',
    nextAt: readInstant(read('NextElapseUSecRealtime')),
    endedAt: readInstant(read('ExecMainExitTimestamp')),
    exitCode: Number(read('ExecMainStatus')),
    result: read('Result'),
  };
}

function readInstant(text: string): string {
  return text === 'n/a' || text === '0' ? '' : text;
}

const nothing = describeUnit(new Map());
