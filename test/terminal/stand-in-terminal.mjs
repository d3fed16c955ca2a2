/**
 * Stands in for a terminal program: `stand-in-terminal.mjs FOLDER NAME KIND ARGS…`. Runs the arguments behind
 * `-e`, `-x` or `--` in a pty, as a terminal does, and keeps in FOLDER what it was started with
 * (NAME.started, a JSON line each) and what its window shows (NAME.PID.screen).
 *
 * KIND: `stays` until its window ends; `server` exits at once and has the window opened by a process with the
 * environment of FOLDER/server.json, as a terminal that runs already; `late` opens it once FOLDER/NAME.go is there.
 */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, name, kind, ...args] = process.argv.slice(2);
const started = {
  pid: process.pid,
  args,
  env: process.env,
  sid: readSession(),
  cwd: process.cwd(),
};
fs.appendFileSync(path.join(folder, `${name}.started`), `${JSON.stringify(started)}\n`);
console.error(`${name} warns of nothing`);

switch (kind) {
  case 'server': {
    const env = JSON.parse(fs.readFileSync(path.join(folder, 'server.json'), 'utf8'));
    const rest = [process.argv[1], folder, `${name}-server`, 'stays', ...args];
    spawn(process.execPath, rest, { detached: true, stdio: 'ignore', env }).unref();
    break;
  }
  case 'late': {
    const timer = setInterval(() => {
      if (!fs.existsSync(path.join(folder, `${name}.go`))) return;
      clearInterval(timer);
      openWindow();
    }, 20);
    break;
  }
  default:
    openWindow();
}

function openWindow() {
  const at = args.findIndex((arg) => ['-e', '-x', '--'].includes(arg));
  const [file, ...rest] = args.slice(at + 1);
  const { spawn: spawnPty } = createRequire(import.meta.url)('node-pty');
  // The updates of tests that run at the same time are no evidence in this window.
  const preload = path.join(import.meta.dirname, '..', 'agent', 'own-processes-preload.mjs');
  const env = {
    SANDY_TRAY_DIR: folder,
    ...process.env,
    TERM: 'xterm-256color',
    NODE_OPTIONS: `--import ${pathToFileURL(preload)}`,
  };
  const window = spawnPty(file, rest, { env, cols: 100, rows: 24 });
  const screen = path.join(folder, `${name}.${process.pid}.screen`);
  window.onData((data) => fs.appendFileSync(screen, data));
  window.onExit(() => process.exit(0));
}

function readSession() {
  return Number(
    fs
      .readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[3],
  );
}
