import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isAlive, type ProcessIdentity } from '../../src/system/process-identity.ts';
import { type Bundle, bundleScript } from '../node-script.ts';
import { startUserManager, type UserManager } from './user-manager.ts';

let manager: UserManager;
let toy: Bundle;
beforeAll(async () => {
  toy = await bundleScript(join(import.meta.dirname, 'toy-service.ts'));
  manager = await startUserManager();
});
afterAll(async () => {
  await manager?.end();
  toy?.remove();
});

/** Starts the toy as a service; gives the long command once that runs. */
async function startToy(name: string, variables: Readonly<Record<string, string>> = {}) {
  const folder = join(manager.folder, name);
  mkdirSync(folder);
  const outputPath = join(folder, 'output.log');
  const request = {
    file: '/bin/sh',
    // What systemd would put something in the place of, if it took it for its own.
    args: ['-c', 'echo "$@" "$A" "$PATH"; exec sleep 1000', 'sh', '$HOME', '%h', '--scope', 'a; b'],
    environment: { PATH: '/usr/bin:/bin', A: '1 2' },
    cwd: folder,
    outputPath,
  };
  writeFileSync(join(folder, 'request.json'), JSON.stringify(request));
  const environment = Object.entries(variables).map(
    ([key, value]) => `Environment=${key}=${value}`,
  );
  await manager.addUnit(
    `${name}.service`,
    `[Service]
Type=exec
ExecStart=${process.execPath} ${toy.file} ${folder}
KillMode=control-group
Restart=always
RestartSec=0
${environment.join('\n')}
`,
  );
  await manager.systemctl('start', `${name}.service`);
  await awaitLives(folder, 1);
  const outcome = JSON.parse(readFileSync(join(folder, 'outcome.json'), 'utf8'));
  expect(outcome).toMatchObject({ kind: 'started' });
  const identity: ProcessIdentity = outcome.process;
  // From then on it is no longer on its way into its scope.
  await vi.waitFor(() => expect(readOf(identity, 'cmdline')).toBe('sleep\x001000\0'), {
    timeout: 20_000,
  });
  return {
    identity,
    output: readFileSync(outputPath, 'utf8'),
    /** Has the manager end this life of the service and begin another. */
    async restart(how: 'restart' | 'kill') {
      if (how === 'restart') await manager.systemctl('restart', `${name}.service`);
      else await manager.systemctl('kill', '--kill-who=main', '--signal=KILL', `${name}.service`);
      await awaitLives(folder, 2);
    },
  };
}

async function awaitLives(folder: string, count: number): Promise<void> {
  const path = join(folder, 'lives');
  await vi.waitFor(
    () => expect(existsSync(path) && readFileSync(path, 'utf8').split('\n').length).toBe(count + 1),
    { timeout: 20_000 },
  );
}

const readOf = ({ pid }: ProcessIdentity, file: string) =>
  readFileSync(`/proc/${pid}/${file}`, 'utf8');

const WAYS = ['restart', 'kill'] as const;

test.each(WAYS)(
  'a long command survives the end of the service that started it (%s)',
  async (how) => {
    const { identity, output, restart } = await startToy(`scoped-${how}`);
    expect(output).toBe('$HOME %h --scope a; b 1 2 /usr/bin:/bin\n');
    expect(readOf(identity, 'cgroup')).toMatch(/\.scope$/m);
    await restart(how);
    expect(await isAlive(identity)).toBe(true);
    process.kill(identity.pid, 'SIGKILL');
    // Nothing of it stays with the manager.
    await vi.waitFor(
      async () =>
        expect(await manager.systemctl('list-units', '--all', '*.scope')).not.toContain('run-'),
      { timeout: 20_000 },
    );
  },
);

test.each(WAYS)(
  'without a scope it is started all the same, and ends with the service (%s)',
  async (how) => {
    const { identity, output, restart } = await startToy(`unscoped-${how}`, {
      XDG_RUNTIME_DIR: '/no/such/folder',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/no/such/bus',
    });
    expect(output).toBe('$HOME %h --scope a; b 1 2 /usr/bin:/bin\n');
    expect(readOf(identity, 'cgroup')).toMatch(/unscoped-\w+\.service$/m);
    await restart(how);
    expect(await isAlive(identity)).toBe(false);
  },
);
