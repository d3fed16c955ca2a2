import { describe, expect, test, vi } from 'vitest';
import { nameGroup } from '../../src/notify/mac-words.ts';
import { expectGone } from '../processes.ts';
import { hostile, makeNotice, openMacStage, patient, trusting, VERSION_3 } from './mac-stage.ts';

const until = (look: () => void) => vi.waitFor(look, { timeout: 20_000 });
const tell = (activationType: string, more = {}) => ({
  stdout: JSON.stringify({ activationType, activationAt: '2026-01-01 00:00:00 +0000', ...more }),
});

describe('alerter', () => {
  test('gets every text as it is meant, each in an argument of its own', async () => {
    const { notifier, add, next } = await openMacStage();
    add('alerter');
    const shown = await notifier.show(makeNotice('zoo', hostile));
    expect(shown).toEqual({ kind: 'shown', server: 'alerter', clickable: true });
    const { args, variables } = await next('alerter');
    expect(args).toEqual([
      '--title=-e $(touch x) "q" exe\ufffd',
      '--message=[a, {b} (c)\n--help `id`; rm -rf ~↵\nC:\\new\\table $HOME 👩👧',
      `--group=${nameGroup('zoo')}`,
      '--timeout=300',
      '--json',
      '--actions=Yes  really,-v',
      '--dropdown-label=Actions',
      '--close-label=Dismiss',
    ]);
    expect(variables).not.toContain('SECRET');
  });

  test.each([
    ['the banner itself', tell('contentsClicked'), 'open'],
    ['a button', tell('actionClicked', { activationValue: 'Show log' }), 'log'],
    [
      'one of two buttons with one name',
      tell('actionClicked', { activationValue: 'Open', activationValueIndex: '1' }),
      'start',
    ],
  ])('tells of a click on %s', async (_what, said, actionId) => {
    const { notifier, add, next, clicks, ends } = await openMacStage();
    add('alerter');
    const twins = actionId === 'start' ? [{ id: 'start', label: 'Open' }] : [];
    const { actions } = makeNotice('zoo');
    await notifier.show(
      makeNotice('zoo', {
        actions: twins.length > 0 ? [...actions.slice(0, 1), ...twins] : actions,
      }),
    );
    (await next('alerter')).end(said);
    await until(() => expect(ends).toEqual([['zoo', 'dismissed']]));
    expect(clicks).toEqual([{ key: 'zoo', actionId, activationToken: null }]);
  });

  test.each([
    ['timeout', 'expired'],
    ['closed', 'dismissed'],
  ])('tells of an end: %s', async (type, end) => {
    const { notifier, add, next, clicks, ends } = await openMacStage();
    add('alerter');
    await notifier.show(makeNotice('zoo'));
    (await next('alerter')).end(tell(type));
    await until(() => expect(ends).toEqual([['zoo', end]]));
    expect(clicks).toEqual([]);
  });

  test('tells when nobody hears clicks any more', async () => {
    const { notifier, add, next, ends } = await openMacStage();
    add('alerter');
    await notifier.show(makeNotice('a'));
    process.kill((await next('alerter')).pid, 'SIGKILL');
    await until(() => expect(ends).toEqual([['a', 'server-lost']]));
    await notifier.show(makeNotice('b'));
    (await next('alerter')).end({ stdout: '{"activationType":' });
    await until(() => expect(ends.at(-1)).toEqual(['b', 'server-lost']));
  });

  test('is ended when it outlives the time of its banner', async () => {
    const limits = { ...trusting, overtimeMs: 4_000 };
    const { notifier, add, next, ends } = await openMacStage({ limits, timeScale: 1000 });
    add('alerter');
    await notifier.show(makeNotice('zoo'));
    const { args, pid } = await next('alerter');
    expect(args).toContain('--timeout=1');
    await expectGone(pid);
    await until(() => expect(ends).toEqual([['zoo', 'server-lost']]));
  });

  test('a second banner of a key takes the place of the first', async () => {
    const { notifier, add, next, clicks, ends } = await openMacStage();
    add('alerter');
    await notifier.show(makeNotice('zoo'));
    const first = await next('alerter');
    const shown = await notifier.show(makeNotice('zoo', { body: 'zoo is back.' }));
    expect(shown.kind).toBe('shown');
    const second = await next('alerter');
    expect(second.args[2]).toBe(first.args[2]);
    await expectGone(first.pid);
    second.end(tell('contentsClicked'));
    await until(() => expect(clicks.length).toBe(1));
    expect(ends).toEqual([['zoo', 'dismissed']]);
  });

  test.each([
    ['is not told of', tell('contentsClicked'), 'shown', 'dismissed'],
    ['is told of after all when there is no second', { code: 64 }, 'not-shown', 'server-lost'],
  ])('that the first went before the second was there %s', async (_what, how, kind, end) => {
    const limits = { ...trusting };
    const { notifier, add, next, ends } = await openMacStage({ limits });
    add('alerter');
    await notifier.show(makeNotice('zoo'));
    const first = await next('alerter');
    limits.settleMs = patient.settleMs;
    const showing = notifier.show(makeNotice('zoo'));
    const second = await next('alerter');
    first.end(tell('closed'));
    await expectGone(first.pid);
    second.end(how);
    expect((await showing).kind).toBe(kind);
    await until(() => expect(ends).toEqual([['zoo', end]]));
  });

  test('a withdrawn banner is taken down, and its program ends', async () => {
    const { notifier, add, next, ends, calls } = await openMacStage();
    add('alerter');
    await notifier.show(makeNotice('zoo'));
    const { pid } = await next('alerter');
    const withdrawn = notifier.withdraw('zoo');
    const removal = await next('alerter');
    expect(removal.args).toEqual([`--remove=${nameGroup('zoo')}`]);
    removal.end({});
    await withdrawn;
    await expectGone(pid);
    expect(ends).toEqual([['zoo', 'withdrawn']]);
    await notifier.withdraw('zoo');
    await notifier.withdraw('other');
    expect(calls.length).toBe(2);
  });

  test('a withdrawal that hangs is given up', async () => {
    const limits = { ...trusting, askMs: 500 };
    const { notifier, add, next, ends } = await openMacStage({ limits });
    add('alerter');
    await notifier.show(makeNotice('zoo'));
    await next('alerter');
    await notifier.withdraw('zoo');
    expect(ends).toEqual([['zoo', 'withdrawn']]);
  });

  test('of many banners five are listened to, and the urgent ones longest', async () => {
    const { notifier, add, next, ends } = await openMacStage();
    add('alerter');
    const pids: number[] = [];
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      await notifier.show(makeNotice(key, { urgency: key === 'a' ? 'critical' : 'normal' }));
      pids.push((await next('alerter')).pid);
    }
    expect(ends).toEqual([
      ['b', 'server-lost'],
      ['c', 'server-lost'],
    ]);
    await expectGone(pids[1] ?? Number.NaN);
    // One that takes another's place needs no room.
    await notifier.show(makeNotice('a', { urgency: 'critical' }));
    expect(ends.length).toBe(2);
  });

  test('nor are there more when many come at once', async () => {
    const { notifier, add, ends } = await openMacStage();
    add('alerter');
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const shown = await Promise.all(keys.map((key) => notifier.show(makeNotice(key))));
    expect(shown.map(({ kind }) => kind)).toEqual(keys.map(() => 'shown'));
    expect(ends.map(([, end]) => end)).toEqual(['server-lost', 'server-lost']);
  });

  test('closing ends every program and takes down what could be clicked', async () => {
    const { notifier, add, next, ends } = await openMacStage();
    add('alerter');
    await notifier.show(makeNotice('a'));
    await notifier.show(makeNotice('b'));
    const pids = [(await next('alerter')).pid, (await next('alerter')).pid];
    const closed = notifier.close();
    const removals = [await next('alerter'), await next('alerter')];
    expect(removals.flatMap(({ args }) => args).sort()).toEqual(
      ['a', 'b'].map((key) => `--remove=${nameGroup(key)}`).sort(),
    );
    for (const removal of removals) removal.end({});
    await closed;
    for (const pid of pids) await expectGone(pid);
    expect(ends).toEqual([]);
    expect((await notifier.show(makeNotice('c'))).kind).toBe('not-shown');
  });

  test('closing does not wait for a banner that is on its way', async () => {
    const { notifier, add, next } = await openMacStage({ limits: patient });
    add('alerter');
    const showing = notifier.show(makeNotice('a'));
    const { pid } = await next('alerter');
    await notifier.close();
    expect((await showing).kind).toBe('not-shown');
    await expectGone(pid);
  });
});

describe('which program', () => {
  test('one that comes while another is taken down ends with the notifier', async () => {
    const { notifier, add, next } = await openMacStage();
    add('terminal-notifier', VERSION_3);
    const first = notifier.show(makeNotice('zoo'));
    (await next('terminal-notifier')).end({});
    await first;
    add('alerter');
    const second = notifier.show(makeNotice('zoo'));
    const { pid } = await next('alerter');
    const removal = await next('terminal-notifier');
    const closed = notifier.close();
    removal.end({});
    await closed;
    await second;
    await expectGone(pid);
  });

  test('a refusal is an answer: no other program is asked', async () => {
    const { notifier, add, next, calls } = await openMacStage({ limits: patient });
    for (const name of ['alerter', 'osascript']) add(name);
    add('terminal-notifier', VERSION_3);
    const showing = notifier.show(makeNotice('zoo'));
    const stderr = 'Notifications are denied. Please enable them in System Settings.';
    (await next('alerter')).end({ stderr, code: 1 });
    expect(await showing).toEqual({
      kind: 'not-shown',
      reason:
        'macOS lets alerter show no notifications; allow it in System Settings, Notifications',
    });
    expect(calls.map(({ name }) => name)).toEqual(['alerter']);
  });

  test('one that fails is followed by the next', async () => {
    const { notifier, add, next } = await openMacStage({ limits: patient });
    for (const name of ['alerter', 'osascript']) add(name);
    add('terminal-notifier', VERSION_3);
    const showing = notifier.show(makeNotice('zoo', hostile));
    (await next('alerter')).end({ stderr: 'Error: Unknown option', code: 64 });
    process.kill((await next('terminal-notifier')).pid, 'SIGKILL');
    const { args, end } = await next('osascript');
    expect(args).toEqual([
      ...['-e', 'on run argv'],
      ...['-e', 'display notification (item 2 of argv) with title (item 1 of argv)'],
      ...['-e', 'end run'],
      '\u2060-e $(touch x) "q" exe\ufffd',
      '\u2060[a, {b} (c)\n--help `id`; rm -rf ~↵\nC:\\new\\table $HOME 👩👧',
    ]);
    end({});
    expect(await showing).toEqual({ kind: 'shown', server: 'osascript', clickable: false });
  });

  test('the last one that fails says why', async () => {
    const { notifier, add, next } = await openMacStage({ limits: patient });
    add('osascript');
    const showing = notifier.show(makeNotice('zoo'));
    (await next('osascript')).end({ stderr: 'no \u001b[31muser\nmore', code: 1 });
    expect(await showing).toEqual({
      kind: 'not-shown',
      reason: 'osascript failed: no user',
    });
  });

  test('without any there is a reason', async () => {
    const { notifier } = await openMacStage();
    expect(await notifier.show(makeNotice('zoo'))).toEqual({
      kind: 'not-shown',
      reason: 'There is no program that shows notifications on this Mac; install alerter',
    });
    await notifier.withdraw('zoo');
  });

  test('on another system nothing is run', async () => {
    const { notifier, add, calls } = await openMacStage({ platform: 'linux' });
    add('alerter');
    expect((await notifier.show(makeNotice('zoo'))).kind).toBe('not-shown');
    expect(calls).toEqual([]);
  });

  test('it is chosen at each banner, and the other one takes its own down', async () => {
    const { notifier, add, next, ends } = await openMacStage();
    add('terminal-notifier', VERSION_3);
    const first = notifier.show(makeNotice('zoo'));
    (await next('terminal-notifier')).end({});
    await first;
    add('alerter');
    const second = notifier.show(makeNotice('zoo'));
    const removal = await next('terminal-notifier');
    expect(removal.args).toEqual(['-remove', nameGroup('zoo')]);
    removal.end({});
    expect(await second).toMatchObject({ server: 'alerter' });
    expect(ends).toEqual([]);
  });
});

describe('terminal-notifier', () => {
  test('gets words that nothing reads as anything else, and no command', async () => {
    const { notifier, add, next, ends } = await openMacStage({ limits: patient });
    add('terminal-notifier', VERSION_3);
    const showing = notifier.show(makeNotice('zoo', hostile));
    const { args, end } = await next('terminal-notifier');
    expect(args).toEqual([
      ...['-title', '\u2060-e $(touch x) "q" exe\ufffd'],
      ...['-message', '\u2060[a, {b} (c)\n--help `id`; rm -rf ~↵\nC:\\new\\table $HOME 👩👧'],
      ...['-group', nameGroup('zoo')],
    ]);
    end({});
    expect(await showing).toEqual({ kind: 'shown', server: 'terminal-notifier', clickable: false });
    const withdrawn = notifier.withdraw('zoo');
    const removal = await next('terminal-notifier');
    expect(removal.args).toEqual(['-remove', nameGroup('zoo')]);
    removal.end({});
    await withdrawn;
    expect(ends).toEqual([['zoo', 'withdrawn']]);
  });

  test('may be refused', async () => {
    const { notifier, add, next, calls } = await openMacStage({ limits: patient });
    add('terminal-notifier', VERSION_3);
    add('osascript');
    for (const how of [
      { code: 3 },
      { code: 1, stderr: 'Could not request notification permission: (UNErrorDomain error 1.)' },
    ]) {
      const showing = notifier.show(makeNotice('zoo'));
      (await next('terminal-notifier')).end(how);
      expect(await showing).toMatchObject({
        kind: 'not-shown',
        reason: expect.stringContaining('macOS lets terminal-notifier show no notifications'),
      });
    }
    expect(calls.map(({ name }) => name)).toEqual(['terminal-notifier', 'terminal-notifier']);
  });

  test('may hang: it is ended, and no second banner risked', async () => {
    const { notifier, add, next, calls } = await openMacStage({
      limits: { ...patient, answerMs: 5_000 },
    });
    add('terminal-notifier', VERSION_3);
    add('osascript');
    const showing = notifier.show(makeNotice('zoo'));
    const { pid } = await next('terminal-notifier');
    expect(await showing).toEqual({
      kind: 'not-shown',
      reason: 'terminal-notifier gave no answer',
      isLate: true,
    });
    await expectGone(pid);
    expect(calls.length).toBe(1);
  });

  test('is passed over where it is the old one', async () => {
    const { notifier, add, next } = await openMacStage({ limits: patient });
    add('terminal-notifier', 'echo "terminal-notifier 2.0.0."; exit');
    add('osascript');
    const showing = notifier.show(makeNotice('zoo'));
    (await next('osascript')).end({});
    expect(await showing).toMatchObject({ server: 'osascript' });
  });
});
