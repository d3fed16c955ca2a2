import { linkSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readEventLog } from '../../src/store/event-log.ts';
import { formatRecord, recordOf } from '../../src/store/event-record.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { makeEvent } from './fleet-parts.ts';

/** What happens in the folder just before the reader opens its `at`-th file. */
let meanwhile: { at: number; act: () => void } | null = null;
let opened = 0;

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const openSync: typeof fs.openSync = (...args) => {
    opened += 1;
    if (opened === meanwhile?.at) meanwhile.act();
    return fs.openSync(...args);
  };
  return { ...fs, openSync };
});

const lineOf = (incident: string) => formatRecord(recordOf(makeEvent(incident), true));

it.each([
  [1, true, ['b', 'c']],
  [2, true, ['b', 'c']],
  [3, true, ['a', 'b']],
  [1, false, ['b']],
  [2, false, ['b']],
] as const)(
  'loses and repeats nothing when the log is rotated before the %i. open; a new one there: %s',
  (at, newOne, expected) => {
    const folder = makeScratchFolder();
    const [newer, older] = [join(folder, 'log.jsonl'), join(folder, 'log.1.jsonl')];
    writeFileSync(older, lineOf('a'));
    writeFileSync(newer, lineOf('b'));
    opened = 0;
    const act = () => {
      renameSync(newer, older);
      if (newOne) writeFileSync(newer, lineOf('c'));
    };
    meanwhile = { at, act };
    const { records, unreadable, errorCode } = readEventLog(folder);
    meanwhile = null;
    expect({ unreadable, errorCode }).toEqual({ unreadable: 0, errorCode: null });
    expect(records.map((record) => record.incident)).toEqual(expected);
  },
);

it('comes to an end when both names are one file for ever', () => {
  const folder = makeScratchFolder();
  writeFileSync(join(folder, 'log.jsonl'), lineOf('a'));
  linkSync(join(folder, 'log.jsonl'), join(folder, 'log.1.jsonl'));
  meanwhile = null;
  expect(readEventLog(folder).errorCode).toBeNull();
  expect(readFileSync(join(folder, 'log.jsonl'), 'utf8')).toBe(lineOf('a'));
});
