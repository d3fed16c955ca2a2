import os from 'node:os';
import Center from 'node-notifier/notifiers/notificationcenter.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  findPackedNotifier,
  loadNotificationCenter,
  type NotificationCenter,
} from '../../src/notify/mac-node-notifier.ts';
import { nameGroup } from '../../src/notify/mac-words.ts';
import { expectGone } from '../processes.ts';
import { hostile, makeNotice, openMacStage, patient, trusting } from './mac-stage.ts';

const until = (look: () => void) => vi.waitFor(look, { timeout: 20_000 });
const tell = (activationType: string, more = {}) => ({
  stdout: JSON.stringify({ activationType, ...more }),
});

/** The package as it is, on a machine that it takes for macOS, with a stand-in for its program. */
async function openStage(limits = trusting, timeScale = 1) {
  vi.spyOn(os, 'type').mockReturnValue('Darwin');
  vi.spyOn(os, 'release').mockReturnValue('23.0.0');
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  let customPath = '';
  const stage = await openMacStage({
    limits,
    timeScale,
    loadCenter: async () => new Center({ customPath }),
  });
  customPath = stage.path('packed');
  stage.add('packed');
  return stage;
}

describe('node-notifier', () => {
  test('hands on these options and no others, with every text as it is meant', async () => {
    const { notifier, next } = await openStage();
    const shown = await notifier.show(makeNotice('zoo', hostile));
    expect(shown).toEqual({ kind: 'shown', server: 'node-notifier', clickable: true });
    // The program reads each value as a property list: in quotes, with backslashes before what they hold.
    expect((await next('packed')).args).toEqual([
      ...['-title', '"\u2060-e \\$(touch x) \\"q\\" exe\ufffd"'],
      ...[
        '-message',
        '"\u2060[a, {b} (c)\\n--help \\`id\\`; rm -rf ~↵\\nC:\\\\new\\\\table \\$HOME 👩👧"',
      ],
      ...['-group', `"${nameGroup('zoo')}"`],
      ...['-timeout', '"300"'],
      ...['-closeLabel', '"Dismiss"'],
      ...['-actions', '"Yes  really","-v"'],
      ...['-dropdownLabel', '"Actions"'],
      ...['-json', '"true"'],
    ]);
  });

  test.each([
    ['the banner itself', tell('contentsClicked'), 'open'],
    [
      'a button',
      tell('actionClicked', { activationValue: '"Show log"', activationValueIndex: '2' }),
      'log',
    ],
    ['a button, with noise on stderr', { ...tell('contentsClicked'), stderr: 'NSLog' }, 'open'],
  ])('tells once of a click on %s', async (_what, said, actionId) => {
    const { notifier, next, clicks, ends } = await openStage();
    await notifier.show(makeNotice('older'));
    const older = await next('packed');
    // Its events would be heard for this one only.
    await notifier.show(makeNotice('newer'));
    older.end(said);
    await until(() => expect(ends).toEqual([['older', 'dismissed']]));
    expect(clicks).toEqual([{ key: 'older', actionId, activationToken: null }]);
  });

  test.each([
    [tell('timeout'), 'expired'],
    [tell('closed'), 'dismissed'],
    [{ code: 1 }, 'server-lost'],
    [{ stdout: 'nonsense' }, 'server-lost'],
    [{}, 'server-lost'],
  ])('tells of an end: %o', async (said, end) => {
    const { notifier, next, clicks, ends } = await openStage();
    await notifier.show(makeNotice('zoo'));
    (await next('packed')).end(said);
    await until(() => expect(ends).toEqual([['zoo', end]]));
    expect(clicks).toEqual([]);
  });

  test('its programs are ended: replaced, withdrawn, too old, closed', async () => {
    const { notifier, next, ends } = await openStage();
    await notifier.show(makeNotice('zoo'));
    const first = await next('packed');
    await notifier.show(makeNotice('zoo'));
    await expectGone(first.pid);
    const second = await next('packed');
    const withdrawn = notifier.withdraw('zoo');
    const removal = await next('packed');
    expect(removal.args).toEqual(expect.arrayContaining(['-remove', `"${nameGroup('zoo')}"`]));
    removal.end({});
    await withdrawn;
    await expectGone(second.pid);
    expect(ends).toEqual([['zoo', 'withdrawn']]);
    await notifier.show(makeNotice('ant'));
    const third = await next('packed');
    const closed = notifier.close();
    (await next('packed')).end({});
    await closed;
    await expectGone(third.pid);
  });

  test('one that outlives the time of its banner is ended', async () => {
    const { notifier, next, ends } = await openStage({ ...trusting, overtimeMs: 4_000 }, 1000);
    await notifier.show(makeNotice('zoo'));
    const { pid } = await next('packed');
    await expectGone(pid);
    await until(() => expect(ends).toEqual([['zoo', 'server-lost']]));
  });

  test('may be refused, by words that are not those of the notice', async () => {
    const { notifier, next, add } = await openStage(patient);
    add('osascript');
    const refused = notifier.show(makeNotice('zoo'));
    (await next('packed')).end({ code: 1, stderr: 'Notifications are not allowed\n' });
    expect(await refused).toMatchObject({
      reason: expect.stringContaining('macOS lets node-notifier show no notifications'),
    });
    const failed = notifier.show(makeNotice('zoo', { body: 'notification permission denied' }));
    (await next('packed')).end({ code: 1 });
    (await next('osascript')).end({});
    expect(await failed).toMatchObject({ server: 'osascript' });
  });

  test('on a processor that can not run it, it is not tried again', async () => {
    let tries = 0;
    const center: NotificationCenter = {
      notify() {
        tries += 1;
        // As Node says it: `spawn` throws where it does not know the system's error.
        const code = 'Unknown system error -86';
        throw Object.assign(new Error(`spawn ${code}`), { errno: -86, code, syscall: 'spawn' });
      },
    };
    const stage = await openMacStage({ limits: patient, loadCenter: async () => center });
    expect(await stage.notifier.show(makeNotice('zoo'))).toEqual({
      kind: 'not-shown',
      reason: 'node-notifier failed: spawn Unknown system error -86',
    });
    stage.add('osascript');
    const showing = stage.notifier.show(makeNotice('zoo'));
    (await stage.next('osascript')).end({});
    expect(await showing).toMatchObject({ server: 'osascript' });
    expect(tries).toBe(1);
  });

  test('a package that can not be loaded is passed over', async () => {
    const { notifier } = await openMacStage({
      loadCenter: () => Promise.reject(new Error('Cannot find module')),
    });
    expect((await notifier.show(makeNotice('zoo'))).kind).toBe('not-shown');
  });

  test('is there with its program', async () => {
    expect(findPackedNotifier()).toMatch(/\/node-notifier\/vendor\/.*\/terminal-notifier$/);
    expect(await loadNotificationCenter()).toMatchObject({ notify: expect.any(Function) });
  });
});
