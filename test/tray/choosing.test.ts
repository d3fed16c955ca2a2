import { describe, expect, test } from 'vitest';
import { chooseTrays, startTray, type TrayChoice } from '../../src/tray/choosing.ts';
import { createFirstUsable } from '../../src/tray/first-usable.ts';
import type { HelperReason } from '../../src/tray/helper-process.ts';
import type { HelperTray } from '../../src/tray/helper-tray.ts';
import type { TrayListener, TrayPicture, TrayState } from '../../src/tray/tray-picture.ts';
import { createX11Fallback } from '../../src/tray/x11-fallback.ts';
import type { XTraySight } from '../../src/tray/x11-tray.ts';
import { eventually, makePicture, row } from './helper-stage.ts';

const choose = (choice: TrayChoice, platform: NodeJS.Platform, arch: NodeJS.Architecture) =>
  chooseTrays({ choice, platform, arch });

describe('the kinds of trays', () => {
  test('are those that a machine can have, the best first', () => {
    expect(choose('auto', 'linux', 'x64')).toEqual(['status-notifier', 'systray']);
    expect(choose('auto', 'linux', 'arm64')).toEqual(['status-notifier']);
    expect(choose('auto', 'darwin', 'arm64')).toEqual(['jxa', 'systray']);
    expect(choose('auto', 'darwin', 'x64')).toEqual(['systray', 'jxa']);
    expect(choose('auto', 'win32', 'x64')).toEqual([]);
  });

  test('are the one that was asked for, where there is such a one', () => {
    expect(choose('systray', 'linux', 'x64')).toEqual(['systray']);
    expect(choose('status-notifier', 'linux', 'x64')).toEqual(['status-notifier']);
    expect(choose('systray', 'darwin', 'arm64')).toEqual(['systray']);
    expect(choose('systray', 'linux', 'arm64')).toEqual([]);
    expect(choose('jxa', 'linux', 'x64')).toEqual([]);
    for (const platform of ['linux', 'darwin'] as const) {
      expect(choose('off', platform, 'x64')).toEqual([]);
    }
  });

  test('are none where none is wanted, and the bus is left alone then', () => {
    const tray = startTray({
      choice: 'off',
      platform: 'linux',
      arch: 'x64',
      environment: {},
      folders: { config: '/c', state: '/s', logs: '/l' },
      timeScale: 1,
      makeBus: () => {
        throw new Error('nobody asked for it');
      },
      listener: { onClick: () => {}, onState: () => {} },
    });
    expect(tray).toBeNull();
  });
});

/** A tray that fares as a test says. */
function makePuppet(log: string[], name: string) {
  let listener: TrayListener | null = null;
  let state: TrayState = 'starting';
  let reason: HelperReason | null = null;
  const start = (given: TrayListener): HelperTray => {
    listener = given;
    state = 'starting';
    log.push(`${name} starts`);
    return {
      state: () => state,
      reason: () => reason,
      pid: () => null,
      show: ({ title }: TrayPicture) => log.push(`${name} shows ${title}`),
      stop: async () => {
        state = 'off';
        log.push(`${name} stops`);
        given.onState('off');
      },
    };
  };
  return {
    start,
    fare(next: TrayState, why: HelperReason | null = null) {
      state = next;
      reason = why;
      listener?.onState(next);
    },
  };
}

function listen() {
  const states: TrayState[] = [];
  return { states, listener: { onClick: () => {}, onState: (s: TrayState) => states.push(s) } };
}
const show = (title: string) => makePicture([row('quit')], { title });

describe('the first usable of several', () => {
  const why: HelperReason = { kind: 'not-started', detail: 'ENOENT' };

  test('is the next when one can not be run, with the picture as it is', async () => {
    const log: string[] = [];
    const [one, two] = [makePuppet(log, 'one'), makePuppet(log, 'two')];
    const { states, listener } = listen();
    const tray = createFirstUsable([one.start, two.start], listener);
    tray.show(show('1'));
    one.fare('no-helper', why);
    expect(tray.reason()).toEqual(why);
    one.fare('shown');
    two.fare('shown');
    tray.show(show('2'));
    expect(log).toEqual([
      'one starts',
      'one shows 1',
      'one stops',
      'two starts',
      'two shows 1',
      'two shows 2',
    ]);
    expect(tray.reason()).toBeNull();
    await tray.stop();
    expect(states).toEqual(['shown', 'off']);
  });

  test('is the last one when none can be run, and the first where there is no desktop', () => {
    const log: string[] = [];
    const [one, two] = [makePuppet(log, 'one'), makePuppet(log, 'two')];
    const { states, listener } = listen();
    createFirstUsable([one.start, two.start], listener).show(show('1'));
    one.fare('no-helper', why);
    two.fare('no-helper', why);
    expect(states).toEqual(['no-helper']);

    const other = listen();
    const three = makePuppet(log, 'three');
    createFirstUsable([three.start, two.start], other.listener).show(show('1'));
    log.length = 0;
    three.fare('no-helper', { kind: 'no-desktop', detail: 'Background' });
    expect(other.states).toEqual(['no-helper']);
    expect(log).toEqual([]);
  });
});

describe('two kinds of panels', () => {
  function startBoth(withUsual = true) {
    const log: string[] = [];
    const [usual, old] = [makePuppet(log, 'usual'), makePuppet(log, 'old')];
    const { states, listener } = listen();
    let onSight: ((sight: XTraySight) => void) | null = null;
    let sight: XTraySight = 'unknown';
    const tray = createX11Fallback({
      startUsual: withUsual ? usual.start : null,
      startOld: old.start,
      watchOld(given) {
        log.push('watches');
        onSight = given;
        return {
          sight: () => sight,
          stop: () => {
            onSight = null;
            log.push('looks away');
          },
        };
      },
      listener,
      timeScale: 1000,
    });
    const see = (next: XTraySight) => {
      sight = next;
      onSight?.(next);
    };
    return { log, usual, old, tray, states, see };
  }

  test('the old kind is not even looked for where the usual one shows the icon', async () => {
    const { log, usual, tray, states } = startBoth();
    tray.show(show('1'));
    usual.fare('no-watcher');
    usual.fare('shown');
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(log).toEqual(['usual starts', 'usual shows 1']);
    await tray.stop();
    expect(states).toEqual(['no-watcher', 'shown', 'off']);
  });

  test('the old kind has it while there is a tray and no panel of the usual kind', async () => {
    const { log, usual, old, tray, states, see } = startBoth();
    tray.show(show('1'));
    usual.fare('no-watcher');
    await eventually(() => expect(log).toContain('watches'));
    see('none');
    expect(log).not.toContain('old starts');
    see('there');
    old.fare('shown');
    tray.show(show('2'));
    expect(states).toEqual(['no-watcher', 'starting', 'shown']);
    see('none');
    expect(tray.state()).toBe('no-watcher');
    see('there');
    old.fare('no-helper', { kind: 'missing-library', detail: 'x.so' });
    expect(tray.state()).toBe('no-watcher');
    expect(tray.reason()?.kind).toBe('missing-library');
    usual.fare('shown');
    expect(tray.state()).toBe('shown');
    expect(log).toEqual([
      ...['usual starts', 'usual shows 1', 'watches', 'old starts', 'old shows 1'],
      ...['usual shows 2', 'old shows 2', 'old stops', 'old starts', 'old shows 2'],
      ...['looks away', 'old stops'],
    ]);
    // The usual one gets its time again.
    usual.fare('no-watcher');
    expect(log.at(-1)).toBe('old stops');
    await eventually(() => expect(log.at(-1)).toBe('old shows 2'));
    await tray.stop();
    expect(log.slice(-3).sort()).toEqual(['looks away', 'old stops', 'usual stops']);
    expect(tray.state()).toBe('off');
  });

  test('the old kind alone says what is missing', () => {
    const { tray, see, old, log } = startBoth(false);
    tray.show(show('1'));
    expect(tray.state()).toBe('starting');
    see('none');
    expect(tray.state()).toBe('no-host');
    see('there');
    old.fare('no-helper', { kind: 'wrong-digest', detail: '' });
    expect(tray.state()).toBe('no-helper');
    expect(tray.reason()?.kind).toBe('wrong-digest');
    expect(log).toEqual(['watches', 'old starts', 'old shows 1']);
  });

  test('without a display there is no old kind', () => {
    const { tray, see } = startBoth(false);
    see('no-display');
    tray.show(show('1'));
    expect(tray.state()).toBe('no-helper');
    expect(tray.reason()).toEqual({ kind: 'no-display', detail: '' });
  });
});
