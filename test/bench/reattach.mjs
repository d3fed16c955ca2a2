import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as pty from 'node-pty';
import {
  createFleet,
  destroyFleet,
  NO_DELAYS,
  readCalls,
  readEvents,
  removeContainer,
  sessionOf,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { inMs, medianOf } from './printing.mjs';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const TERMINALS = 4;
const ROUNDS = 5;
const AIM_MS = 700;
/** A fleet of this many, of which one waits or all do. */
const SESSIONS = 20;
const WAITING_SCALE = 4;

/** How soon a terminal is back after its session is ready, and what waiting costs. */
export async function measureReattach() {
  const figures = await measureReturn();
  const one = await measureWaiting(1);
  const all = await measureWaiting(SESSIONS);
  return {
    title: `Terminals through a restart (real time; waiting ${WAITING_SCALE} times as fast)`,
    rows: [
      {
        what: `ready to the first byte of the new attach, median of ${figures.length}`,
        figure: inMs(medianOf(figures)),
        aim: `under ${AIM_MS} ms`,
        met: medianOf(figures) < AIM_MS,
      },
      { what: 'the same, the slowest', figure: inMs(Math.max(...figures)), aim: null, met: null },
      {
        what: `looks in a minute of waiting, 1 terminal, ${SESSIONS} sessions`,
        figure: String(one),
        aim: null,
        met: null,
      },
      {
        what: `the same, ${SESSIONS} terminals`,
        figure: String(all),
        aim: 'no more',
        met: all <= one + 1,
      },
    ],
  };
}

/** @returns {Promise<number[]>} */
function measureReturn() {
  return withFleet(TERMINALS, 1, async ({ fleet, open, run }) => {
    const figures = await Promise.all(
      fleet.sessions.map(async (session, index) => {
        const terminal = open(session);
        await terminal.next(session);
        const spent = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          // Nobody knows at what moment between two looks a session gets ready.
          const innerMs = 1_000 + (((index * ROUNDS + round) * 370) % 1_000);
          setSession(fleet.dir, session.record, { delays: { ...NO_DELAYS, innerMs } });
          // One that ends before a look has shown it in would count as never in.
          await pause(2_000);
          await run('--stop', session);
          const started = run('--start', session);
          const cameAt = await terminal.next(session);
          await started;
          const { id } = sessionOf(fleet.dir, session.record).container;
          const ready = readEvents(fleet.dir).findLast(
            (event) => event.why === 'inner-ready' && event.id === id,
          );
          spent.push(cameAt - ready.at);
        }
        return spent;
      }),
    );
    return figures.flat();
  });
}

/** @param {number} count @returns {Promise<number>} */
function measureWaiting(count) {
  return withFleet(SESSIONS, WAITING_SCALE, async ({ fleet, open }) => {
    const waiting = fleet.sessions.slice(0, count);
    const terminals = waiting.map((session) => open(session));
    await Promise.all(terminals.map((terminal, index) => terminal.next(waiting[index])));
    for (const { record } of waiting) removeContainer(fleet.dir, record);
    await Promise.all(terminals.map((terminal) => terminal.shows('it may come back')));
    const looks = () =>
      readCalls(fleet.dir).filter(({ argv }) => argv[0] === '--print-state').length;
    const before = looks();
    await pause(60_000 / WAITING_SCALE);
    return looks() - before;
  });
}

async function withFleet(size, scale, use) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-bench-')));
  const dir = join(folder, 'fleet');
  const children = [];
  try {
    const sessions = Array.from({ length: size }, (_, at) => ({
      name: `s${at}`,
      supervisor: false,
    }));
    const fleet = await createFleet(dir, { delays: NO_DELAYS, sessions });
    const env = {
      HOME: folder,
      PATH: `${fleet.dockerFolder}:/usr/bin:/bin`,
      TERM: 'xterm-256color',
      SANDY_TRAY_DIR: join(folder, 'own'),
      SANDY_TRAY_SANDY: fleet.sandy,
      SANDY_TRAY_TIME_SCALE: String(scale),
    };
    const agent = spawn(process.execPath, [PROGRAM, 'run', '--no-tray'], { env, stdio: 'ignore' });
    children.push(agent);
    while (!readText(join(folder, 'own', 'log.jsonl')).includes('baseline')) await pause(20);
    const open = (session) => {
      const child = pty.spawn(process.execPath, [PROGRAM, 'attach', session.key], { env });
      children.push(child);
      return watch(child);
    };
    const run = (verb, { workspace }) =>
      new Promise((resolve) => {
        spawn(fleet.sandy, [verb, '--workspace', workspace], { env, stdio: 'ignore' }).once(
          'exit',
          resolve,
        );
      });
    return await use({ fleet, open, run });
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await destroyFleet(dir);
    await pause(500);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a terminal shows, and when its next attach showed its first byte. */
function watch(child) {
  let text = '';
  let look = () => {};
  child.onData((data) => {
    text += data;
    look();
  });
  const wait = (find) =>
    new Promise((resolve) => {
      look = () => {
        const at = find();
        if (at < 0) return;
        text = text.slice(at);
        look = () => {};
        resolve(Date.now());
      };
      look();
    });
  return {
    next: ({ key }) =>
      wait(() => {
        const found = new RegExp(`attached ${key} \\w+\\r`).exec(text);
        return found === null ? -1 : found.index + found[0].length;
      }),
    shows: (words) => wait(() => text.indexOf(words)),
  };
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
