import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFleet, destroyFleet } from '../../fixtures/fake-sandy/fleet.mjs';
import { inMs } from './printing.mjs';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const PAIRS = 20;
const AIMS_MS = { version: 30, status: 300 };

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
    const overNode = (measure) => {
      const pairs = Array.from({ length: PAIRS }, () => ({
        bareMs: run(process.execPath, ['-e', '0']),
        fullMs: measure(),
      }));
      const leastOf = (name) => Math.min(...pairs.map((pair) => pair[name]));
      return leastOf('fullMs') - leastOf('bareMs');
    };
    const command = (...args) => run(process.execPath, [PROGRAM, ...args]);
    // The first status asks for sandy's flags and keeps them.
    command('status');
    const versionMs = overNode(() => command('--version'));
    const statusMs = overNode(() => command('status', '--json'));
    const sandyMs = least(() => run(sandy, ['--version']) + run(sandy, ['--print-state']));
    const judge = (what, ms, aimMs) => ({
      what,
      figure: inMs(ms),
      aim: `under ${aimMs} ms`,
      met: ms < aimMs,
    });
    const rows = [
      judge('--version', versionMs, AIMS_MS.version),
      judge('status --json, two sessions', statusMs, AIMS_MS.status),
      { what: 'of that, the two calls of fake-sandy', figure: inMs(sandyMs), aim: null, met: null },
    ];
    return { title: `Start-up over bare Node (least of ${PAIRS} pairs)`, rows };
  } finally {
    await destroyFleet(dir);
  }
}

function least(measure) {
  return Math.min(...Array.from({ length: PAIRS }, measure));
}
