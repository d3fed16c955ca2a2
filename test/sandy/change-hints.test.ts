import { mkdirSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createChangeHints } from '../../src/sandy/change-hints.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const LIMIT_MS = 20_000;

function follow() {
  const home = join(makeScratchFolder(), 'home');
  const sandboxes = join(home, 'sandboxes');
  mkdirSync(sandboxes, { recursive: true });
  const barrier = makeScratchFolder();
  let hints = 0;
  const changes = createChangeHints(() => {
    hints += 1;
  });
  onTestFinished(changes.stop);
  changes.follow(home);
  let made = 0;
  /** Changes of several folders are told in order: with this one's, all before it were. */
  const settle = () =>
    new Promise<void>((resolve) => {
      const watcher = watch(barrier, () => {
        watcher.close();
        resolve();
      });
      made += 1;
      writeFileSync(join(barrier, String(made)), '');
    });
  return {
    home,
    sandboxes,
    /** As after each look. */
    look: () => changes.follow(home),
    touch() {
      made += 1;
      writeFileSync(join(sandboxes, `.key-${made}.lock`), '');
    },
    /** Does something that is hinted at, and waits until all is said of it. */
    async hints(change: () => void) {
      const before = hints;
      change();
      await vi.waitFor(() => expect(hints).toBeGreaterThan(before), LIMIT_MS);
      await settle();
    },
    count: () => hints,
    settle,
  };
}

describe('hints at changes of sandy’s folder', () => {
  it('come for what changes in it', async () => {
    const folder = follow();
    await folder.hints(folder.touch);
    folder.look();
    await folder.hints(folder.touch);
  });

  it('come again after it was deleted and made again', async () => {
    const folder = follow();
    await folder.hints(() => rmSync(folder.sandboxes, { recursive: true }));
    folder.look();
    mkdirSync(folder.sandboxes);
    // What changed before it was watched again is hinted at once.
    await folder.hints(folder.look);
    await folder.hints(folder.touch);
  });

  it('come again after it was made again between two looks', async () => {
    const folder = follow();
    await folder.hints(() => rmSync(folder.sandboxes, { recursive: true }));
    mkdirSync(folder.sandboxes);
    await folder.hints(folder.look);
    await folder.hints(folder.touch);
  });

  it('come again after it was moved away, and another one is in its place', async () => {
    const folder = follow();
    renameSync(folder.home, `${folder.home}-old`);
    mkdirSync(folder.sandboxes, { recursive: true });
    await folder.hints(folder.look);
    await folder.hints(folder.touch);
  });

  it('do not come from looking alone', async () => {
    const folder = follow();
    await folder.hints(folder.touch);
    const before = folder.count();
    for (let times = 0; times < 10; times += 1) folder.look();
    await folder.settle();
    expect(folder.count()).toBe(before);
  });
});
