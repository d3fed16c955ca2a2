import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/store/ledger.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const dayMs = 24 * 3_600_000;
const now = Date.UTC(2026, 5, 1);

describe('the ledger', () => {
  it('shows a new notice once, in this process and the next', () => {
    const folder = join(makeScratchFolder(), 'state');
    const first = openLedger(folder, now);
    expect(first.problems).toEqual([]);
    expect(first.mayShow('late:x', true)).toBe(true);
    expect(first.intend(['late:x'], now)).toEqual({ kind: 'written' });
    expect(first.mayShow('late:x', false)).toBe(false);
    first.markShown(['late:x'], now);
    expect(first.mayShow('back:x', true)).toBe(true);
    expect(statSync(join(folder, 'ledger.json')).mode & 0o777).toBe(0o600);
    const second = openLedger(folder, now);
    expect(second.mayShow('late:x', false)).toBe(false);
    expect(second.mayShow('late:x', true)).toBe(false);
    expect(second.stepOf('late:x')).toBe('shown');
    expect(second.stepOf('back:x')).toBeNull();
    expect(second.unsure).toEqual([]);
    second.markDone(['late:x'], now);
    expect(openLedger(folder, now).stepOf('late:x')).toBe('done');
  });

  it('lists what may have been shown, and does not show it again', () => {
    const folder = makeScratchFolder();
    openLedger(folder, now).intend(['late:x'], now);
    const next = openLedger(folder, now);
    expect(next.unsure).toEqual(['late:x']);
    expect(next.mayShow('late:x', false)).toBe(false);
  });

  it('shows what was logged by a process that died before it meant to show it', () => {
    expect(openLedger(makeScratchFolder(), now).mayShow('late:x', false)).toBe(true);
  });

  it('takes any text for an id', () => {
    const folder = makeScratchFolder();
    openLedger(folder, now).markShown(['__proto__'], now);
    const next = openLedger(folder, now);
    expect(next.mayShow('__proto__', true)).toBe(false);
    expect(next.mayShow('constructor', true)).toBe(true);
  });

  it('forgets what is old only when it is told to', () => {
    const folder = makeScratchFolder();
    openLedger(folder, now).markShown(['late:old'], now);
    const later = openLedger(folder, now + 31 * dayMs);
    later.markShown(['late:new'], now + 31 * dayMs);
    expect(later.mayShow('late:old', false)).toBe(false);
    later.prune(now + 31 * dayMs);
    expect(readFileSync(join(folder, 'ledger.json'), 'utf8')).not.toContain('late:old');
    expect(openLedger(folder, now).mayShow('late:new', false)).toBe(false);
  });

  it('goes on in memory when the disk takes nothing, and is written when it does', () => {
    const folder = join(makeScratchFolder(), 'state');
    writeFileSync(folder, '');
    const ledger = openLedger(folder, now);
    expect(ledger.intend(['late:x'], now)).toMatchObject({ kind: 'not-written' });
    expect(ledger.mayShow('late:x', true)).toBe(false);
    rmSync(folder);
    expect(ledger.markShown(['late:y'], now)).toEqual({ kind: 'written' });
    expect(openLedger(folder, now).unsure).toEqual(['late:x']);
  });
});

describe('a ledger that was lost', () => {
  const damages: readonly (readonly [string, string])[] = [
    ['junk', '{"format":1,'],
    ['nothing', ''],
    ['a list', '[]'],
    ['a wrong entry', '{"format":1,"doubtedAt":null,"entries":[{"id":"late:x"}]}'],
    ['no format', '{"doubtedAt":null,"entries":[]}'],
    ['a newer format', '{"format":2,"entries":{"late:x":true}}'],
  ];

  it.each(damages)('is kept and doubted: %s', (_name, text) => {
    const folder = makeScratchFolder();
    const path = join(folder, 'ledger.json');
    writeFileSync(path, text);
    const ledger = openLedger(folder, now);
    expect(readFileSync(`${path}.bad`, 'utf8')).toBe(text);
    expect(ledger.problems).toHaveLength(1);
    expect(ledger.problems[0]).toContain(`${path}.bad`);
    expect(ledger.mayShow('late:logged-before', false)).toBe(false);
    expect(ledger.mayShow('late:logged-now', true)).toBe(true);
  });

  it('says what is wrong with it', () => {
    const folder = makeScratchFolder();
    const path = join(folder, 'ledger.json');
    writeFileSync(path, '{"format":2}');
    expect(openLedger(folder, now).problems).toEqual([
      `${path} was written by a newer sandy-tray; it is kept as ${path}.bad, and what the log had before is not notified again.`,
    ]);
  });

  it('is doubted by the next processes too, also when none of them has written yet', () => {
    const folder = makeScratchFolder();
    writeFileSync(join(folder, 'ledger.json'), 'junk');
    openLedger(folder, now);
    const second = openLedger(folder, now);
    expect(second.mayShow('late:logged-before', false)).toBe(false);
    second.intend(['late:other'], now);
    const third = openLedger(folder, now);
    expect(third.problems).toEqual([]);
    expect(third.mayShow('late:logged-before', false)).toBe(false);
    third.prune(now + 31 * dayMs);
    expect(openLedger(folder, now).mayShow('late:logged-before', false)).toBe(true);
  });

  it('is never written over, however many were lost', () => {
    const folder = makeScratchFolder();
    for (const text of ['one', 'two', 'three']) {
      writeFileSync(join(folder, 'ledger.json'), text);
      openLedger(folder, now).intend(['late:x'], now);
    }
    const kept = ['ledger.json.bad', 'ledger.json.2.bad', 'ledger.json.3.bad'];
    expect(kept.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
      'one',
      'two',
      'three',
    ]);
    expect(readdirSync(folder).sort()).toEqual(['ledger.json', ...kept].sort());
  });

  it('may be no file at all', () => {
    const folder = makeScratchFolder();
    mkdirSync(join(folder, 'ledger.json', 'inside'), { recursive: true });
    const ledger = openLedger(folder, now);
    expect(ledger.problems[0]).toContain('EISDIR');
    expect(ledger.intend(['late:x'], now)).toEqual({ kind: 'written' });
    expect(readdirSync(join(folder, 'ledger.json.bad'))).toEqual(['inside']);
  });
});
