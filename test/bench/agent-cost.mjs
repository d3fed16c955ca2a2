import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createFleet, destroyFleet, readCalls } from '../../fixtures/fake-sandy/fleet.mjs';
import { inMs } from './printing.mjs';
import { makeStateTexts } from './state-texts.mjs';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const MB = 1024 * 1024;

/** Three full polls at their usual distance of 15 min, and the ticks between them, in a quarter of a minute. */
const IDLE_SCALE = 180;
const IDLE_POLLS = 3;

/** A poll about every 3 ms, besides what it takes. */
const MANY_SCALE = 20_000;
const MANY = { from: 100, to: 10_000, limitMs: 180_000 };

const PAIRS = 20;
const AIMS = { share: 0.0005, wakeUps: 0.5, rssMb: 60, statusMs: 60, growthMb: 5 };

/** What the agent costs while nothing happens. Reads `/proc`, so that there are figures on Linux only. */
export async function measureAgentCost() {
  const title = 'The agent, as a process of its own';
  if (process.platform !== 'linux') return { title, rows: [] };
  return {
    title,
    rows: [...(await measureIdle({}, ['--no-tray'], true)), ...(await measureManyPolls())],
  };
}

/**
 * @param {Record<string, string>} variables for the agent
 * @param {readonly string[]} args of `run`
 * @param {boolean} alsoStatus how long a status takes, too
 */
export async function measureIdle(variables, args, alsoStatus) {
  return withFolder(async (dir) => {
    const { sandy, dockerFolder } = await createFleet(join(dir, 'fleet'), {
      sessions: [{ name: 'a' }, { name: 'b' }],
    });
    const env = {
      HOME: dir,
      PATH: `${dockerFolder}:/usr/bin:/bin`,
      SANDY_TRAY_DIR: join(dir, 'own'),
      SANDY_TRAY_SANDY: sandy,
      ...variables,
    };
    const polls = () =>
      readCalls(join(dir, 'fleet')).filter(
        ({ argv, code }) => argv[0] === '--print-state' && code !== null,
      ).length;
    try {
      const scaled = { ...env, SANDY_TRAY_TIME_SCALE: String(IDLE_SCALE) };
      return await withAgent(scaled, args, async (pid) => {
        await until(() => polls() > 0);
        const [before, startedAt, first] = [readCost(pid), performance.now(), polls()];
        await until(() => polls() >= first + IDLE_POLLS);
        const [after, wallMs] = [readCost(pid), performance.now() - startedAt];
        const idleS = (wallMs / 1000) * IDLE_SCALE;
        const cpuS = after.cpuS - before.cpuS;
        const switches = after.switches - before.switches;
        const { length: sessions } = await statusOf(env);
        return [
          judge(
            `CPU, idle, ${IDLE_POLLS} polls of ${sessions} sessions in ${(idleS / 60).toFixed(0)} min`,
            cpuS / idleS,
            AIMS.share,
            inPercent,
          ),
          explain('  of that, measured', `${cpuS.toFixed(2)} s`),
          explain(
            '  and of its children (fake-sandy)',
            `${(after.childrenS - before.childrenS).toFixed(2)} s`,
          ),
          judge('wake-ups a second, all threads', switches / idleS, AIMS.wakeUps, (n) =>
            n.toFixed(2),
          ),
          explain('  of that, measured', `${switches} in ${(wallMs / 1000).toFixed(1)} s`),
          judge('memory', after.rssMb, AIMS.rssMb, inMb),
          ...(alsoStatus ? [measureStatus(env)] : []),
        ];
      });
    } finally {
      await destroyFleet(join(dir, 'fleet'));
    }
  });
}

function measureStatus(env) {
  const what = `status through the agent over bare Node (least of ${PAIRS} pairs)`;
  return judge(what, overNode(env, ['status', '--json']), AIMS.statusMs, inMs);
}

async function measureManyPolls() {
  const textOf = await makeStateTexts('1.7.0');
  return withFolder(async (dir) => {
    const own = join(dir, 'own');
    mkdirSync(own, { mode: 0o700 });
    writeFileSync(join(own, 'config.json'), JSON.stringify({ pollFullSeconds: 60 }));
    const count = join(dir, 'count');
    writeFileSync(count, '');
    const env = {
      HOME: dir,
      PATH: `${dir}:/usr/bin:/bin`,
      SANDY_TRAY_DIR: own,
      SANDY_TRAY_SANDY: writeStandIn(dir, textOf(5), count),
      SANDY_TRAY_TIME_SCALE: String(MANY_SCALE),
    };
    const polls = () => statSync(count).size;
    return withAgent(env, ['--no-tray'], async (pid) => {
      const startedAt = performance.now();
      await until(() => polls() >= MANY.from);
      const before = readCost(pid).rssMb;
      await until(() => polls() >= MANY.to || performance.now() - startedAt > MANY.limitMs);
      const [reached, after] = [polls(), readCost(pid).rssMb];
      return [
        judge(
          `memory after ${reached} polls over that after ${MANY.from}`,
          after - before,
          AIMS.growthMb,
          inMb,
        ),
        explain('  of that, measured', `${inMb(before)}, then ${inMb(after)}`),
      ];
    });
  });
}

/** A sandy that is as quick as a shell: five sessions that never change. Counts its looks in bytes. */
function writeStandIn(dir, text, count) {
  const state = join(dir, 'state.json');
  writeFileSync(state, text);
  writeExecutable(join(dir, 'docker'), 'exit 0');
  return writeExecutable(
    join(dir, 'sandy'),
    `case "$1" in
  --version) echo "sandy 1.7.0" ;;
  --print-state) printf . >> '${count}'; exec cat '${state}' ;;
  *) exit 1 ;;
esac`,
  );
}

function writeExecutable(path, body) {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

export async function withFolder(use) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-bench-')));
  try {
    return await use(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export async function withAgent(env, args, use) {
  const child = spawn(process.execPath, [PROGRAM, 'run', ...args], { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    await until(() => readdirIfThere(env.SANDY_TRAY_DIR).includes('agent.sock'));
    return await use(child.pid ?? 0);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

function readdirIfThere(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** proc_pid_stat(5), proc_pid_status(5): a tick of its clock is 10 ms on every Linux. */
function readCost(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user, system, childUser, childSystem] = fields.slice(11, 15);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const switches = readdirSync(`/proc/${pid}/task`).map((task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1]);
  });
  return {
    cpuS: (user + system) / 100,
    childrenS: (childUser + childSystem) / 100,
    switches: switches.reduce((sum, n) => sum + n, 0),
    rssMb: (Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024) / MB,
  };
}

async function statusOf(env) {
  const { stdout } = spawnSync(process.execPath, [PROGRAM, 'status', '--json'], {
    env,
    encoding: 'utf8',
  });
  const status = JSON.parse(stdout);
  if (status.agent === null) throw new Error('the agent does not answer');
  return status.sessions;
}

/** The least of many runs of each, in turn, since noise only adds. */
function overNode(env, args) {
  const time = (argv) => {
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(process.execPath, argv, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${argv.join(' ')} failed: ${stderr}`);
    return performance.now() - startedAt;
  };
  const pairs = Array.from({ length: PAIRS }, () => [time(['-e', '0']), time([PROGRAM, ...args])]);
  const leastOf = (at) => Math.min(...pairs.map((pair) => pair[at]));
  return leastOf(1) - leastOf(0);
}

/** What has not come by then never will. */
const COMES_LIMIT_MS = 300_000;

export async function until(holds) {
  const endAt = performance.now() + COMES_LIMIT_MS;
  while (!holds()) {
    if (performance.now() > endAt) throw new Error(`never came: ${holds}`);
    await pause(20);
  }
}

export function judge(what, value, aim, print) {
  return { what, figure: print(value), aim: `under ${print(aim)}`, met: value < aim };
}

export function explain(what, figure) {
  return { what, figure, aim: null, met: null };
}

function inPercent(share) {
  return `${(share * 100).toFixed(3)} %`;
}

export function inMb(mb) {
  return `${mb.toFixed(1)} MB`;
}
