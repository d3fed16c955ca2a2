/** What a terminal is run with. */

import { hasDisplay } from '../system/display.ts';
import { runChild } from '../system/spawning.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What belongs to the process that opens and says something wrong of a window: how its Node runs, npm's
 * script variables, the terminal and tmux that it is in, the service manager's ids, one-time start
 * tokens, and what leads to our own folders, which the ticket carries.
 */
const OPENERS_OWN = [
  /^NODE_/,
  /^npm_/,
  /^INIT_CWD$/,
  /^TMUX/,
  /^(TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|COLORTERM|WINDOWID|COLUMNS|LINES)$/,
  /^(INVOCATION_ID|JOURNAL_STREAM|NOTIFY_SOCKET|SYSTEMD_EXEC_PID|MAINPID|MANAGERPID)$/,
  /^(LISTEN_FDS|LISTEN_PID|LISTEN_FDNAMES|WATCHDOG_PID|WATCHDOG_USEC|MEMORY_PRESSURE_\w+)$/,
  /^(XDG_ACTIVATION_TOKEN|DESKTOP_STARTUP_ID)$/,
  /^SANDY_TRAY_/,
];

/**
 * The environment of a terminal. `activationToken` is the desktop's leave to take the focus. The
 * language is UTF-8: a C locale makes some terminals fail and others garble what is shown.
 */
export function composeWindowEnvironment(
  environment: Environment,
  activationToken: string | null,
): Record<string, string> {
  const kept = Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !OPENERS_OWN.some((pattern) => pattern.test(entry[0])),
    ),
  );
  const { LC_ALL, LC_CTYPE, LANG } = kept;
  if (!/utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '')) {
    // These two would win over LANG.
    delete kept.LC_ALL;
    delete kept.LC_CTYPE;
    kept.LANG = 'C.UTF-8';
  }
  if (activationToken !== null) {
    kept.XDG_ACTIVATION_TOKEN = activationToken;
    kept.DESKTOP_STARTUP_ID = activationToken;
  }
  return kept;
}

/** What a desktop tells its service manager and a terminal needs. */
const DESKTOP_VARIABLES: ReadonlySet<string> = new Set([
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_CURRENT_DESKTOP',
  'XDG_SESSION_DESKTOP',
  'XDG_SESSION_TYPE',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'DESKTOP_SESSION',
]);

const ANSWER_LIMIT_MS = 3_000;

/**
 * On Linux, the environment with the display that the service manager knows of, where there is none in
 * it: a service may have been started before the desktop told.
 */
export async function addDesktop(
  environment: Environment,
  platform: NodeJS.Platform,
): Promise<Environment> {
  if (platform !== 'linux' || hasDisplay(environment)) return environment;
  const outcome = await runChild({
    file: 'systemctl',
    args: ['--user', 'show-environment'],
    environment: composeWindowEnvironment(environment, null),
    cwd: '/',
    limitMs: ANSWER_LIMIT_MS,
    maxOutputBytes: 1024 * 1024,
    killing: 'group',
  });
  if (outcome.kind !== 'exited' || outcome.code !== 0) return environment;
  const found = readShownEnvironment(outcome.stdout);
  const missing = [...found].filter(
    ([name]) => DESKTOP_VARIABLES.has(name) && (environment[name] ?? '') === '',
  );
  return { ...environment, ...Object.fromEntries(missing) };
}

/** Reads what `systemctl show-environment` prints; a value with special characters is `$'…'`. */
export function readShownEnvironment(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, unquote(value));
  }
  return found;
}

const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function unquote(value: string): string {
  const [, quoted] = /^\$'(.*)'$/s.exec(value) ?? [];
  if (quoted === undefined) return value;
  const bytes: Buffer[] = [];
  for (const [piece, escaped] of quoted.matchAll(/\\(x[0-9a-f]{2}|[0-7]{3}|.)|[^\\]+/gis)) {
    bytes.push(Buffer.from(escaped === undefined ? piece : decodeEscaped(escaped)));
  }
  return Buffer.concat(bytes).toString();
}

function decodeEscaped(escaped: string): string | Uint8Array {
  if (/^x..$/i.test(escaped)) return Uint8Array.of(Number.parseInt(escaped.slice(1), 16));
  if (/^[0-7]{3}$/.test(escaped)) return Uint8Array.of(Number.parseInt(escaped, 8) & 0xff);
  return LETTERS[escaped] ?? escaped;
}
