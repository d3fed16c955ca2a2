import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeNoResources } from '../../src/system/texts.ts';
import { unpack } from '../../src/system/unpacking.ts';
import { canMount } from '../mounts.ts';
import { type Bundle, bundleScript, startScript } from '../node-script.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { samplePack } from './sample-pack.ts';

const pack = samplePack();
const isRoot = process.getuid?.() === 0;

function unpackIn(base: string): string {
  const outcome = unpack(pack, base);
  if (outcome.kind !== 'unpacked') throw new Error(JSON.stringify(outcome));
  return outcome.folder;
}

function readAll(folder: string) {
  return pack.files.map(({ path }) => {
    const { mode } = lstatSync(join(folder, path));
    const sha256 = createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
    return { path, mode: mode & 0o7777, sha256 };
  });
}

const asPacked = pack.files.map(({ path, mode, sha256 }) => ({ path, mode, sha256 }));
const inodeOf = (path: string) => statSync(path).ino;

describe('unpacking', () => {
  test('makes the folder of this version, for this user alone, whatever the umask is', () => {
    const base = join(makeScratchFolder(), 'data', 'runtime');
    const umask = process.umask(0o777 & 0o027);
    try {
      const folder = unpackIn(base);
      expect(folder).toBe(join(base, pack.name));
      expect(readAll(folder)).toEqual(asPacked);
      for (const each of [base, folder, join(folder, 'assets')]) {
        expect(statSync(each).mode & 0o7777).toBe(0o700);
      }
      expect(readdirSync(base).sort()).toEqual([pack.name, 'in-use']);
    } finally {
      process.umask(umask);
    }
  });

  test('leaves alone what is whole', () => {
    const base = makeScratchFolder();
    const before = pack.files.map(({ path }) => inodeOf(join(unpackIn(base), path)));
    expect(pack.files.map(({ path }) => inodeOf(join(unpackIn(base), path)))).toEqual(before);
  });

  test('another version is beside it, and neither touches the other', () => {
    const base = makeScratchFolder();
    const folder = unpackIn(base);
    const before = inodeOf(folder);
    expect(unpack(samplePack('1.2.4'), base).kind).toBe('unpacked');
    expect(readAll(folder)).toEqual(asPacked);
    expect(inodeOf(folder)).toBe(before);
  });

  const addon = 'node_modules/addon/addon.node';
  test.each<[string, (path: string) => void]>([
    ['is missing', (path) => rmSync(path)],
    ['is missing with its folder', (path) => rmSync(dirname(path), { recursive: true })],
    ['was cut', (path) => truncateSync(path, 1_000)],
    ['has another byte', (path) => writeFileSync(path, Buffer.alloc(500_000, 'Addon'))],
    ['may not be run', (path) => chmodSync(path, 0o600)],
    ['may be written by others', (path) => chmodSync(path, 0o777)],
    [
      'is a link to a file of the same bytes',
      (path) => {
        writeFileSync(`${path}.2`, readFileSync(path), { mode: 0o700 });
        rmSync(path);
        symlinkSync(`${path}.2`, path);
      },
    ],
  ])('puts right a file that %s, and no other', (_, damage) => {
    const base = makeScratchFolder();
    const folder = unpackIn(base);
    const other = inodeOf(join(folder, 'assets/icon.png'));
    const before = inodeOf(folder);
    damage(join(folder, addon));
    expect(unpackIn(base)).toBe(folder);
    expect(readAll(folder)).toEqual(asPacked);
    expect(inodeOf(join(folder, 'assets/icon.png'))).toBe(other);
    expect(inodeOf(folder)).toBe(before);
  });

  test.runIf(isRoot)('puts right a file that belongs to somebody else', () => {
    const base = makeScratchFolder();
    const path = join(unpackIn(base), addon);
    chownSync(path, 65_534, 65_534);
    unpackIn(base);
    expect(statSync(path).uid).toBe(0);
  });
});

describe('refuses, in a sentence that says what to do', () => {
  function refuse(base: string) {
    const outcome = unpack(pack, base);
    if (outcome.kind === 'unpacked') throw new Error('it was unpacked');
    expect(describeNoResources(outcome)).toMatch(/SANDY_TRAY_DIR/);
    expect(describeNoResources(outcome)).toContain(base);
    return outcome;
  }

  test.each([0o720, 0o702, 0o777])('a base of mode %o', (mode) => {
    const base = makeScratchFolder();
    chmodSync(base, mode);
    expect(refuse(base)).toEqual({ kind: 'not-private', base });
    expect(readdirSync(base)).toEqual([]);
  });

  test('a base that is a link', () => {
    const folder = makeScratchFolder();
    const base = join(folder, 'link');
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(folder, 'elsewhere'), base);
    expect(refuse(base).kind).toBe('not-private');
  });

  test.runIf(isRoot)('a base of somebody else', () => {
    const base = makeScratchFolder();
    chownSync(base, 65_534, 65_534);
    expect(refuse(base)).toEqual({ kind: 'not-private', base });
    expect(readdirSync(base)).toEqual([]);
  });

  test('a base that can’t be made', () => {
    const file = join(makeScratchFolder(), 'file');
    writeFileSync(file, '');
    expect(refuse(join(file, 'runtime'))).toMatchObject({
      kind: 'not-written',
      errorCode: 'ENOTDIR',
    });
  });
});

describe('by processes of their own', () => {
  let unpacker = '';
  let remove: Bundle['remove'] = () => {};
  beforeAll(async () => {
    const bundle = await bundleScript(join(import.meta.dirname, 'unpacker.ts'));
    unpacker = bundle.file;
    remove = bundle.remove;
  });
  afterAll(() => remove());

  test('24 first starts at once make one folder, whole for each of them', async () => {
    const base = join(makeScratchFolder(), 'runtime');
    const scripts = Array.from({ length: 24 }, () => startScript(unpacker, [base]));
    await Promise.all(scripts.map((script) => script.hear()));
    for (const script of scripts) script.tell('go');
    const outcome = { kind: 'unpacked', folder: join(base, pack.name), whole: true };
    expect(await Promise.all(scripts.map((script) => script.hear()))).toEqual(
      scripts.map(() => outcome),
    );
    expect(readdirSync(base).sort()).toEqual([pack.name, 'in-use']);
    const holders = readdirSync(join(base, 'in-use', pack.name)).sort();
    expect(holders).toEqual(scripts.map(({ pid }) => String(pid)).sort());
    for (const script of scripts) script.tell('end');
    await Promise.all(scripts.map(({ ended }) => ended));
    expect(readdirSync(join(base, 'in-use', pack.name))).toEqual([]);
  });

  test.skipIf(!canMount).each([
    ['noexec', { kind: 'not-executable' }],
    ['ro', { kind: 'not-written', errorCode: 'EROFS' }],
    ['size=16k', { kind: 'not-written', errorCode: 'ENOSPC' }],
  ])('a file system that is mounted %s is refused, and left as it was', (option, refusal) => {
    const base = makeScratchFolder();
    const script =
      'mount -t tmpfs -o mode=700,"$1" none "$2" && "$3" "$4" "$2" && ls -A "$2/in-use" > /dev/null; ls -A "$2"';
    const args = ['-m', 'sh', '-c', script, 'sh', option, base, process.execPath, unpacker];
    const { stdout, stderr } = spawnSync('unshare', args, { input: 'go\nend\n', encoding: 'utf8' });
    const [, outcome = '', ...left] = stdout.trim().split('\n');
    expect(JSON.parse(outcome), stderr).toEqual({ ...refusal, base, whole: false });
    expect(left.filter((name) => name !== 'in-use' && name !== '')).toEqual([]);
  });
});
