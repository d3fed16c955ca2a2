import { describe, expect, it } from 'vitest';
import { nameDataFolder, nameFolders } from '../../src/system/paths.ts';
import { describeWrongFolders } from '../../src/system/texts.ts';

const linux = { environment: {}, home: '/home/dev', platform: 'linux' } as const;
const mac = { environment: {}, home: '/Users/dev', platform: 'darwin' } as const;

describe('naming the folders', () => {
  it('uses the usual places on Linux', () => {
    expect(nameFolders(linux)).toEqual({
      kind: 'found',
      folders: {
        config: '/home/dev/.config/sandy-tray',
        state: '/home/dev/.local/state/sandy-tray',
        logs: '/home/dev/.local/state/sandy-tray',
      },
    });
  });

  it('uses absolute XDG folders, even without a home', () => {
    const environment = { XDG_CONFIG_HOME: '/x/config', XDG_STATE_HOME: '/x/state' };
    expect(nameFolders({ ...linux, home: null, environment })).toEqual({
      kind: 'found',
      folders: {
        config: '/x/config/sandy-tray',
        state: '/x/state/sandy-tray',
        logs: '/x/state/sandy-tray',
      },
    });
  });

  it.each(['', 'relative', './x', '~/x'])('ignores an XDG folder that is %j', (value) => {
    const environment = { XDG_CONFIG_HOME: value, XDG_STATE_HOME: value };
    expect(nameFolders({ ...linux, environment })).toEqual(nameFolders(linux));
  });

  it('uses the Library on macOS, whatever XDG says', () => {
    const environment = { XDG_CONFIG_HOME: '/x', XDG_STATE_HOME: '/x' };
    expect(nameFolders({ ...mac, environment })).toEqual({
      kind: 'found',
      folders: {
        config: '/Users/dev/Library/Application Support/sandy-tray',
        state: '/Users/dev/Library/Application Support/sandy-tray',
        logs: '/Users/dev/Library/Logs/sandy-tray',
      },
    });
  });

  it.each([linux, mac])('puts everything under SANDY_TRAY_DIR ($platform)', (question) => {
    const environment = { SANDY_TRAY_DIR: '/tmp/a b', XDG_STATE_HOME: '/x' };
    expect(nameFolders({ ...question, home: null, environment })).toEqual({
      kind: 'found',
      folders: { config: '/tmp/a b', state: '/tmp/a b', logs: '/tmp/a b' },
    });
  });

  it.each(['', 'relative', '~/x'])('refuses a SANDY_TRAY_DIR that is %j', (value) => {
    const outcome = nameFolders({ ...linux, environment: { SANDY_TRAY_DIR: value } });
    expect(outcome).toEqual({ kind: 'wrong-own-folder', value });
    if (outcome.kind === 'found') throw new Error('unreachable');
    expect(describeWrongFolders(outcome)).toContain(
      `SANDY_TRAY_DIR is not an absolute path: "${value}"`,
    );
  });

  it.each([linux, mac])('says when there is no usable home ($platform)', (question) => {
    expect(nameFolders({ ...question, home: null })).toEqual({ kind: 'wrong-home', value: null });
    const relative = nameFolders({ ...question, home: 'x\x1b[31m' });
    expect(relative).toEqual({ kind: 'wrong-home', value: 'x\x1b[31m' });
    if (relative.kind === 'found') throw new Error('unreachable');
    expect(describeWrongFolders(relative)).toContain('"x"');
  });
});

describe('naming the folder for what is unpacked', () => {
  it.each([
    [linux, '/home/dev/.local/share/sandy-tray'],
    [{ ...linux, environment: { XDG_DATA_HOME: '/x/data' } }, '/x/data/sandy-tray'],
    [{ ...linux, environment: { XDG_DATA_HOME: 'x' } }, '/home/dev/.local/share/sandy-tray'],
    [mac, '/Users/dev/Library/Application Support/sandy-tray'],
    [{ ...linux, home: null, environment: { SANDY_TRAY_DIR: '/own' } }, '/own'],
    [{ ...mac, home: null, environment: { SANDY_TRAY_DIR: '/own' } }, '/own'],
  ])('%j', (question, folder) => {
    expect(nameDataFolder(question)).toEqual({ kind: 'found', folder });
  });

  it('says what keeps it from that', () => {
    const own = { SANDY_TRAY_DIR: 'relative' };
    expect(nameDataFolder({ ...linux, environment: own }).kind).toBe('wrong-own-folder');
    expect(nameDataFolder({ ...linux, home: null }).kind).toBe('wrong-home');
  });
});
