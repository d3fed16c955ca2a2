import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as pty from 'node-pty';
import { inMs } from './printing.mjs';

const root = join(import.meta.dirname, '..', '..');
const KEYS = 1_500;
const MEGABYTES = 64;
const ROUNDS = 4;
const SILENT_MS = 4_000;
const AIMS = { medianMs: 0.3, slowMs: 2.5, share: 0.5, residentMb: 46 };

/** What a pty of ours between a program and its terminal costs, over the same program without. */
export async function measurePtyCost() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-bench-')));
  try {
    const driver = await buildDriver(folder);
    const bare = (script) => openPty('sh', ['-c', script]);
    const attached = (script) => {
      const order = { file: 'sh', args: ['-c', script], reportTo: join(folder, 'report') };
      return openPty(process.execPath, [driver, JSON.stringify(order)]);
    };
    return {
      title: `A pty of ours over a bare one (${KEYS} keys, ${MEGABYTES} MB)`,
      rows: [
        ...(await measureKeys(bare, attached)),
        await measureThroughput(bare, attached),
        ...(await measureSilence(attached)),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function buildDriver(folder) {
  const outfile = join(folder, 'driver.mjs');
  await build({
    entryPoints: [join(root, 'test', 'attach', 'attached-driver.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.12',
    // As in what is shipped, where execa is in a file of its own.
    external: ['node-pty', 'execa'],
    logLevel: 'warning',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return outfile;
}

/** A terminal that counts what it is sent; `next(bytes)` resolves once so many more have come. */
function openPty(file, args) {
  const env = { PATH: process.env.PATH, TERM: 'xterm-256color' };
  const child = pty.spawn(file, args, { env, encoding: null });
  let came = 0;
  let wanted = Number.POSITIVE_INFINITY;
  let last = '';
  let reach = () => {};
  child.onData((bytes) => {
    came += bytes.length;
    last = (last + bytes.toString('latin1')).slice(-32);
    if (came >= wanted) reach();
  });
  const exited = new Promise((resolve) => child.onExit(resolve));
  return {
    pid: child.pid,
    write: (text) => child.write(text),
    next: (bytes) =>
      new Promise((resolve) => {
        wanted = came + bytes;
        reach = resolve;
      }),
    ready: async () => {
      while (!last.includes('ready')) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    close: async () => {
      child.kill('SIGHUP');
      await exited;
    },
  };
}

async function measureKeys(...kinds) {
  const ptys = kinds.map((open) => open('stty raw -echo; printf ready; exec cat'));
  for (const { ready } of ptys) await ready();
  const times = ptys.map(() => []);
  for (let key = 0; key < KEYS; key += 1) {
    for (const [at, one] of ptys.entries()) {
      const echoed = one.next(1);
      const startedAt = performance.now();
      one.write('x');
      await echoed;
      times[at].push(performance.now() - startedAt);
    }
  }
  for (const { close } of ptys) await close();
  const added = (part) => {
    const [bareMs, attachedMs] = times.map(
      (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length * part)],
    );
    return attachedMs - bareMs;
  };
  const judge = (what, ms, aimMs) => ({
    what,
    figure: inMs(ms),
    aim: `under ${aimMs} ms`,
    met: ms < aimMs,
  });
  return [
    judge('added to a key and its echo, median', added(0.5), AIMS.medianMs),
    judge('the same, 99th percentile', added(0.99), AIMS.slowMs),
  ];
}

async function measureThroughput(...kinds) {
  const bytes = MEGABYTES * 1_000_000;
  const line =
    '\\033[32m│ naïve\\033[0m some text in a line of a usual length, as programs print it';
  const rates = kinds.map(() => 0);
  // The best of each, in turn: noise only takes away.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, open] of kinds.entries()) {
      const one = open(
        `stty raw -echo; printf ready; read -r go; yes "$(printf '${line}')" | head -c ${bytes}; exec cat`,
      );
      await one.ready();
      const all = one.next(bytes);
      const startedAt = performance.now();
      one.write('\n');
      await all;
      rates[at] = Math.max(rates[at], bytes / (performance.now() - startedAt) / 1_000);
      await one.close();
    }
  }
  const [bare, attached] = rates;
  const share = attached / bare;
  return {
    what: 'throughput, as share of a bare pty’s',
    figure: `${(share * 100).toFixed(0)} % of ${bare.toFixed(0)} MB/s`,
    aim: `at least ${AIMS.share * 100} %`,
    met: share >= AIMS.share,
  };
}

async function measureSilence(open) {
  const one = open('stty raw -echo; printf ready; exec cat');
  await one.ready();
  // What a start leaves to be done is over by then.
  await new Promise((resolve) => setTimeout(resolve, SILENT_MS));
  const before = countWakeUps(one.pid);
  await new Promise((resolve) => setTimeout(resolve, SILENT_MS));
  const wakeUps = countWakeUps(one.pid) - before;
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one.pid}/status`, 'utf8')) ?? [];
  const residentMb = Number(kb) / 1024;
  await one.close();
  return [
    {
      what: 'memory of an idle one',
      figure: `${residentMb.toFixed(1)} MB`,
      aim: `under ${AIMS.residentMb} MB`,
      met: residentMb < AIMS.residentMb,
    },
    {
      what: `wake-ups in ${SILENT_MS / 1000} silent seconds`,
      figure: `${wakeUps}`,
      aim: 'none',
      met: wakeUps === 0,
    },
  ];
}

/** How often any of its threads went to sleep of its own will. */
function countWakeUps(pid) {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) => readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8'))
    .map((status) => Number(/\nvoluntary_ctxt_switches:\s+(\d+)/.exec(status)?.[1]))
    .reduce((sum, count) => sum + count, 0);
}
