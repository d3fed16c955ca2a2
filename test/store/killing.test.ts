import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEventLog, readEventLog } from '../../src/store/event-log.ts';
import { nameHappening } from '../../src/store/event-record.ts';
import { openFleetState } from '../../src/store/fleet-state.ts';
import { makeEvent, makeModel, makeRow, withRows } from './fleet-parts.ts';

const t0 = Date.parse('2026-11-29T06:00:00Z');
const atOnce = 4;

/** What the fleet of `storekeeper.ts` lives through, each with whether a banner is due. */
const happenings = [
  ['restarted:restarted:zork-1:zork-1-life-2', false],
  ['restarted:restarted:zork-2:zork-2-life-2', false],
  ['vanished:vanished:zork-3:zork-3-life-1', false],
  ['late:late:zork-3:zork-3-life-1', true],
  ['run-completed:run:2026-11-29T03:00:00.000Z', true],
  ['restarted:restarted:zork-3:zork-3-life-2', false],
  ['back:late:zork-3:zork-3-life-1', true],
  ['run-completed:run:2026-11-29T03:02:00.000Z', false],
] as const;
const due = happenings.filter(([, notice]) => notice).map(([id]) => id);

/** Between two of these nothing changes on disk, and a kill leaves the same behind at any step. */
const changing: ReadonlySet<string> = new Set([
  'ftruncateSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmSync',
  'unlinkSync',
]);

let base = '';
let script = '';

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-test-')));
  script = join(base, 'storekeeper.mjs');
  await build({
    entryPoints: [resolve(import.meta.dirname, 'storekeeper.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: script,
    logLevel: 'error',
  });
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Ending {
  readonly signal: string | null;
  readonly code: number | null;
  readonly output: string;
  readonly complaint: string;
}

/** One life of the store's process in a folder; `kill` is for `kill-preload.mjs`. */
function live(folder: string, life: number, kill: string, steps = ''): Promise<Ending> {
  const preload = resolve(import.meta.dirname, '../kill-preload.mjs');
  // Each life begins an hour after the one before, as a service that somebody starts again.
  const startedAt = String(t0 + life * 3_600_000);
  const child = spawn(
    process.execPath,
    ['--import', preload, script, join(folder, 'state'), join(folder, 'shown.txt'), startedAt],
    {
      env: { ...process.env, KILL: kill, STEPS: steps },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let [output, complaint] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text;
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => done({ code, signal, output, complaint }));
  });
}

/** A folder in which three sessions were seen an hour ago, and a log that is full after three records. */
function prepare(name: string): string {
  const folder = join(base, name);
  const state = join(folder, 'state');
  mkdirSync(folder);
  const rows = ['zork-1', 'zork-2', 'zork-3'].map((key) => makeRow(key));
  const model = withRows(makeModel(), rows);
  const clock = { ...model.clock, sightedAt: t0 - 3_600_000 };
  openFleetState(state).save({ ...model, clock });
  openEventLog(state).append(makeEvent('before', { text: 'x'.repeat(512 * 1024 - 700) }), false);
  return folder;
}

function shownIn(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, 'shown.txt'), 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

async function expectExactlyOnce(folder: string, kills: readonly string[]): Promise<void> {
  const unsure = new Set<string>();
  let life = 1;
  for (const kill of [...kills, '']) {
    const { signal, code, output, complaint } = await live(folder, life, kill);
    life += 1;
    if (signal === null) {
      expect({ code, complaint }, `killed ${kills}`).toEqual({ code: 0, complaint: '' });
      const said = JSON.parse(output);
      expect(said.problems).toEqual([]);
      for (const id of said.unsure) unsure.add(id);
    }
  }
  const { records, unreadable } = readEventLog(join(folder, 'state'));
  expect(unreadable).toBe(0);
  const logged = records.flatMap((record) => nameHappening(record) ?? []).slice(1);
  expect([...logged].sort(), `killed ${kills}`).toEqual(happenings.map(([id]) => id).sort());
  for (const id of due) {
    // Half of a line is a banner that was being shown when the process was killed.
    const times = shownIn(folder).filter((shown) => id.startsWith(shown)).length;
    expect(times, `${id}, killed ${kills}`).toBeLessThanOrEqual(1);
    if (!unsure.has(id)) expect(times, `${id}, killed ${kills}`).toBe(1);
  }
  expect(shownIn(folder).filter((shown) => !due.some((id) => id.startsWith(shown)))).toEqual([]);
  rmSync(folder, { recursive: true });
}

/**
 * Several at a time, since almost all of it is the start of processes. After a failure no other begins,
 * and those under way are awaited, so that nothing is made after the folder is gone.
 */
async function forEachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>) {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await act(item).catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

describe('a process that is killed at any step and started again', () => {
  let steps: readonly string[] = [];

  it('logs and shows everything once when nobody kills it', async () => {
    const folder = prepare('alive');
    const path = join(base, 'steps.json');
    expect(await live(folder, 1, '', path)).toMatchObject({ code: 0 });
    steps = JSON.parse(readFileSync(path, 'utf8')).map((step: string) => step.split(' ')[0]);
    const { records } = readEventLog(join(folder, 'state'));
    expect(records.slice(1).flatMap((one) => nameHappening(one) ?? [])).toEqual(
      happenings.map(([id]) => id),
    );
    expect(records.slice(1).map((record) => record.notice)).toEqual(
      happenings.map(([, notice]) => notice),
    );
    expect(shownIn(folder)).toEqual(due);
    expect(steps.filter((step) => step === 'renameSync').length).toBeGreaterThan(10);
    // Nothing of a workspace gets into the log: only the saved rows, which need it, have it.
    const state = join(folder, 'state');
    for (const name of ['log.jsonl', 'log.1.jsonl', 'ledger.json']) {
      expect(readFileSync(join(state, name), 'utf8')).not.toContain('/secret/workspaces');
    }
    expect(readFileSync(join(state, 'state.json'), 'utf8')).toContain('/secret/workspaces');
  });

  it('has each in the log exactly once and shows it at most once, at every step', {
    timeout: 300_000,
  }, async () => {
    const kills = steps.flatMap((step, index) => {
      const before = `before ${index + 1}`;
      if (step === 'writeSync' || step === 'writeFileSync') return [before, `half ${index + 1}`];
      return changing.has(step) ? [before] : [];
    });
    expect(kills.length).toBeGreaterThan(100);
    await forEachAtOnce(kills, async (kill) => {
      await expectExactlyOnce(prepare(kill.replace(' ', '-')), [kill]);
    });
  });

  it('does so when the next process is killed as well', { timeout: 300_000 }, async () => {
    const pairs = Array.from({ length: 16 }, (_, index) => {
      const first = 1 + ((index * 37) % steps.length);
      const second = 1 + ((index * 11) % 60);
      return [`half ${first}`, `before ${second}`, `half ${second + 3}`];
    });
    await forEachAtOnce(pairs, async (kills) => {
      await expectExactlyOnce(prepare(kills.join('-').replaceAll(' ', '')), kills);
    });
  });
});
