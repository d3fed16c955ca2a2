import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as pty from 'node-pty';
import { createFleet, destroyFleet } from '../../fixtures/fake-sandy/fleet.mjs';
import { inMs } from './printing.mjs';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const PAIRS = 20;
const AIMS_MS = { version: 15, status: 300, attach: 60 };
const ATTACHED = 'attached-now';

/**
 * How much longer than a bare Node a command takes: the least of many runs of each, in turn, since
 * noise only adds.
 */
export async function measureStartUp() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-bench-')));
  try {
    const sessions = [{ name: 'a' }, { name: 'b' }];
    const { sandy } = await createFleet(dir, { sessions });
    const env = {
      HOME: dir,
      PATH: '/usr/bin:/bin',
      SANDY_TRAY_DIR: join(dir, 'own'),
      SANDY_TRAY_SANDY: sandy,
    };
    const run = (file, args) => {
      const startedAt = performance.now();
      const { status, stderr } = spawnSync(file, args, { env, encoding: 'utf8' });
      const spentMs = performance.now() - startedAt;
      if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${stderr}`);
      return spentMs;
    };
    const overNode = async (measure) => {
      const pairs = [];
      for (let pair = 0; pair < PAIRS; pair += 1) {
        const bareMs = run(process.execPath, ['-e', '0']);
        pairs.push({ bareMs, fullMs: await measure() });
      }
      const leastOf = (name) => Math.min(...pairs.map((pair) => pair[name]));
      return leastOf('fullMs') - leastOf('bareMs');
    };
    const command = (...args) => run(process.execPath, [PROGRAM, ...args]);
    // The first status asks for sandy's flags and keeps them.
    command('status');
    const versionMs = await overNode(() => command('--version'));
    const statusMs = await overNode(() => command('status', '--json'));
    const attachMs = await withAgent({ ...env, SANDY_TRAY_SANDY: markAttach(dir, sandy) }, (all) =>
      overNode(() => attachOnce(all)),
    );
    const sandyMs = least(() => run(sandy, ['--version']) + run(sandy, ['--print-state']));
    const judge = (what, ms, aimMs) => ({
      what,
      figure: inMs(ms),
      aim: `under ${aimMs} ms`,
      met: ms < aimMs,
    });
    const rows = [
      judge('--version', versionMs, AIMS_MS.version),
      judge('attach with an agent, until sandy --attach runs', attachMs, AIMS_MS.attach),
      judge('status --json, two sessions', statusMs, AIMS_MS.status),
      { what: 'of that, the two calls of fake-sandy', figure: inMs(sandyMs), aim: null, met: null },
    ];
    return { title: `Start-up over bare Node (least of ${PAIRS} pairs)`, rows };
  } finally {
    await destroyFleet(dir);
  }
}

/** A sandy whose client says at once that it was started, and ends. */
function markAttach(dir, sandy) {
  const file = join(dir, 'sandy');
  writeFileSync(
    file,
    `#!/bin/sh\ncase " $* " in *" --attach "*) echo ${ATTACHED} ;; *) exec '${sandy}' "$@" ;; esac\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

/** Calls `measure` while an agent runs in that environment. */
async function withAgent(env, measure) {
  const stdio = ['ignore', 'pipe', 'ignore'];
  const agent = spawn(process.execPath, [PROGRAM, 'run', '--no-tray'], { env, stdio });
  const ended = once(agent, 'exit');
  try {
    await once(agent.stdout, 'data');
    // It watches before it has looked.
    const status = () =>
      spawnSync(process.execPath, [PROGRAM, 'status', '--json'], { env, encoding: 'utf8' });
    while (!status().stdout.includes('"key":"a-')) await pause(100);
    return await measure(env);
  } finally {
    agent.kill();
    await ended;
  }
}

/** How long it takes from the start of a terminal's program until its client runs. */
async function attachOnce(env) {
  const args = [PROGRAM, 'attach', 'a', '--no-reconnect'];
  const startedAt = performance.now();
  const terminal = pty.spawn(process.execPath, args, { env, cwd: env.HOME });
  let output = '';
  let spentMs = null;
  terminal.onData((text) => {
    output += text;
    if (output.includes(ATTACHED)) spentMs ??= performance.now() - startedAt;
  });
  await new Promise((resolve) => terminal.onExit(resolve));
  if (spentMs === null) throw new Error(`attach did not come to its client: ${output}`);
  return spentMs;
}

function least(measure) {
  return Math.min(...Array.from({ length: PAIRS }, measure));
}
