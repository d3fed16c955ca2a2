import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEventLog, readEventLog } from '../../src/store/event-log.ts';
import { formatRecord, recordOf } from '../../src/store/event-record.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { makeEvent } from './fleet-parts.ts';

const capBytes = 512 * 1024;
/** With this text four records fill a file. */
const longText = 'x'.repeat(120_000);

const incidentsIn = (folder: string) => readEventLog(folder).records.map((one) => one.incident);
const lineOf = (incident: string) => formatRecord(recordOf(makeEvent(incident), true));

describe('appending', () => {
  it('makes a private log and adds a whole line for each event', () => {
    const folder = join(makeScratchFolder(), 'state');
    const log = openEventLog(folder);
    expect(existsSync(folder)).toBe(false);
    expect(log.append(makeEvent('a'), true)).toEqual({ kind: 'appended' });
    expect(log.append(makeEvent('b'), true)).toEqual({ kind: 'appended' });
    expect(readFileSync(join(folder, 'log.jsonl'), 'utf8')).toBe(lineOf('a') + lineOf('b'));
    expect(statSync(join(folder, 'log.jsonl')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(log.trouble()).toBeNull();
  });

  it('has each happening once, in this process and the next', () => {
    const folder = makeScratchFolder();
    const first = openEventLog(folder);
    first.append(makeEvent('a'), true);
    expect(first.append(makeEvent('a', { at: 5, text: 'again' }), false).kind).toBe(
      'already-there',
    );
    const second = openEventLog(folder);
    expect(second.append(makeEvent('a'), true).kind).toBe('already-there');
    expect(second.append(makeEvent('a', { kind: 'back' }), true).kind).toBe('appended');
    expect(incidentsIn(folder)).toEqual(['a', 'a']);
  });

  it('adds what has no incident every time', () => {
    const folder = makeScratchFolder();
    const log = openEventLog(folder);
    log.append(makeEvent(null, { kind: 'blind' }), false);
    log.append(makeEvent(null, { kind: 'blind' }), false);
    expect(incidentsIn(folder)).toEqual([null, null]);
  });

  it('knows incidents that are called like a part of every object', () => {
    const folder = makeScratchFolder();
    const log = openEventLog(folder);
    expect(log.append(makeEvent('__proto__', { key: '__proto__' }), true).kind).toBe('appended');
    expect(openEventLog(folder).append(makeEvent('__proto__'), true).kind).toBe('already-there');
  });

  it('goes on in a new log when somebody took the old one away', () => {
    const folder = makeScratchFolder();
    const log = openEventLog(folder);
    log.append(makeEvent('a'), true);
    rmSync(join(folder, 'log.jsonl'));
    log.append(makeEvent('b'), true);
    expect(incidentsIn(folder)).toEqual(['b']);
  });
});

describe('a line that was cut short', () => {
  const torn = lineOf('b');
  it.each([1, 20, torn.length - 1])('counts as not logged: %i characters of it', (length) => {
    const folder = makeScratchFolder();
    const path = join(folder, 'log.jsonl');
    writeFileSync(path, lineOf('a') + torn.slice(0, length));
    expect(incidentsIn(folder)).toEqual(['a']);
    const log = openEventLog(folder);
    expect(log.append(makeEvent('c'), true).kind).toBe('appended');
    expect(log.append(makeEvent('b'), true).kind).toBe('appended');
    expect(readFileSync(path, 'utf8')).toBe(lineOf('a') + lineOf('c') + lineOf('b'));
  });

  it('goes when it is all there is', () => {
    const folder = makeScratchFolder();
    writeFileSync(join(folder, 'log.jsonl'), '{"at":"20');
    openEventLog(folder).append(makeEvent('a'), true);
    expect(readFileSync(join(folder, 'log.jsonl'), 'utf8')).toBe(lineOf('a'));
  });
});

describe('rotating', () => {
  it('keeps the newest records in two files of limited length', () => {
    const folder = makeScratchFolder();
    const log = openEventLog(folder);
    for (let count = 0; count < 21; count += 1) {
      expect(log.append(makeEvent(`i${count}`, { text: longText }), true).kind).toBe('appended');
      expect(incidentsIn(folder).at(-1)).toBe(`i${count}`);
    }
    for (const name of ['log.jsonl', 'log.1.jsonl']) {
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(capBytes);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(incidentsIn(folder)).toEqual(['i16', 'i17', 'i18', 'i19', 'i20']);
  });

  it('fills a file to the last byte and no further', () => {
    const folder = makeScratchFolder();
    const path = join(folder, 'log.jsonl');
    const fill = lineOf('fill');
    const room = capBytes - Buffer.byteLength(fill);
    writeFileSync(path, `${' '.repeat(room - Buffer.byteLength(lineOf('a')) - 1)}\n`);
    appendFileSync(path, fill);
    const log = openEventLog(folder);
    log.append(makeEvent('a'), true);
    expect(statSync(path).size).toBe(capBytes);
    log.append(makeEvent('b'), true);
    expect(readFileSync(path, 'utf8')).toBe(lineOf('b'));
  });

  it('takes a record that is longer than a file', () => {
    const folder = makeScratchFolder();
    const log = openEventLog(folder);
    log.append(makeEvent('a'), true);
    log.append(makeEvent('long', { text: 'x'.repeat(capBytes + 1) }), true);
    log.append(makeEvent('b'), true);
    expect(incidentsIn(folder)).toEqual(['long', 'b']);
  });

  it('does not have a happening twice across the two files', () => {
    const folder = makeScratchFolder();
    const log = openEventLog(folder);
    for (let count = 0; count < 6; count += 1) {
      log.append(makeEvent(`i${count}`, { text: longText }), true);
    }
    const kept = incidentsIn(folder);
    expect(kept).toEqual(['i0', 'i1', 'i2', 'i3', 'i4', 'i5']);
    const next = openEventLog(folder);
    for (const incident of kept) {
      expect(next.append(makeEvent(incident), true).kind).toBe('already-there');
    }
  });

  it('does not forget in this process what has been rotated away', () => {
    const folder = makeScratchFolder();
    const log = openEventLog(folder);
    for (let count = 0; count < 12; count += 1) {
      log.append(makeEvent(`i${count}`, { text: longText }), true);
    }
    expect(incidentsIn(folder)).not.toContain('i0');
    expect(log.append(makeEvent('i0'), true).kind).toBe('already-there');
  });
});

describe('a disk that takes nothing', () => {
  it('has the records wait, says so, and writes them in order when it is back', () => {
    const folder = join(makeScratchFolder(), 'state');
    writeFileSync(folder, 'a file where the folder belongs');
    const log = openEventLog(folder);
    const failed = { kind: 'failed', errorCode: 'ENOTDIR' };
    expect(log.append(makeEvent('a'), true)).toEqual(failed);
    expect(log.append(makeEvent('b'), true)).toEqual(failed);
    expect(log.append(makeEvent('a'), true)).toEqual({ kind: 'already-there' });
    expect(log.trouble()).toEqual({ errorCode: 'ENOTDIR', waiting: 2, lost: 0 });
    expect(readEventLog(folder).errorCode).toBe('ENOTDIR');
    rmSync(folder);
    expect(log.append(makeEvent('c'), true)).toEqual({ kind: 'appended' });
    expect(log.trouble()).toBeNull();
    expect(incidentsIn(folder)).toEqual(['a', 'b', 'c']);
  });

  it('is tried again when somebody asks', () => {
    const folder = join(makeScratchFolder(), 'state');
    mkdirSync(join(folder, 'log.jsonl'), { recursive: true });
    const log = openEventLog(folder);
    expect(log.append(makeEvent('a'), true)).toMatchObject({ errorCode: 'EISDIR' });
    expect(log.flush()).toEqual({ errorCode: 'EISDIR', waiting: 1, lost: 0 });
    rmSync(join(folder, 'log.jsonl'), { recursive: true });
    expect(log.flush()).toBeNull();
    expect(incidentsIn(folder)).toEqual(['a']);
  });

  it('loses the oldest of very many, and says how many', () => {
    const folder = join(makeScratchFolder(), 'state');
    writeFileSync(folder, '');
    const log = openEventLog(folder);
    for (let count = 0; count < 503; count += 1) log.append(makeEvent(`i${count}`), true);
    expect(log.trouble()).toMatchObject({ waiting: 500, lost: 3 });
    rmSync(folder);
    expect(log.flush()).toBeNull();
    expect(incidentsIn(folder)).toEqual(Array.from({ length: 500 }, (_, index) => `i${index + 3}`));
    expect(log.append(makeEvent('i0'), true).kind).toBe('appended');
  });

  it('adds nothing twice to a log that it could not read before', () => {
    const folder = makeScratchFolder();
    const hidden = join(folder, 'hidden');
    const shown = join(folder, 'state');
    openEventLog(hidden).append(makeEvent('a'), true);
    writeFileSync(shown, '');
    const log = openEventLog(shown);
    expect(log.append(makeEvent('a'), true).kind).toBe('failed');
    rmSync(shown);
    mkdirSync(shown);
    linkSync(join(hidden, 'log.jsonl'), join(shown, 'log.jsonl'));
    expect(log.append(makeEvent('b'), true).kind).toBe('appended');
    expect(incidentsIn(shown)).toEqual(['a', 'b']);
  });

  it.skipIf(process.getuid?.() === 0)('may be one that this user may not write to', () => {
    const folder = makeScratchFolder();
    const log = openEventLog(folder);
    chmodSync(folder, 0o500);
    expect(log.append(makeEvent('a'), true)).toEqual({ kind: 'failed', errorCode: 'EACCES' });
    chmodSync(folder, 0o700);
    expect(log.append(makeEvent('b'), true).kind).toBe('appended');
    expect(incidentsIn(folder)).toEqual(['a', 'b']);
  });
});

describe('reading', () => {
  it('is empty where there is no log', () => {
    const read = { records: [], unreadable: 0, errorCode: null };
    expect(readEventLog(makeScratchFolder())).toEqual(read);
    expect(readEventLog(join(makeScratchFolder(), 'none'))).toEqual(read);
  });

  it('reads the older file first, and counts in both what is no record', () => {
    const folder = makeScratchFolder();
    writeFileSync(join(folder, 'log.1.jsonl'), `${lineOf('a')}junk\n${lineOf('b')}`);
    writeFileSync(join(folder, 'log.jsonl'), `\0\0\n${lineOf('c')}{"at":`);
    expect(incidentsIn(folder)).toEqual(['a', 'b', 'c']);
    expect(readEventLog(folder).unreadable).toBe(2);
  });

  it('reads only the older file in the moment before there is a newer one', () => {
    const folder = makeScratchFolder();
    writeFileSync(join(folder, 'log.1.jsonl'), lineOf('a'));
    expect(incidentsIn(folder)).toEqual(['a']);
  });
});
