import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSystrayBinary, installSystrayBinary } from '../../src/tray/systray-binary.ts';
import { prepareSystrayHelper } from '../../src/tray/systray-helper.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const source = findSystrayBinary('linux');
const install = (folder: string, from = source) => installSystrayBinary(from, 'linux', folder);
const modeOf = (path: string) => statSync(path).mode & 0o7777;

async function installIn(folder: string) {
  const outcome = await install(folder);
  if (outcome.kind !== 'installed') throw new Error(JSON.stringify(outcome));
  return outcome;
}

describe("the helper's program", () => {
  test('is found in the package, for the systems that it is made for', () => {
    expect(source).toMatch(/\/node_modules\/systray2\/traybin\/tray_linux_release$/);
    expect(findSystrayBinary('darwin')).toMatch(/tray_darwin_release$/);
    expect(findSystrayBinary('win32')).toBeNull();
  });

  test('is of the pinned bytes, on both systems', async () => {
    const folder = makeScratchFolder();
    for (const platform of ['linux', 'darwin'] as const) {
      const outcome = await installSystrayBinary(findSystrayBinary(platform), platform, folder);
      expect(outcome.kind).toBe('installed');
    }
    expect(readdirSync(join(folder, 'tray')).length).toBe(2);
  });

  test('is copied for this user alone, and not again', async () => {
    const folder = makeScratchFolder();
    const { path, scratchFolder } = await installIn(folder);
    for (const each of [join(folder, 'tray'), dirname(path), path, scratchFolder]) {
      expect(modeOf(each)).toBe(0o700);
    }
    expect(readFileSync(path).equals(readFileSync(source ?? ''))).toBe(true);
    const { ino } = statSync(path);
    writeFileSync(join(scratchFolder, 'systray_123'), 'left behind');
    expect(await installIn(folder)).toEqual({ kind: 'installed', path, scratchFolder });
    expect(statSync(path).ino).toBe(ino);
    expect(readdirSync(scratchFolder)).toEqual([]);
    expect(readdirSync(dirname(path)).sort()).toEqual(['pictures', 'tray_linux_release']);
  });

  test('is put right when its copy is another one, a link, or open to others', async () => {
    const folder = makeScratchFolder();
    const { path } = await installIn(folder);
    writeFileSync(path, '#!/bin/sh\n');
    await installIn(folder);
    expect(statSync(path).size).toBe(statSync(source ?? '').size);
    chmodSync(path, 0o777);
    chmodSync(dirname(path), 0o777);
    await installIn(folder);
    expect([modeOf(path), modeOf(dirname(path))]).toEqual([0o700, 0o700]);
  });

  test('is refused with other bytes, and nothing is left of it', async () => {
    const folder = makeScratchFolder();
    const wrong = join(folder, 'tray_linux_release');
    copyFileSync(source ?? '', wrong);
    writeFileSync(wrong, 'x', { flag: 'a' });
    const outcome = await install(folder, wrong);
    expect(outcome).toEqual({ kind: 'refused', reason: { kind: 'wrong-digest', detail: wrong } });
    const [home = ''] = readdirSync(join(folder, 'tray'));
    expect(readdirSync(join(folder, 'tray', home))).toEqual([]);
  });

  test('is missed where it is not, and not copied where that is not possible', async () => {
    const folder = makeScratchFolder();
    const missing = await install(folder, join(folder, 'none'));
    expect(missing).toMatchObject({ kind: 'refused', reason: { kind: 'no-package' } });
    expect(await install(folder, null)).toMatchObject({ reason: { kind: 'no-package' } });
    const blocked = makeScratchFolder();
    writeFileSync(join(blocked, 'tray'), '');
    expect(await install(blocked)).toMatchObject({ reason: { kind: 'not-copied' } });
    const linked = makeScratchFolder();
    mkdirSync(join(linked, 'elsewhere'));
    symlinkSync(join(linked, 'elsewhere'), join(linked, 'tray'));
    expect(await install(linked)).toMatchObject({ reason: { kind: 'not-copied' } });
    expect(readdirSync(join(linked, 'elsewhere'))).toEqual([]);
  });

  test('is run with little of our environment, and without a bus', async () => {
    const folder = makeScratchFolder();
    const variables = {
      DISPLAY: ':7',
      HOME: '/home/dev',
      LANG: 'C.UTF-8',
      PATH: '/bin',
      LD_PRELOAD: '/evil.so',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
    };
    const prepared = await prepareSystrayHelper(source, 'linux', folder, variables);
    if (prepared.kind !== 'prepared') throw new Error(JSON.stringify(prepared));
    expect(prepared.command.environment).toEqual({
      DISPLAY: ':7',
      HOME: '/home/dev',
      LANG: 'C.UTF-8',
      TMPDIR: join(dirname(prepared.command.file), 'pictures'),
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      NO_AT_BRIDGE: '1',
      GDK_BACKEND: 'x11',
    });
    const without = { ...variables, DISPLAY: '' };
    expect(await prepareSystrayHelper(source, 'linux', folder, without)).toEqual({
      kind: 'refused',
      reason: { kind: 'no-display', detail: '' },
    });
  });
});
