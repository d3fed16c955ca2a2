import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import {
  acquireLock,
  type HeldLock,
  type LockPlace,
  readLock,
} from '../../src/system/lock-file.ts';
import { identifyProcess, type ProcessIdentity } from '../../src/system/process-identity.ts';
import { bundleScript, type Script, startScript } from '../node-script.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

interface Info {
  readonly turn: number;
}

const infoSchema = z.object({ turn: z.int() });
const placeIn = (folder: string): LockPlace<Info> => ({ folder, name: 'race', infoSchema });

async function hold(folder: string, turn = 1): Promise<HeldLock<Info>> {
  const lock = await acquireLock(placeIn(folder), { turn });
  if (lock.kind !== 'held') throw new Error(JSON.stringify(lock));
  return lock;
}

async function identifySelf(): Promise<ProcessIdentity> {
  const identity = await identifyProcess(process.pid);
  if (identity === null) throw new Error('nobody knows us');
  return identity;
}

function writeGeneration(folder: string, generation: number, text: string): void {
  writeFileSync(join(folder, `race.${generation}`), text);
}

/** What a holder that died in another boot, or before its number was given away, leaves. */
function writeStale(folder: string, generation = 7): void {
  const holder = { pid: process.pid, birth: 'another life' };
  writeGeneration(folder, generation, JSON.stringify({ holder, info: { turn: 1 } }));
}

describe('a lock in one process', () => {
  it('is held by one, named to others, and free again after its release', async () => {
    const folder = join(makeScratchFolder(), 'new', 'folder');
    expect(await readLock(placeIn(folder))).toEqual({ kind: 'free' });
    const lock = await hold(folder, 1);
    const busy = { kind: 'busy', holder: { pid: process.pid, info: { turn: 1 } } };
    expect(await acquireLock(placeIn(folder), { turn: 2 })).toEqual(busy);
    expect(await readLock(placeIn(folder))).toEqual(busy);
    expect(await lock.update({ turn: 3 })).toEqual({ kind: 'written' });
    expect(await readLock(placeIn(folder))).toMatchObject({ holder: { info: { turn: 3 } } });
    expect(await lock.release()).toEqual({ kind: 'written' });
    expect(await readLock(placeIn(folder))).toEqual({ kind: 'free' });
    await (await hold(folder, 4)).release();
    expect(readdirSync(folder)).toEqual(['race.2']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'race.2')).mode & 0o777).toBe(0o600);
  });

  it('stays free whatever its last holder still writes', async () => {
    const folder = makeScratchFolder();
    const lock = await hold(folder);
    const updating = lock.update({ turn: 2 });
    const releasing = lock.release();
    const late = await lock.update({ turn: 3 });
    expect(late).toEqual({ kind: 'not-written', errorCode: 'released' });
    await Promise.all([updating, releasing]);
    expect(await readLock(placeIn(folder))).toEqual({ kind: 'free' });
    const next = await hold(folder);
    expect(await lock.update({ turn: 4 })).toMatchObject({ kind: 'not-written' });
    await lock.release();
    expect(await readLock(placeIn(folder))).toMatchObject({ kind: 'busy' });
    await next.release();
  });

  it('clears away what killed ones left, and nothing of another lock', async () => {
    const folder = makeScratchFolder();
    for (const generation of [3, 9, 10]) writeStale(folder, generation);
    const others = ['race-two.4', 'race.conf', 'race.11x', 'race.5.tmp', 'races.1'];
    for (const name of [...others, 'race.10.00112233aabb.tmp', 'race.2.00112233aabb.tmp']) {
      writeFileSync(join(folder, name), '');
    }
    await (await hold(folder)).release();
    expect(readdirSync(folder).sort()).toEqual([...others, 'race.11'].sort());
  });

  it.each([
    ['empty', ''],
    ['cut', '{"holder":{"pi'],
    ['zeros', '\0'.repeat(100)],
    ['no holder', '{"info":{"turn":1}}'],
    ['a wrong number', '{"holder":{"pid":0,"birth":"x"}}'],
    ['a number that names a group', '{"holder":{"pid":-1,"birth":"x"}}'],
    ['a number beyond all', '{"holder":{"pid":9007199254740991,"birth":"x"}}'],
  ])('is free where its file says nothing sensible: %s', async (_, text) => {
    const folder = makeScratchFolder();
    writeGeneration(folder, 1, text);
    expect(await readLock(placeIn(folder))).toEqual({ kind: 'free' });
    await (await hold(folder)).release();
  });

  it('is busy where another version’s holder says what nobody here understands', async () => {
    const folder = makeScratchFolder();
    const holder = await identifySelf();
    writeGeneration(folder, 1, JSON.stringify({ holder, info: { of: 'later' }, more: 1 }));
    const busy = { kind: 'busy', holder: { pid: process.pid, info: null } };
    expect(await acquireLock(placeIn(folder), { turn: 1 })).toEqual(busy);
  });

  it('says when it can’t know', async () => {
    const folder = makeScratchFolder();
    mkdirSync(join(folder, 'race.1'));
    const failed = { kind: 'failed', errorCode: 'EISDIR' };
    expect(await acquireLock(placeIn(folder), { turn: 1 })).toEqual(failed);
    expect(await readLock(placeIn(folder))).toEqual(failed);
    writeFileSync(join(folder, 'file'), '');
    const below = placeIn(join(folder, 'file'));
    expect(await acquireLock(below, { turn: 1 })).toMatchObject({ kind: 'failed' });
    expect(await readLock(below)).toMatchObject({ kind: 'failed' });
  });

  it('refuses a name that would reach elsewhere', async () => {
    const place = { ...placeIn(makeScratchFolder()), name: '../race' };
    await expect(acquireLock(place, { turn: 1 })).rejects.toThrow(RangeError);
    await expect(readLock(place)).rejects.toThrow(RangeError);
  });
});

describe('a lock and the life of its holder', () => {
  it('is busy while its holder lives, and free once the number is another’s', async () => {
    const folder = makeScratchFolder();
    const child = spawn('sleep', ['1000']);
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const holder = await identifyProcess(child.pid ?? 0);
    writeGeneration(folder, 1, JSON.stringify({ holder, info: { turn: 1 } }));
    expect(await acquireLock(placeIn(folder), { turn: 1 })).toMatchObject({
      kind: 'busy',
      holder: { pid: child.pid },
    });
    const recycled = { pid: child.pid, birth: 'another life' };
    writeGeneration(folder, 1, JSON.stringify({ holder: recycled, info: { turn: 1 } }));
    expect(await readLock(placeIn(folder))).toEqual({ kind: 'free' });
    await (await hold(folder)).release();
  });
});

// The limit only ends a hung test: on a busy machine a hundred processes take their time.
describe('a lock between processes', { timeout: 240_000 }, () => {
  let racer = '';
  beforeAll(async () => {
    const bundle = await bundleScript(join(import.meta.dirname, 'lock-racer.ts'));
    racer = bundle.file;
    return bundle.remove;
  });

  async function start(folder: string, ...more: readonly string[]): Promise<Script> {
    const script = startScript(racer, [folder, join(folder, 'log'), ...more]);
    expect(await script.hear()).toBe('ready');
    return script;
  }

  /** Reads the log: whoever enters finds nobody inside. Returns how many holdings there were. */
  function expectOneAtATime(folder: string): number {
    const inside = new Set<string>();
    let holdings = 0;
    for (const line of readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')) {
      const [event = '', pid = ''] = line.split(' ');
      if (event === 'enter') {
        expect([...inside]).toEqual([]);
        inside.add(pid);
        holdings += 1;
      } else {
        inside.delete(pid);
      }
    }
    return holdings;
  }

  it('is never held by two of 24, each of whom gets it four times', async () => {
    const folder = makeScratchFolder();
    writeStale(folder);
    const racers = await Promise.all(Array.from({ length: 24 }, () => start(folder, '4')));
    for (const script of racers) script.tell('go');
    expect(await Promise.all(racers.map(({ ended }) => ended))).toEqual(racers.map(() => 0));
    expect(expectOneAtATime(folder)).toBe(96);
    const left = readdirSync(folder).filter((name) => name !== 'log');
    expect(left).toEqual(['race.103']);
  });

  it('is never held by two, and never stuck, while racers are killed at every operation', async () => {
    const folder = makeScratchFolder();
    writeStale(folder);
    const survivors = await Promise.all(Array.from({ length: 6 }, () => start(folder, '8')));
    const victims = await Promise.all(
      ['during', 'after'].flatMap((when) =>
        Array.from({ length: 15 }, (_, index) => start(folder, '1000', `${index + 1}`, when)),
      ),
    );
    for (const script of [...victims, ...survivors]) script.tell('go');
    expect(await Promise.all(survivors.map(({ ended }) => ended))).toEqual(survivors.map(() => 0));
    const ends = await Promise.all(victims.map(({ ended }) => ended));
    expect(ends).toEqual(victims.map(() => 'SIGKILL'));
    expect(expectOneAtATime(folder)).toBeGreaterThanOrEqual(48);
    await (await hold(folder)).release();
    expect(readdirSync(folder).filter((name) => name !== 'log')).toHaveLength(1);
  });

  it('goes to the next one wherever its taker or holder was killed', async () => {
    const trial = makeScratchFolder();
    writeStale(trial);
    const whole = await start(trial, '1');
    whole.tell('go');
    const { operations } = (await whole.hear()) as { operations: number };
    expect(operations).toBeGreaterThan(12);
    for (const when of ['during', 'after']) {
      const numbers = Array.from({ length: operations }, (_, index) => index + 1);
      await Promise.all(
        numbers.map(async (number) => {
          const folder = makeScratchFolder();
          writeStale(folder);
          const victim = await start(folder, '1', `${number}`, when);
          victim.tell('go');
          expect(await victim.ended).toBe('SIGKILL');
          await (await hold(folder)).release();
          expect(readdirSync(folder).filter((name) => name !== 'log')).toHaveLength(1);
        }),
      );
    }
  });

  it('is not taken by one who slept while its number came and went', async () => {
    const folder = makeScratchFolder();
    const sleeper = await start(folder, '1', '0', 'paused');
    sleeper.tell('go');
    expect(await sleeper.hear()).toBe('paused');
    await (await hold(folder)).release();
    const lock = await hold(folder, 5);
    expect(readdirSync(folder).filter((name) => /^race\.\d+$/.test(name))).toEqual(['race.2']);
    sleeper.tell('go');
    expect(await sleeper.hear()).toEqual({
      kind: 'busy',
      holder: { pid: process.pid, info: { turn: 5 } },
    });
    await lock.release();
  });
});
