import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { chooseSession } from '../../src/commands/session-argument.ts';
import type { SessionView } from '../../src/fleet/view.ts';

/** What a process asks for a folder's canonical name; on a disk that is gone it never gets an answer. */
const asked = vi.hoisted(() => ({ paths: [] as string[] }));
vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs')>();
  return {
    ...real,
    realpathSync: (path: string) => {
      asked.paths.push(path);
      return real.realpathSync(path);
    },
  };
});

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-argument-')));
  for (const name of ['atlas', 'bo', 'kiln', 'new', 'za']) mkdirSync(join(folder, name));
  symlinkSync('kiln', join(folder, 'link'));
  symlinkSync('atlas', join(folder, 'old'));
  symlinkSync('loop', join(folder, 'loop'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  asked.paths = [];
});

const session = (key: string, workspace: string | null) => ({ key, workspace }) as SessionView;
const sessions = () => [
  session('gone-1', '/mnt/gone/one'),
  session('loop-1', join(folder, 'loop')),
  session('kiln-1', join(folder, 'kiln')),
  session('zork-1', join(folder, 'zork')),
  session('bo-1', join(folder, 'far')),
  session('atom-1', join(folder, 'bo')),
  session('zork-2', null),
  session('za-1', join(folder, 'elsewhere')),
  // It was moved since, and a link is in its old place.
  session('atlas-1', join(folder, 'old')),
];

/** The session's key, or why there is none. */
const choose = (argument: string, cwd = folder) => {
  const choice = chooseSession(argument, sessions(), cwd);
  return choice.kind === 'found' ? choice.session.key : choice.why;
};

describe('which session is meant, without a look at any session’s folder', () => {
  test.each([
    ['a key', 'gone-1', 'gone-1'],
    ['the path that sandy names', '/mnt/gone/one', 'gone-1'],
    ['a path that is not canonical', 'link', 'kiln-1'],
    ['a path with nothing there any more', './zork', 'zork-1'],
    ['a path before the beginning of a key', 'bo', 'atom-1'],
    ['the beginning of a key', 'gon', 'gone-1'],
    ['the beginning of two', 'zor', 'several'],
    ['nothing that there is', 'nope', 'none'],
    ['the path of another folder that begins a key', 'za', 'za-1'],
    ['the old path of one that was moved', 'old', 'atlas-1'],
    ['a link in a circle', 'loop', 'loop-1'],
  ])('%s: %s', (_, argument, meant) => {
    expect(choose(argument)).toBe(meant);
    // Only the argument itself is looked at.
    expect(asked.paths.filter((path) => path !== resolve(folder, argument))).toEqual([]);
  });

  test('the current folder', () => {
    const kiln = join(folder, 'kiln');
    expect(choose('.', kiln)).toBe('kiln-1');
    expect(asked.paths).toEqual([kiln]);
  });
});

test('a folder that fits none is looked for behind links', () => {
  expect(choose('./atlas')).toBe('atlas-1');
  expect(choose('.', join(folder, 'atlas'))).toBe('atlas-1');
  expect(choose('new')).toBe('none');
});
