/** The texts of the service files, from what is known of this machine. */

import { join } from 'node:path';
import {
  escapeForXml,
  isRunnableByDesktop,
  isRunnableBySystemd,
  isWritable,
  quoteForDesktop,
  quoteForExecStart,
  quoteForUnit,
} from './quoting.ts';
import { fillTemplate, type TemplateReader } from './templates.ts';

/** What a service is to know. */
export interface ServiceFacts {
  /** What runs the program: an absolute path, then the arguments before those of a command. */
  readonly program: readonly [string, ...string[]];
  /** The variables that it gets, PATH among them, besides those of the service manager. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  readonly home: string;
  /** Where launchd writes what goes wrong. */
  readonly logs: string;
}

/** When the nightly update runs, and whom it leaves alone. */
export interface Schedule {
  readonly hour: number;
  readonly minute: number;
  /** Sessions that were used in the last so many minutes are left alone. */
  readonly idleMinutes: number;
}

/** A path or a value that no service file of this kind can hold. */
export type Unwritable =
  | { readonly kind: 'unwritable'; readonly text: string }
  | { readonly kind: 'not-runnable'; readonly path: string };

export type ServiceFileKind = 'unit' | 'autostart' | 'plist';

/** What of the facts keeps a file of this kind from being written; null: nothing. */
export function findUnwritable(facts: ServiceFacts, kind: ServiceFileKind): Unwritable | null {
  const values = facts.variables.map(([, value]) => value);
  const wrong = [...facts.program, facts.home, facts.logs, ...values].find(
    (text) => !isWritable(text),
  );
  if (wrong !== undefined) return { kind: 'unwritable', text: wrong };
  const [path] = facts.program;
  const isRunnable =
    kind === 'plist' || (kind === 'unit' ? isRunnableBySystemd(path) : isRunnableByDesktop(path));
  return isRunnable ? null : { kind: 'not-runnable', path };
}

export function composeAgentUnit(read: TemplateReader, facts: ServiceFacts): string {
  return fillTemplate(read('systemd/sandy-tray.service'), describeForUnit(facts));
}

export function composeUpdateUnit(
  read: TemplateReader,
  facts: ServiceFacts,
  { idleMinutes }: Schedule,
): string {
  return fillTemplate(read('systemd/sandy-tray-update.service'), {
    ...describeForUnit(facts),
    IDLE_MINUTES: String(idleMinutes),
  });
}

export function composeUpdateTimer(read: TemplateReader, schedule: Schedule): string {
  return fillTemplate(read('systemd/sandy-tray-update.timer'), { TIME: formatTime(schedule) });
}

/** The autostart entry runs through `env`, as a desktop entry has no variables of its own. */
export function composeAutostart(read: TemplateReader, facts: ServiceFacts): string {
  const words = [
    ...facts.variables.map(([name, value]) => `${name}=${value}`),
    ...facts.program,
    'run',
  ];
  return fillTemplate(read('systemd/sandy-tray.desktop'), {
    COMMAND: ['/usr/bin/env', ...words.map(quoteForDesktop)].join(' '),
  });
}

export function composeAgentPlist(read: TemplateReader, facts: ServiceFacts): string {
  return fillTemplate(
    read('launchd/dev.sandy.tray.plist'),
    describeForPlist(facts, 'agent-errors.log'),
  );
}

export function composeUpdatePlist(
  read: TemplateReader,
  facts: ServiceFacts,
  { hour, minute, idleMinutes }: Schedule,
): string {
  return fillTemplate(read('launchd/dev.sandy.tray.update.plist'), {
    ...describeForPlist(facts, 'update-errors.log'),
    HOUR: String(hour),
    MINUTE: String(minute),
    IDLE_MINUTES: String(idleMinutes),
  });
}

function describeForUnit({ program, variables }: ServiceFacts) {
  const [path, ...args] = program;
  return {
    PROGRAM: [quoteForUnit(path), ...args.map(quoteForExecStart)].join(' '),
    ENVIRONMENT: variables
      .map(([name, value]) => `Environment=${quoteForUnit(`${name}=${value}`)}`)
      .join('\n'),
  };
}

function describeForPlist({ program, variables, home, logs }: ServiceFacts, errors: string) {
  const string = (text: string) => `\t\t<string>${escapeForXml(text)}</string>`;
  return {
    PROGRAM: program.map(string).join('\n'),
    HOME: escapeForXml(home),
    ERRORS: escapeForXml(join(logs, errors)),
    ENVIRONMENT: variables
      .map(([name, value]) => `\t\t<key>${escapeForXml(name)}</key>\n${string(value)}`)
      .join('\n'),
  };
}

/** `04:00`. */
export function formatTime({ hour, minute }: Pick<Schedule, 'hour' | 'minute'>): string {
  return [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Reads `4:00` or `04:00`; null where it is no time of the day. */
export function parseTime(text: string): Pick<Schedule, 'hour' | 'minute'> | null {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match === null ? null : { hour: Number(match[1]), minute: Number(match[2]) };
}

/** What the files of a schedule say, timer and service, or the plist twice; null: they are not ours. */
export function readSchedule(timer: string, service: string): Schedule | null {
  const time =
    /^OnCalendar=\*-\*-\* (\d+):(\d+):00$/m.exec(timer) ??
    /<key>Hour<\/key>\s*<integer>(\d+)<\/integer>\s*<key>Minute<\/key>\s*<integer>(\d+)</.exec(
      timer,
    );
  const idle = /--idle-for(?: |<\/string>\s*<string>)(\d+)/.exec(service);
  if (time === null || idle === null) return null;
  return { hour: Number(time[1]), minute: Number(time[2]), idleMinutes: Number(idle[1]) };
}
