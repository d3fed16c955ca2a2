/**
 * Keeping long commands out of our own systemd unit. When a unit is stopped or restarted, systemd ends
 * whatever is in its control group, a process session of its own or not; a command in a transient scope
 * of the user's manager is in a control group of its own.
 */

import { readFile } from 'node:fs/promises';
import type { DetachedCommand } from './detached.ts';
import { runChild } from './spawning.ts';
import { keepDefined } from './variables.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** How the user's manager is found; what systemd-run needs of our environment. */
const MANAGER_VARIABLES = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'] as const;

const SCOPE = ['--user', '--scope', '--quiet', '--collect'] as const;

/**
 * The ways to ask for a scope, the best one first: systemd-run means to read `$NAME` in arguments as
 * variables one day, and an older one has no option against it and does not do it.
 */
const WAYS: readonly (readonly string[])[] = [[...SCOPE, '--expand-environment=no'], SCOPE];

const PROBE_LIMIT_MS = 5_000;

/**
 * Whether `/proc/PID/cgroup` (cgroups(7)) is that of a process in a unit that is a service. Only
 * systemd's own hierarchies count: the unified one (0) and the one named after it.
 */
export function isInService(cgroup: string): boolean {
  return cgroup
    .split('\n')
    .map((line) => /^(?:0:|\d+:name=systemd):(.*)$/.exec(line)?.[1] ?? '')
    .some((path) => path.endsWith('.service'));
}

/**
 * The same command in a scope of its own. systemd-run passes its own environment on and execs the
 * command in place; of `ownEnvironment` it gets what it needs to reach the manager, where missing.
 */
export function putInScope(
  command: DetachedCommand,
  options: readonly string[],
  ownEnvironment: Variables,
): DetachedCommand {
  const environment = { ...command.environment };
  for (const name of MANAGER_VARIABLES) {
    const value = ownEnvironment[name];
    if (environment[name] === undefined && value !== undefined) environment[name] = value;
  }
  return {
    file: 'systemd-run',
    args: [...options, '--', command.file, ...command.args],
    environment,
  };
}

/**
 * Gives the way in which long commands are to be started: in scopes of their own where this process runs
 * in a service and the user's manager makes one when it is asked, else as they are. `ownEnvironment` is
 * the one of this process. Asks once; takes at most some seconds.
 */
export async function prepareScope(
  ownEnvironment: Variables,
): Promise<(command: DetachedCommand) => DetachedCommand> {
  const asItIs = (command: DetachedCommand) => command;
  if (!(await runsInService())) return asItIs;
  const environment = keepDefined(ownEnvironment);
  for (const options of WAYS) {
    const probe = putInScope({ file: 'true', args: [], environment }, options, ownEnvironment);
    const outcome = await runChild({
      ...probe,
      cwd: '/',
      limitMs: PROBE_LIMIT_MS,
      maxOutputBytes: 64 * 1024,
      killing: 'child',
    });
    if (outcome.kind === 'exited' && outcome.code === 0) {
      return (command) => putInScope(command, options, ownEnvironment);
    }
    // A manager that does not answer will not answer the next question either.
    if (outcome.kind !== 'exited') return asItIs;
  }
  return asItIs;
}

async function runsInService(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    return isInService(await readFile('/proc/self/cgroup', 'utf8'));
  } catch {
    return false;
  }
}
