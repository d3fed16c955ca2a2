import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createFleet,
  destroyFleet,
  type Fleet,
  livePids,
  readCalls,
  type SessionSpec,
  sessionsOf,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { cancelRun, continueRun } from '../../src/agent/cancelling.ts';
import { startDetached } from '../../src/system/detached.ts';
import { isAlive, type ProcessIdentity } from '../../src/system/process-identity.ts';
import * as tree from '../../src/system/process-tree.ts';
import { type Bundle, bundleScript, startScript } from '../node-script.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

vi.mock('../../src/system/process-tree.ts', async (importOriginal) => {
  const original = await importOriginal<typeof tree>();
  return { ...original, listDescendants: vi.fn(original.listDescendants) };
});

const mayHaveBegun = (output: Buffer) => output.includes('[sandy] Restarting ');

const BUILD_MS = 60;

/**
 * Real steps, a few milliseconds each. A session's lock is freed at once: a start that met the old one
 * would wait for ten minutes, as sandy's does.
 */
const delays = {
  preambleMs: 10,
  beforeLockMs: 40,
  proxyMs: 5,
  containerMs: 5,
  innerMs: 5,
  stopMs: 10,
  proxyGoneMs: 0,
  lockLingersMs: 0,
  buildMs: BUILD_MS,
  heartbeatMs: 5,
};

interface Run {
  readonly fleet: Fleet;
  readonly process: ProcessIdentity;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  readonly log: string;
  readText(): string;
  /** Resolves when it has printed this. */
  prints(text: string): Promise<void>;
  /** `lookMs`: how long it takes to look at what was read. */
  cancel(lookMs?: number): ReturnType<typeof cancelRun>;
}

async function startRun(folder: string, sessions: SessionSpec[]): Promise<Run> {
  mkdirSync(folder, { recursive: true });
  const fleet = await createFleet(join(folder, 'fleet'), { sessions, delays });
  const log = join(folder, 'output.log');
  const started = await startDetached({
    file: fleet.sandy,
    args: ['--update-sessions', '--yes'],
    environment: { HOME: folder, PATH: '/usr/bin:/bin' },
    cwd: folder,
    outputPath: log,
  });
  if (started.kind !== 'started') throw new Error(started.kind);
  const { process: identity, ended } = started;
  const readText = () => readFileSync(log, 'utf8');
  return {
    fleet,
    process: identity,
    ended,
    log,
    readText,
    async prints(text) {
      while (!readText().includes(text)) {
        if (!(await isAlive(identity))) return;
        await pause(2);
      }
    },
    cancel: (lookMs = 0) => {
      const readOutput = async () => {
        const output = await readFile(log);
        await pause(lookMs);
        return output;
      };
      return cancelRun({ process: identity, readOutput, mayHaveBegun });
    },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const stale = (name: string): SessionSpec => ({ name, stale: true });

/** Whether each session still is in the container that it was in at first. */
function listUntouched(fleet: Fleet): boolean[] {
  const now = sessionsOf(fleet.dir);
  return fleet.sessions.map(
    ({ record, container }) =>
      now.find((session) => session.record === record)?.container?.id === container?.id,
  );
}

function expectUp(fleet: Fleet): void {
  for (const { container } of sessionsOf(fleet.dir)) {
    expect(container).not.toBeNull();
    expect(container?.innerGone).toBe(false);
  }
}

async function expectCancelled(run: Run): Promise<void> {
  // Nobody is left, and not a moment later.
  expect(livePids(run.fleet.dir)).toEqual([]);
  expect(await isAlive(run.process)).toBe(false);
  expect(await run.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(listUntouched(run.fleet)).toEqual(run.fleet.sessions.map(() => true));
  expectUp(run.fleet);
  const asked = readCalls(run.fleet.dir).flatMap(({ argv }) => argv);
  expect(asked).not.toContain('--stop');
  expect(asked).not.toContain('--start');
}

async function expectLetGoOn(run: Run): Promise<void> {
  expect(await run.ended).toEqual({ code: 0, signal: null });
  expect(run.readText()).toContain('--- Summary ---');
  expect(listUntouched(run.fleet)).toEqual(
    run.fleet.sessions.map(({ container }) => container?.stale === false),
  );
  expectUp(run.fleet);
}

/** Numbers from 0 to 1, the same ones each time (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What it is cancelled after, and how many milliseconds after that, from and to. */
const MOMENTS = [
  ['Found 2', 0, BUILD_MS],
  // The build of the second one is over then, and the first restart begins.
  ['Refreshing images for b', BUILD_MS - 10, BUILD_MS + 40],
  ['Refreshing images for b', BUILD_MS - 10, BUILD_MS + 40],
  ['[sandy] Restarting', 0, 150],
] as const;

const LANES = 4;
const ROUNDS = 25;

describe.concurrent('cancelling at any moment', () => {
  const seen = { cancelled: 0, 'too-late': 0, gone: 0 };

  it.each(Array.from({ length: LANES }, (_, lane) => lane))(
    'leaves no session down and nobody behind (lane %i)',
    async (lane) => {
      const random = makeRandom(lane + 1);
      // Of its own: which test a scratch folder goes with is not sure where several run at once.
      const folder = mkdtempSync(join(tmpdir(), 'sandy-tray-test-'));
      for (let round = 0; round < ROUNDS; round += 1) {
        const [text, fromMs, toMs] = MOMENTS[Math.floor(random() * MOMENTS.length)] ?? ['', 0, 0];
        const run = await startRun(join(folder, `${round}`), [
          stale('a'),
          { name: 'b', key: 'b', stale: false },
        ]);
        try {
          await run.prints(text);
          await pause(fromMs + random() * (toMs - fromMs));
          // Nothing may happen meanwhile, however long it takes.
          const cancellation = await run.cancel(random() * 40);
          seen[cancellation] += 1;
          switch (cancellation) {
            case 'cancelled':
              await expectCancelled(run);
              break;
            case 'too-late':
            case 'gone':
              await expectLetGoOn(run);
              break;
          }
        } finally {
          await destroyFleet(run.fleet.dir);
        }
      }
      rmSync(folder, { recursive: true });
    },
    120_000,
  );

  afterAll(() => {
    // It was no game if it always ended the same way.
    expect(seen.cancelled).toBeGreaterThan(10);
    expect(seen['too-late']).toBeGreaterThan(10);
  });
});

describe('cancelling', () => {
  let folder: string;
  let canceller: Bundle;
  beforeAll(async () => {
    canceller = await bundleScript(join(import.meta.dirname, 'dying-canceller.ts'));
  });
  afterAll(() => canceller.remove());

  async function start(sessions: SessionSpec[]): Promise<Run> {
    folder = makeScratchFolder();
    onTestFinished(() => destroyFleet(join(folder, 'fleet')));
    return startRun(folder, sessions);
  }

  it('ends a build that hangs for ever, with all that work for it', async () => {
    const run = await start([stale('a'), { ...stale('b'), build: 'hangs' }]);
    await run.prints('still refreshing');
    // What is printed says nothing of when the build's own processes are there to be seen.
    await vi.waitFor(() => expect(livePids(run.fleet.dir)).toHaveLength(3), 20_000);
    expect(await run.cancel()).toBe('cancelled');
    await expectCancelled(run);
    expect(await run.cancel()).toBe('gone');
  });

  it('lets a run go on that has begun', async () => {
    const run = await start([stale('a')]);
    await run.prints('[sandy] Restarting');
    expect(await run.cancel()).toBe('too-late');
    await expectLetGoOn(run);
    expect(await run.cancel()).toBe('gone');
  });

  it('lets it go on when what it printed can’t be read', async () => {
    const run = await start([stale('a')]);
    const readOutput = () => readFile(join(folder, 'no-such-file'));
    const { process: identity } = run;
    expect(await cancelRun({ process: identity, readOutput, mayHaveBegun })).toBe('too-late');
    await expectLetGoOn(run);
  });

  it('lets it go on when nobody knows who works for it', async () => {
    const run = await start([stale('a')]);
    await run.prints('Refreshing');
    const list = vi.mocked(tree.listDescendants);
    const tries = list.mockClear().mockResolvedValue(null);
    onTestFinished(() => {
      list.mockReset();
    });
    expect(await run.cancel()).toBe('too-late');
    expect(tries.mock.calls.length).toBeGreaterThan(1);
    await expectLetGoOn(run);
  });

  it('looks again when all are stopped, for what a worker printed last', async () => {
    const run = await start([{ ...stale('a'), build: 'hangs' }]);
    await run.prints('still refreshing');
    let reads = 0;
    const readOutput = async () => {
      reads += 1;
      if (reads === 1) return readFile(run.log);
      appendFileSync(run.log, '[sandy] Restarting a...\n');
      return readFile(run.log);
    };
    const { process: identity } = run;
    expect(await cancelRun({ process: identity, readOutput, mayHaveBegun })).toBe('too-late');
    expect(reads).toBe(2);
    for (const pid of livePids(run.fleet.dir)) expect(readState(pid)).not.toBe('T');
  });

  it('never touches another process under its number', async () => {
    const sleep = spawn('sleep', ['1000']);
    onTestFinished(() => {
      sleep.kill('SIGKILL');
    });
    const identity = { pid: sleep.pid ?? 0, birth: 'another' };
    const readOutput = () => Promise.resolve(Buffer.alloc(0));
    expect(await cancelRun({ process: identity, readOutput, mayHaveBegun })).toBe('gone');
    expect(readState(identity.pid)).toBe('S');
  });

  it.each([1, 2])('can be done again when the first one died at its look %i', async (look) => {
    const run = await start([{ ...stale('a'), build: 'hangs' }]);
    await run.prints('still refreshing');
    await dieCancelling(run, look);
    expect(await run.cancel()).toBe('cancelled');
    await expectCancelled(run);
  });

  it.each([1, 2])('leaves to the next one a run that can go on, dying at look %i', async (look) => {
    const run = await start([{ ...stale('a'), delays: { buildMs: 300 } }]);
    await run.prints('Refreshing');
    await dieCancelling(run, look);
    expect(readState(run.process.pid)).toBe('T');
    await continueRun(run.process);
    await expectLetGoOn(run);
  });

  /** Has another process cancel the run, and die where it reads the output for the nth time. */
  async function dieCancelling({ process: identity, log }: Run, look: number): Promise<void> {
    const script = startScript(canceller.file, [JSON.stringify({ process: identity, log, look })]);
    expect(await script.ended).toBe('SIGKILL');
  }
});

function readState(pid: number): string {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return '';
  const stat = readFileSync(path, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '';
}
