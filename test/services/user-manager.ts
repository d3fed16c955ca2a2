import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** A `systemd --user` of its own, which sees nothing of the machine's. */
export interface UserManager {
  /** Everything of it is in here; not the units. */
  readonly folder: string;
  /** For programs that are to reach it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a unit and has the manager read it. */
  addUnit(name: string, text: string): Promise<void>;
  /** Runs `systemctl --user` with these arguments and gives what it prints; rejects when it fails. */
  systemctl(...args: string[]): Promise<string>;
  /** Ends it and all that it and its units have started, and removes its folder. */
  end(): Promise<void>;
}

const READY_LIMIT_MS = 20_000;

/**
 * Starts a user's manager. Needs root, systemd and dbus-daemon. It runs on a machine that systemd has not
 * booted: in a mount namespace of its own it finds what says that it has. It is in a control group of its
 * own, by which all that comes from it is found at the end.
 */
export async function startUserManager(): Promise<UserManager> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-manager-')));
  const runtime = join(folder, 'run');
  const home = join(folder, 'home');
  const units = join(home, '.config', 'systemd', 'user');
  mkdirSync(runtime, { mode: 0o700 });
  // It looks for its sockets there before it makes the folder.
  mkdirSync(join(runtime, 'systemd'));
  mkdirSync(units, { recursive: true });
  const environment = {
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(runtime, 'bus')}`,
    PATH: '/usr/bin:/bin',
    LC_ALL: 'C',
  };
  const groups = makeControlGroups(basename(folder));
  const enterGroups = groups.map((group) => `echo $$ > '${join(group, 'cgroup.procs')}'`);
  const log = join(folder, 'manager.log');
  const manager = spawn(
    'unshare',
    [
      '--mount',
      'sh',
      '-ec',
      [
        ...enterGroups,
        'mount -t tmpfs none /run/systemd',
        'mkdir /run/systemd/system',
        `exec systemd --user --log-target=console --log-level=notice > '${log}' 2>&1`,
      ].join('\n'),
    ],
    { env: environment, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const systemctl = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('systemctl', ['--user', ...args], {
      env: environment,
    });
    return stdout;
  };
  const end = async () => {
    await emptyGroups(groups);
    if (isRunning(manager)) await once(manager, 'exit');
    for (const group of groups) removeGroup(group);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await awaitReady(manager, systemctl);
  } catch (error) {
    const said = existsSync(log) ? readFileSync(log, 'utf8') : '';
    await end();
    throw new Error(`systemd --user did not get ready: ${said}`, { cause: error });
  }
  return {
    folder,
    environment,
    async addUnit(name, text) {
      writeFileSync(join(units, name), text);
      await systemctl('daemon-reload');
    },
    systemctl,
    end,
  };
}

async function awaitReady(
  manager: ChildProcess,
  systemctl: (...args: string[]) => Promise<string>,
): Promise<void> {
  const endAt = Date.now() + READY_LIMIT_MS;
  for (;;) {
    try {
      await systemctl('is-active', 'default.target');
      return;
    } catch (error) {
      // Not there yet, or not up yet.
      if (!isRunning(manager) || Date.now() > endAt) throw error;
    }
    await pause(20);
  }
}

const isRunning = ({ pid, exitCode, signalCode }: ChildProcess) =>
  pid !== undefined && exitCode === null && signalCode === null;

/** A new control group in each of the hierarchies that systemd uses: one, or several old ones. */
function makeControlGroups(name: string): string[] {
  const root = '/sys/fs/cgroup';
  const hierarchies = existsSync(join(root, 'cgroup.procs'))
    ? [root]
    : readdirSync(root, { withFileTypes: true })
        // Links are other names of the same ones; a cpuset takes nobody before it is configured.
        .filter((entry) => entry.isDirectory() && entry.name !== 'cpuset')
        .map((entry) => join(root, entry.name));
  return hierarchies.map((hierarchy) => {
    const group = join(hierarchy, name);
    mkdirSync(group);
    return group;
  });
}

/** Kills all that are in these groups and below, again and again until nobody is. */
async function emptyGroups(groups: readonly string[]): Promise<void> {
  for (;;) {
    const pids = new Set(groups.flatMap(listGroup));
    if (pids.size === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    await pause(20);
  }
}

function listGroup(group: string): number[] {
  const own = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
  return [...own.map(Number), ...below(group).flatMap(listGroup)];
}

function removeGroup(group: string): void {
  for (const inner of below(group)) removeGroup(inner);
  rmdirSync(group);
}

const below = (group: string) =>
  readdirSync(group, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(group, name));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
