import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEventLog, readEventLog } from '../../src/store/event-log.ts';
import { openFleetState } from '../../src/store/fleet-state.ts';
import { canMount } from '../mounts.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { makeEvent } from './fleet-parts.ts';

let base = '';
let script = '';

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-test-')));
  script = join(base, 'crowded-disk.mjs');
  await build({
    entryPoints: [resolve(import.meta.dirname, 'crowded-disk.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: script,
    logLevel: 'error',
  });
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

const incidentsIn = (folder: string) => readEventLog(folder).records.map((one) => one.incident);
const upTo = (count: number) => Array.from({ length: count + 1 }, (_, index) => `i${index}`);

/** Runs a shell script; `$1` and so on are the arguments. */
function runShell(command: readonly string[], text: string, args: readonly string[]) {
  const [file = '', ...rest] = [...command, 'sh', '-c', text, 'sh', ...args];
  return spawnSync(file, rest, { encoding: 'utf8' });
}

it('writes no half record where a file may not grow, and the next process writes the rest', () => {
  const folder = makeScratchFolder();
  // The limit cuts the write that meets it in two, as a full disk does.
  const { stdout, stderr } = runShell([], 'ulimit -f 8; exec "$@"', [
    process.execPath,
    script,
    folder,
    '20',
  ]);
  expect(stderr).toBe('');
  const { outcomes, trouble, intended, saved } = JSON.parse(stdout);
  const appended = outcomes.filter((one: { kind: string }) => one.kind === 'appended').length;
  expect(appended).toBeGreaterThan(2);
  expect(appended).toBeLessThan(12);
  expect(trouble).toEqual({ errorCode: 'EFBIG', waiting: 20 - appended, lost: 0 });
  expect(intended).toEqual({ kind: 'not-written', errorCode: 'EFBIG' });
  expect(saved).toEqual({ kind: 'not-written', errorCode: 'EFBIG' });
  expect(readFileSync(join(folder, 'log.jsonl'), 'utf8').endsWith('\n')).toBe(true);
  expect(incidentsIn(folder)).toEqual(upTo(appended));
  expect(openFleetState(folder).saved.rows.map((row) => row.key)).toEqual(['small']);
  expect(readdirSync(folder).sort()).toEqual(['ledger.json', 'log.jsonl', 'state.json']);
  const log = openEventLog(folder);
  for (const incident of upTo(20)) log.append(makeEvent(incident), true);
  expect(incidentsIn(folder)).toEqual(upTo(20));
});

it.skipIf(!canMount)('has everything wait for room on a disk that is full', () => {
  const folder = makeScratchFolder();
  mkdirSync(join(folder, 'disk'));
  const { stdout, stderr } = runShell(
    ['unshare', '-m'],
    'mount -t tmpfs -o size=128k none "$1" && shift && "$@" && cp -R "$3" "$3/../../kept"',
    [
      join(folder, 'disk'),
      process.execPath,
      script,
      join(folder, 'disk', 'state'),
      '20',
      join(folder, 'disk', 'filler'),
    ],
  );
  expect(stderr).toBe('');
  const { trouble, intended, saved, after } = JSON.parse(stdout);
  expect(trouble).toMatchObject({ errorCode: 'ENOSPC', lost: 0 });
  expect(trouble.waiting).toBeGreaterThan(10);
  expect(intended).toEqual({ kind: 'not-written', errorCode: 'ENOSPC' });
  expect(saved).toEqual({ kind: 'not-written', errorCode: 'ENOSPC' });
  expect(after).toEqual([null, { kind: 'written' }, { kind: 'written' }]);
  const kept = join(folder, 'kept');
  expect(incidentsIn(kept)).toEqual(upTo(20));
  expect(readEventLog(kept).unreadable).toBe(0);
  expect(readdirSync(kept).sort()).toEqual(['ledger.json', 'log.jsonl', 'state.json']);
});
