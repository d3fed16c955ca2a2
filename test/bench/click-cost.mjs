import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import dbus from 'dbus-native';
import { createFleet, NO_DELAYS, readCalls } from '../../fixtures/fake-sandy/fleet.mjs';
import { explain, judge, until, withAgent, withFolder } from './agent-cost.mjs';
import { startServer } from './notification-server.mjs';
import { inMs, medianOf } from './printing.mjs';
import { buildParts } from './pure-parts.mjs';

const ROUNDS = 5;
const AIM_MS = 600;
const TERMINAL = '/usr/bin/xterm';
const DISPLAY_SERVER = '/usr/bin/Xvfb';

/** From a click on a banner to sandy's attach in a window of its own. Linux with an X server only. */
export async function measureClickCost() {
  const title = `A click on a banner, in xterm (median of ${ROUNDS})`;
  const isHere = [TERMINAL, DISPLAY_SERVER].every((path) => existsSync(path));
  if (process.platform !== 'linux' || !isHere) return { title, rows: [] };
  return withFolder(async (dir) => {
    const screen = await startScreen();
    const socket = join(dir, 'bus');
    const broker = dbus.createBroker();
    await new Promise((settle, fail) => {
      broker.listen({ socket }, (error) => (error === null ? settle() : fail(error)));
    });
    const built = join(dir, 'parts.mjs');
    await buildParts(`export { connectBus } from './system/dbus-connection.ts';`, built);
    const { connectBus } = await import(pathToFileURL(built).href);
    const variables = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}`, DISPLAY: screen.display };
    const server = await startServer(connectBus(variables, 1));
    try {
      const alone = await measureTerminal(dir, variables);
      const clicks = await measureClicks(dir, variables, server);
      return {
        title,
        rows: [
          judge(
            'click to sandy’s attach, over the terminal’s own start',
            clicks - alone,
            AIM_MS,
            inMs,
          ),
          explain('  of that, measured', inMs(clicks)),
          explain('  the terminal alone, to the first command in it', inMs(alone)),
        ],
      };
    } finally {
      await server.close();
      await new Promise((settle) => broker.close(() => settle()));
      screen.kill();
    }
  });
}

/** @returns {Promise<{ display: string, kill: () => void }>} */
async function startScreen() {
  const x = spawn(
    DISPLAY_SERVER,
    ['-displayfd', '1', '-screen', '0', '900x700x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const [number] = await new Promise((resolve) => {
    x.stdout.setEncoding('utf8').once('data', (text) => resolve(text.split('\n')));
  });
  return { display: `:${number}`, kill: () => x.kill('SIGKILL') };
}

async function measureTerminal(dir, variables) {
  const file = join(dir, 'came');
  const figures = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rmSync(file, { force: true });
    const startedAt = Date.now();
    const terminal = spawn(TERMINAL, ['-e', '/bin/sh', '-c', `date +%s%3N > '${file}'; sleep 9`], {
      env: { ...process.env, ...variables },
      stdio: 'ignore',
    });
    await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('\n'));
    figures.push(Number(readFileSync(file, 'utf8')) - startedAt);
    terminal.kill('SIGKILL');
  }
  return medianOf(figures);
}

async function measureClicks(dir, variables, server) {
  const fleetDir = join(dir, 'fleet');
  const fleet = await createFleet(fleetDir, {
    delays: NO_DELAYS,
    sessions: [{ name: 'a', supervisor: false, stale: true }],
  });
  const env = {
    HOME: dir,
    PATH: `${fleet.dockerFolder}:/usr/bin:/bin`,
    SANDY_TRAY_DIR: join(dir, 'own'),
    SANDY_TRAY_SANDY: fleet.sandy,
    ...variables,
  };
  mkdirSync(env.SANDY_TRAY_DIR, { mode: 0o700 });
  const settings = { terminal: 'xterm', settleSeconds: 5, pollFullSeconds: 60 };
  writeFileSync(join(env.SANDY_TRAY_DIR, 'config.json'), JSON.stringify(settings));
  const attaches = () => readCalls(fleetDir).filter(({ argv }) => argv[0] === '--attach');
  return withAgent(env, ['--no-tray'], async () => {
    const log = join(env.SANDY_TRAY_DIR, 'log.jsonl');
    await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('baseline'));
    spawn(fleet.sandy, ['--update-sessions', '--yes'], { env, stdio: 'ignore' });
    await until(() => server.shown().length > 0);
    const figures = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = attaches().length;
      const clickedAt = Date.now();
      server.click(server.shown()[0]);
      await until(() => attaches().length > before);
      const { at, pid, ppid } = attaches()[before];
      figures.push(at - clickedAt);
      // The terminal's own process first: it would attach again.
      for (const one of [ppid, pid]) process.kill(one, 'SIGKILL');
      await pause(1_000);
    }
    return medianOf(figures);
  });
}
