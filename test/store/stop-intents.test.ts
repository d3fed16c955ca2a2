import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readStopIntent, removeStopIntent, writeStopIntent } from '../../src/store/stop-intents.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const at = Date.UTC(2026, 10, 29, 21, 48);

/** The one file that is there. */
function onlyFile(folder: string): string {
  const names = readdirSync(join(folder, 'stops'));
  expect(names).toHaveLength(1);
  return join(folder, 'stops', names[0] ?? '');
}

it('says when a session was last meant to stop, and nothing of others', () => {
  const folder = makeScratchFolder();
  expect(readStopIntent(folder, 'a-1')).toBeNull();
  expect(writeStopIntent(folder, 'a-1', at)).toEqual({ kind: 'written' });
  expect(readStopIntent(folder, 'a-1')).toBe(at);
  expect(readStopIntent(folder, 'a-2')).toBeNull();
  expect(writeStopIntent(folder, 'a-1', at + 5)).toEqual({ kind: 'written' });
  expect(readStopIntent(folder, 'a-1')).toBe(at + 5);
  expect(statSync(join(folder, 'stops')).mode & 0o777).toBe(0o700);
});

it('is taken back alone', () => {
  const folder = makeScratchFolder();
  writeStopIntent(folder, 'a-1', at);
  writeStopIntent(folder, 'a-2', at);
  removeStopIntent(folder, 'a-1');
  removeStopIntent(folder, 'a-1');
  expect(readStopIntent(folder, 'a-1')).toBeNull();
  expect(readStopIntent(folder, 'a-2')).toBe(at);
});

it('keeps to its folder, whatever a key says', () => {
  const folder = makeScratchFolder();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (word) => {
      for (const key of [word, `../${word}`, `/${word}`]) {
        expect(writeStopIntent(folder, key, at)).toEqual({ kind: 'written' });
        expect(readStopIntent(folder, key)).toBe(at);
        expect(onlyFile(folder)).toMatch(/\/stops\/[0-9a-f]{16}\.json$/);
        removeStopIntent(folder, key);
      }
    }),
    { numRuns: 50 },
  );
  expect(readdirSync(folder)).toEqual(['stops']);
});

it.each([
  ['', 'nothing'],
  ['{', 'half of it'],
  ['{"format":2,"key":"a-1","at":1}', 'a newer format'],
  ['{"format":1,"key":"a-2","at":1}', 'another session'],
  ['{"format":1,"key":"a-1","at":"now"}', 'no instant'],
])('believes no file with %s (%s), and leaves it', (text) => {
  const folder = makeScratchFolder();
  writeStopIntent(folder, 'a-1', at);
  const file = onlyFile(folder);
  writeFileSync(file, text);
  expect(readStopIntent(folder, 'a-1')).toBeNull();
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('forgets what is older than an hour when another one is written', () => {
  const folder = makeScratchFolder();
  const now = Date.now();
  writeStopIntent(folder, 'old', now);
  const old = onlyFile(folder);
  writeStopIntent(folder, 'fresh', now);
  utimesSync(old, now / 1000, (now - 61 * 60_000) / 1000);
  expect(readStopIntent(folder, 'old')).toBe(now);
  writeStopIntent(folder, 'new', now);
  expect(existsSync(old)).toBe(false);
  expect(readStopIntent(folder, 'fresh')).toBe(now);
  expect(readStopIntent(folder, 'new')).toBe(now);
});

it('says why it could not be written', () => {
  const folder = makeScratchFolder();
  writeFileSync(join(folder, 'stops'), '');
  expect(writeStopIntent(folder, 'a-1', at)).toMatchObject({ kind: 'not-written' });
  expect(readStopIntent(folder, 'a-1')).toBeNull();
  removeStopIntent(folder, 'a-1');
  // A folder where its file should be.
  const other = makeScratchFolder();
  writeStopIntent(other, 'a-1', at);
  const file = onlyFile(other);
  removeStopIntent(other, 'a-1');
  mkdirSync(file);
  expect(writeStopIntent(other, 'a-1', at)).toMatchObject({ kind: 'not-written' });
  expect(readStopIntent(other, 'a-1')).toBeNull();
  removeStopIntent(other, 'a-1');
});
