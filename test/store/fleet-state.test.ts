import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/fleet/model.ts';
import { openFleetState } from '../../src/store/fleet-state.ts';
import { applySaved, nothingSaved } from '../../src/store/saved-fleet.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { makeEvent, makeModel, makeRow, withRows } from './fleet-parts.ts';

const modelOf = (...keys: string[]): Model =>
  withRows(
    makeModel(),
    keys.map((key) => makeRow(key)),
  );
const keysIn = (folder: string) => openFleetState(folder).saved.rows.map((row) => row.key);
const inodeOf = (path: string) => statSync(path, { bigint: true }).ino;

describe('saving the fleet', () => {
  it('starts with nothing, and gives the next process what was saved', () => {
    const folder = join(makeScratchFolder(), 'state');
    const first = openFleetState(folder);
    expect(first.saved).toEqual(nothingSaved);
    expect(first.problems).toEqual([]);
    const model: Model = {
      ...modelOf('a', '__proto__', '\ud800'),
      held: [makeEvent('late:a')],
      stopIntents: new Map([['__proto__', 7]]),
    };
    expect(first.save(model)).toEqual({ kind: 'written' });
    expect(statSync(join(folder, 'state.json')).mode & 0o777).toBe(0o600);
    const second = openFleetState(folder);
    expect(second.problems).toEqual([]);
    expect(applySaved(makeModel(), second.saved)).toEqual(model);
  });

  it('writes nothing when nothing has changed, and anew when the file was taken away', () => {
    const folder = makeScratchFolder();
    const path = join(folder, 'state.json');
    const state = openFleetState(folder);
    state.save(modelOf('a'));
    const before = inodeOf(path);
    state.save({ ...modelOf('a'), wish: null });
    expect(inodeOf(path)).toBe(before);
    expect(openFleetState(folder).save(modelOf('a'))).toEqual({ kind: 'written' });
    expect(inodeOf(path)).toBe(before);
    rmSync(path);
    state.save(modelOf('a'));
    expect(keysIn(folder)).toEqual(['a']);
  });

  it('keeps rows that the model does not have, unless they were forgotten', () => {
    const folder = makeScratchFolder();
    openFleetState(folder).save(modelOf('a', 'b', 'c'));
    const state = openFleetState(folder);
    state.save(modelOf('a'));
    expect(keysIn(folder)).toEqual(['a', 'b', 'c']);
    state.save(modelOf('a'), ['b']);
    expect(keysIn(folder)).toEqual(['a', 'c']);
    state.save(modelOf('a', 'b'), ['c']);
    expect(keysIn(folder)).toEqual(['a', 'b']);
  });

  it('takes up rows that another process has written meanwhile', () => {
    const folder = makeScratchFolder();
    const state = openFleetState(folder);
    state.save(modelOf('a'));
    openFleetState(folder).save(modelOf('b'));
    state.save(modelOf('a'));
    expect(keysIn(folder).sort()).toEqual(['a', 'b']);
  });

  it('remembers what was forgotten until it could be written', () => {
    const folder = join(makeScratchFolder(), 'state');
    openFleetState(folder).save(modelOf('a', 'b'));
    const state = openFleetState(folder);
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, '');
    expect(state.save(modelOf('a'), ['b'])).toMatchObject({ kind: 'not-written' });
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    expect(state.save(modelOf('a'))).toEqual({ kind: 'written' });
    expect(keysIn(folder)).toEqual(['a']);
  });

  it('loses no row of a file that could not be reached at the start', () => {
    const folder = join(makeScratchFolder(), 'state');
    openFleetState(folder).save(modelOf('a', 'b'));
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, '');
    const state = openFleetState(folder);
    expect(state.saved).toEqual(nothingSaved);
    expect(state.problems[0]).toContain('ENOTDIR');
    expect(state.save(modelOf('c'))).toEqual({ kind: 'not-written', errorCode: 'ENOTDIR' });
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    expect(state.save(modelOf('c'))).toEqual({ kind: 'written' });
    expect(keysIn(folder)).toEqual(['c', 'a', 'b']);
  });

  it('removes the drafts of killed processes, and none that may still be written', () => {
    const folder = makeScratchFolder();
    const old = join(folder, 'state.json.0123456789ab.tmp');
    for (const path of [old, join(folder, 'state.json.ba9876543210.tmp')]) writeFileSync(path, '');
    writeFileSync(join(folder, 'other.json.0123456789ab.tmp'), '');
    utimesSync(old, 1_000, 1_000);
    utimesSync(join(folder, 'other.json.0123456789ab.tmp'), 1_000, 1_000);
    openFleetState(folder);
    expect(readdirSync(folder).sort()).toEqual([
      'other.json.0123456789ab.tmp',
      'state.json.ba9876543210.tmp',
    ]);
  });
});

describe('a state that cannot be read', () => {
  it.each([
    ['junk', '{"format":1,', 'is damaged'],
    ['nothing', '', 'is damaged'],
    ['a wrong frame', '{"format":1,"rows":[]}', 'is damaged'],
    ['an older format', '{"format":0}', 'is damaged'],
    ['a newer format', '{"format":2,"rows":"elsewhere"}', 'was written by a newer sandy-tray'],
  ])('is kept and said: %s', (_name, text, said) => {
    const folder = makeScratchFolder();
    const path = join(folder, 'state.json');
    writeFileSync(path, text);
    const state = openFleetState(folder);
    expect(state.saved).toEqual(nothingSaved);
    expect(state.problems).toEqual([
      `${path} ${said}; it is kept as ${path}.bad, and the sessions are taken as they are found.`,
    ]);
    state.save(modelOf('a'));
    expect(readFileSync(`${path}.bad`, 'utf8')).toBe(text);
    expect(keysIn(folder)).toEqual(['a']);
  });

  it('is kept and said as well when it is damaged while we run', () => {
    const folder = makeScratchFolder();
    const path = join(folder, 'state.json');
    const state = openFleetState(folder);
    state.save(modelOf('a'));
    writeFileSync(path, 'edited');
    expect(state.save(modelOf('a'))).toEqual({ kind: 'written' });
    expect(readFileSync(`${path}.bad`, 'utf8')).toBe('edited');
    expect(state.problems).toHaveLength(1);
    expect(keysIn(folder)).toEqual(['a']);
  });

  it('loses the one row that is wrong, and keeps a copy, once', () => {
    const folder = makeScratchFolder();
    const path = join(folder, 'state.json');
    openFleetState(folder).save(modelOf('a', 'b', 'c'));
    const text = readFileSync(path, 'utf8').replace('"key":"b"', '"key":17');
    writeFileSync(path, text);
    openFleetState(folder);
    const state = openFleetState(folder);
    expect(state.saved.rows.map((row) => row.key)).toEqual(['a', 'c']);
    expect(state.problems).toEqual([
      `${path} has 1 part that can't be read; a copy is kept as ${path}.bad, and the rest is used.`,
    ]);
    expect(readFileSync(path, 'utf8')).toBe(text);
    state.save(applySaved(makeModel(), state.saved));
    expect(readFileSync(`${path}.bad`, 'utf8')).toBe(text);
    expect(keysIn(folder)).toEqual(['a', 'c']);
    expect(readdirSync(folder).sort()).toEqual(['state.json', 'state.json.bad']);
  });
});
