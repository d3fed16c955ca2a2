/** The environment that sandy is run with: what the person's own terminal would give it. */

import { isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string>>;
type GivenEnvironment = Readonly<Record<string, string | undefined>>;

/** Set for a login shell that we ask; whoever finds it must not ask another. */
export const ASKING_VARIABLE = 'SANDY_TRAY_ASKING_LOGIN_SHELL';

/**
 * What belongs to this process and means nothing, or something wrong, to another one: how our own
 * Node runs, npm's script variables, the service manager's ids and sockets, and a desktop's one-time
 * start tokens. DOCKER_*, SANDY_*, XDG_*, SSH_AUTH_SOCK, proxies and credentials stay.
 */
const OWN_VARIABLES = [
  /^NODE_/,
  /^npm_/,
  /^INIT_CWD$/,
  /^ELECTRON_RUN_AS_NODE$/,
  /^(INVOCATION_ID|JOURNAL_STREAM|SYSTEMD_EXEC_PID|MAINPID|MANAGERPID|NOTIFY_SOCKET)$/,
  /^(LISTEN_FDS|LISTEN_PID|LISTEN_FDNAMES|WATCHDOG_PID|WATCHDOG_USEC|MEMORY_PRESSURE_\w+)$/,
  /^(XPC_SERVICE_NAME|XPC_FLAGS)$/,
  /^(DESKTOP_STARTUP_ID|XDG_ACTIVATION_TOKEN)$/,
];

/** What a shell says about itself, and what only we told it. */
const SHELL_VARIABLES = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'TERM', ASKING_VARIABLE]);

/** Of those, what a child must hear from us. */
const PASSED_ON = new Set(['TERM', ASKING_VARIABLE]);

/** Set on purpose for this process (by a unit file, a test, a person): these win over the profile. */
const DELIBERATE = /^(SANDY|DOCKER)_/;

/** Without these no script runs, however bare the rest of PATH is. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Where sandy and docker are usually installed; none of it is on the PATH of launchd or cron. */
export function listUsualFolders(home: string): string[] {
  return [
    join(home, '.local/bin'),
    join(home, 'bin'),
    '/opt/homebrew/bin',
    '/usr/local/bin',
    join(home, '.orbstack/bin'),
    join(home, '.docker/bin'),
    join(home, '.rd/bin'),
    '/opt/local/bin',
    '/Applications/Docker.app/Contents/Resources/bin',
  ];
}

/** This process's environment without what is only its own. */
export function dropOwnVariables(given: GivenEnvironment): Environment {
  const kept = Object.entries(given).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !OWN_VARIABLES.some((pattern) => pattern.test(entry[0])),
  );
  return Object.fromEntries(kept);
}

/**
 * Joins this process's environment (`own`) and the login shell's (`login`, null when it wasn't asked
 * or gave no answer). The login shell's is the base, since its answer holds all of `own` and what the
 * person's profile adds; deliberate variables of `own` win. PATH is the shell's, then ours, then the
 * usual folders, then the system's; relative folders are dropped, as they would mean another place
 * for each caller.
 */
export function composeEnvironment(
  own: Environment,
  login: Environment | null,
  home: string,
): Environment {
  const base = Object.entries(login ?? own).filter(([name]) => !SHELL_VARIABLES.has(name));
  const ours = Object.entries(own).filter(([name]) => DELIBERATE.test(name) || PASSED_ON.has(name));
  return {
    ...Object.fromEntries([...base, ...ours]),
    HOME: login?.HOME ?? own.HOME ?? home,
    PATH: [
      ...new Set([
        ...splitPath(login?.PATH),
        ...splitPath(own.PATH),
        ...listUsualFolders(home),
        ...SYSTEM_FOLDERS,
      ]),
    ].join(':'),
  };
}

/** The absolute folders of a PATH, in order. */
export function splitPath(path: string | undefined): string[] {
  return (path ?? '').split(':').filter((folder) => isAbsolute(folder));
}

/**
 * What to make a login shell run: it prints each variable of its environment between random marks, so
 * that whatever else a profile prints is no trouble. awk is asked because sandy needs it anyway and
 * `env -0` is not everywhere; `/usr/bin/env` goes around an alias or function of the same name. The
 * marks are put together by awk, so that a shell which echoes its commands prints none.
 */
export function writeLoginQuestion(mark: string): string {
  const program = [
    `printf "%s", "<" "${mark}"`,
    `for (name in ENVIRON) printf "%s=%s%s", name, ENVIRON[name], "|" "${mark}"`,
    `printf "%s", ">" "${mark}"`,
  ].join('; ');
  return `/usr/bin/env awk 'BEGIN { ${program} }'`;
}

/** Reads the answer to {@link writeLoginQuestion}; null when it isn't complete. */
export function parseLoginAnswer(output: string, mark: string): Environment | null {
  const start = output.indexOf(`<${mark}`);
  const end = output.indexOf(`>${mark}`, start + 1);
  if (start < 0 || end < 0) return null;
  const variables = output.slice(start + mark.length + 1, end).split(`|${mark}`);
  const named = variables.flatMap((variable) => {
    const equals = variable.indexOf('=');
    return equals > 0 ? [[variable.slice(0, equals), variable.slice(equals + 1)] as const] : [];
  });
  // Every shell exports PATH: without one this is no environment.
  const environment = Object.fromEntries(named);
  return environment.PATH === undefined ? null : environment;
}

/**
 * Whether the login shell must be asked for its environment (it costs up to 4 s). A process on a
 * terminal has a login environment already and needs no second one, unless it lacks a program. One
 * that runs inside a login shell's own profile must never ask, or it would start itself for ever.
 */
export function needsLoginShell(situation: {
  readonly onTerminal: boolean;
  readonly programsFound: boolean;
  readonly insideLoginShell: boolean;
}): boolean {
  if (situation.insideLoginShell) return false;
  return !situation.onTerminal || !situation.programsFound;
}
