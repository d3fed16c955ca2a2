import { describe, expect, onTestFinished, test } from 'vitest';
import { createDesktopNotifier } from '../../src/notify/desktop-notifier.ts';
import type { Notice } from '../../src/notify/notifier.ts';
import { connectBus } from '../../src/system/dbus-connection.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { callBus, connect, eventually, reach, startBus, takeName } from '../system/bus-stand-in.ts';
import { listen, notice } from './notices.ts';
import { type ServerOptions, startServer } from './server-stand-in.ts';

const NAME = 'org.freedesktop.Notifications';
const SHOWN = { kind: 'shown', server: 'stand-in', clickable: true };

function startNotifier(
  variables: Readonly<Record<string, string>>,
  chooseIcon: (notice: Notice) => string | null = () => null,
) {
  const bus = connectBus(variables, 1000);
  const heard = listen();
  const notifier = createDesktopNotifier({
    bus,
    listener: heard.listener,
    variables: { DISPLAY: ':0' },
    chooseIcon,
  });
  onTestFinished(async () => {
    await notifier.close();
    await bus.close();
  });
  /** What was said on the bus before has been heard then. */
  const hearAll = () => callBus(bus, 'GetId');
  return { bus, notifier, ...heard, hearAll };
}

async function startAll(
  options: ServerOptions = {},
  chooseIcon?: (notice: Notice) => string | null,
) {
  const { variables, kill: killBus } = await startBus(makeScratchFolder());
  const server = await startServer(variables, options);
  return { server, variables, killBus, ...startNotifier(variables, chooseIcon) };
}

describe('a banner', () => {
  test('has its words, its buttons and its urgency', async () => {
    const { server, notifier } = await startAll({}, () => '/a folder/50% #1.png');
    expect(await notifier.show(notice('my_repo'))).toEqual(SHOWN);
    expect(server.notified).toEqual([
      {
        id: 1,
        replacesId: 0,
        title: 'A session did not come back',
        body: 'my_repo did not come back.',
        actions: ['default', 'Open', 'start', 'Start', 'log', 'Show log'],
        hints: {
          urgency: 1,
          category: 'x-sandy-tray.late',
          'image-path': 'file:///a%20folder/50%25%20%231.png',
        },
        expireMs: -1,
      },
    ]);
    await notifier.show(notice('my_repo', { urgency: 'critical', kind: 'digest' }));
    await notifier.show(notice('my_repo', { urgency: 'low' }));
    expect(server.notified.slice(1)).toMatchObject([
      { hints: { urgency: 2, category: 'x-sandy-tray.digest' }, expireMs: 0 },
      { hints: { urgency: 0, transient: true }, expireMs: -1 },
    ]);
    expect(server.notified[1]?.hints).not.toHaveProperty('transient');
    for (const { hints } of server.notified) expect(hints).not.toHaveProperty('desktop-entry');
  });

  test('has no buttons where there are none, and at most three', async () => {
    const none = await startAll({ capabilities: ['body'] });
    expect(await none.notifier.show(notice('a'))).toEqual({ ...SHOWN, clickable: false });
    expect(none.server.notified[0]?.actions).toEqual([]);
    const { server, notifier } = await startAll();
    const actions = ['a', 'b', 'c', 'd'].map((id) => ({ id, label: id.toUpperCase() }));
    await notifier.show(notice('a', { actions }));
    expect(server.notified[0]?.actions).toEqual(['default', 'A', 'b', 'B', 'c', 'C']);
    expect(await notifier.show(notice('b', { actions: [] }))).toEqual({
      ...SHOWN,
      clickable: false,
    });
    expect(server.notified[1]?.actions).toEqual([]);
  });

  test('escapes its body where that is markup, and nothing else', async () => {
    const words = '<a href="x">T&C</a>';
    const parts = { title: words, body: words, actions: [{ id: 'open', label: words }] };
    const markup = await startAll();
    await markup.notifier.show(notice('a', parts));
    expect(markup.server.notified).toMatchObject([
      {
        title: words,
        body: '&lt;a href="x"&gt;T&amp;C&lt;/a&gt;',
        actions: ['default', words],
      },
    ]);
    const plain = await startAll({ capabilities: ['actions', 'body'] });
    await plain.notifier.show(notice('a', parts));
    expect(plain.server.notified).toMatchObject([{ title: words, body: words }]);
  });

  test('shows hostile words as far as they can be shown', async () => {
    const { server, notifier, clicks } = await startAll();
    const nasty = '\0\x1b[31mred\x1b]0;t\x07 \u202egnp.exe \ud83d \u200b<b>\r\n--wait %s\\n';
    const parts = { title: nasty, body: nasty, actions: [{ id: 'open', label: nasty }] };
    expect(await notifier.show(notice(nasty, parts))).toEqual(SHOWN);
    expect(server.notified).toMatchObject([
      {
        title: '\ufffdred gnp.exe \ufffd <b>↵--wait %s\\n',
        body: '\ufffdred gnp.exe \ufffd &lt;b&gt;\n--wait %s\\n',
        actions: ['default', expect.stringMatching(/^\ufffdred gnp/)],
      },
    ]);
    const long = 'x'.repeat(100_000);
    const many = { title: long, body: long, actions: [{ id: 'open', label: long }] };
    expect(await notifier.show(notice('long', many))).toEqual(SHOWN);
    const [, shown] = server.notified;
    const lengths = [shown?.title, shown?.body, shown?.actions[1]].map((text) => text?.length);
    expect(lengths).toEqual([100, 800, 40]);
    expect(await notifier.show(notice('', { title: '\u200b', body: '', actions: [] }))).toEqual({
      ...SHOWN,
      clickable: false,
    });
    expect(server.notified[2]).toMatchObject({ title: 'sandy-tray', body: '' });
    server.click(1, 'default');
    await eventually(() => expect(clicks).toMatchObject([{ key: nasty }]));
  });

  test('is asked what it can do once a server', async () => {
    const { server, notifier } = await startAll();
    await Promise.all(['a', 'b', 'c'].map((key) => notifier.show(notice(key))));
    await notifier.show(notice('d'));
    expect(server.calls.filter((call) => call !== 'Notify')).toEqual([
      'GetCapabilities',
      'GetServerInformation',
    ]);
  });
});

describe('one key', () => {
  test('has one banner, however quickly its words change', async () => {
    const { server, notifier } = await startAll();
    const bodies = ['1', '2', '3', '4', '5'];
    const shown = bodies.map((body) => notifier.show(notice('a', { body })));
    expect(await Promise.all(shown)).toEqual(bodies.map(() => SHOWN));
    await notifier.show(notice('b'));
    // Those between were over before there was a turn for them.
    expect(server.notified).toMatchObject([
      { id: 1, replacesId: 0, body: '1' },
      { id: 1, replacesId: 1, body: '5' },
      { id: 2, replacesId: 0 },
    ]);
    expect(server.visible()).toEqual([1, 2]);
  });

  test('has one banner where none is ever replaced', async () => {
    const { server, notifier, clicks, ends } = await startAll({ neverReplaces: true });
    await notifier.show(notice('a'));
    await notifier.show(notice('a'));
    expect(server.visible()).toEqual([2]);
    server.click(2, 'default');
    await eventually(() => expect(clicks).toMatchObject([{ key: 'a' }]));
    await eventually(() => expect(ends).toEqual([['a', 'dismissed']]));
  });

  test('is not held for shown where it ended in the same breath', async () => {
    const { server, notifier, ends } = await startAll({ isSilent: true });
    for (const _ of [1, 2]) expect(await notifier.show(notice('a'))).toEqual(SHOWN);
    await eventually(() =>
      expect(ends).toEqual([
        ['a', 'expired'],
        ['a', 'expired'],
      ]),
    );
    expect(server.notified).toMatchObject([{ replacesId: 0 }, { replacesId: 0 }]);
  });

  test('is withdrawn, and told of once', async () => {
    const { server, notifier, ends, hearAll } = await startAll();
    await notifier.show(notice('a'));
    await notifier.show(notice('b'));
    await notifier.withdraw('a');
    await notifier.withdraw('nothing');
    await hearAll();
    expect(server.visible()).toEqual([2]);
    expect(ends).toEqual([['a', 'withdrawn']]);
    await notifier.show(notice('a'));
    expect(server.notified.at(-1)).toMatchObject({ id: 3, replacesId: 0 });
  });

  test('is withdrawn while it is being shown', async () => {
    const { server, notifier, ends, hearAll } = await startAll();
    await notifier.show(notice('other'));
    server.freeze();
    const first = notifier.show(notice('a'));
    await eventually(() => expect(server.calls.filter((call) => call === 'Notify').length).toBe(2));
    const second = notifier.show(notice('a'));
    const withdrawn = notifier.withdraw('a');
    server.thaw();
    expect(await first).toEqual(SHOWN);
    expect(await second).toMatchObject({
      kind: 'not-shown',
      reason: expect.stringMatching(/withdrawn/),
    });
    await withdrawn;
    await hearAll();
    expect(server.visible()).toEqual([1]);
    expect(server.notified.length).toBe(2);
    expect(ends).toEqual([['a', 'withdrawn']]);
  });
});

describe('a click', () => {
  test('comes with its key, its action and the leave that came before it', async () => {
    const { server, notifier, clicks, ends } = await startAll();
    for (const key of ['a', 'b', 'c', 'd']) await notifier.show(notice(key));
    server.say('ActivationToken', 'us', [2, 'of-b']);
    server.click(1, 'default', 'of-a');
    server.click(2, 'log');
    server.click(3, 'start');
    server.click(4, 'default', 'with a\nline');
    await eventually(() => expect(ends.length).toBe(4));
    expect(clicks).toEqual([
      { key: 'a', actionId: 'open', activationToken: 'of-a' },
      { key: 'b', actionId: 'log', activationToken: 'of-b' },
      { key: 'c', actionId: 'start', activationToken: null },
      { key: 'd', actionId: 'open', activationToken: null },
    ]);
  });

  test('counts only for what was offered, on a banner of ours', async () => {
    const { server, notifier, clicks, ends, hearAll } = await startAll();
    await notifier.show(notice('a'));
    for (const action of ['open', 'quit', '', 'constructor', '__proto__']) {
      server.say('ActionInvoked', 'us', [1, action]);
    }
    server.say('ActionInvoked', 'us', [2, 'default']);
    server.say('ActionInvoked', 'uu', [1, 1]);
    server.end(1, 1);
    server.click(1, 'default');
    await hearAll();
    await eventually(() => expect(ends).toEqual([['a', 'expired']]));
    await hearAll();
    expect(clicks).toEqual([]);
  });

  test('is believed only from the server', async () => {
    const { server, notifier, clicks, ends, variables, hearAll, bus } = await startAll();
    await notifier.show(notice('a'));
    const spoofer = await startServer(variables, { name: 'org.example.Spoofer' });
    for (const destination of [undefined, ...(await uniqueNames(bus))]) {
      spoofer.say('ActionInvoked', 'us', [1, 'default'], destination);
      spoofer.say('NotificationClosed', 'uu', [1, 2], destination);
    }
    await hearAll();
    await spoofer.kill();
    await hearAll();
    expect([clicks, ends]).toEqual([[], []]);
    server.click(1, 'default');
    await eventually(() => expect(clicks.length).toBe(1));
  });
});

async function uniqueNames(bus: ReturnType<typeof connect>): Promise<readonly string[]> {
  const outcome = await callBus(bus, 'ListNames');
  if (outcome.kind !== 'returned') throw new Error(outcome.kind);
  return (outcome.body[0] as string[]).filter((name) => name.startsWith(':'));
}

describe('a server', () => {
  test('that goes takes its banners with it; the next one gives the same ids to others', async () => {
    const { server, notifier, clicks, ends, variables, hearAll } = await startAll();
    await notifier.show(notice('a'));
    await notifier.show(notice('b'));
    await server.kill();
    await eventually(() =>
      expect(ends).toEqual([
        ['a', 'server-lost'],
        ['b', 'server-lost'],
      ]),
    );
    expect(await notifier.show(notice('c'))).toMatchObject({
      kind: 'not-shown',
      reason: expect.stringMatching(/Nothing on this desktop/),
    });
    const next = await startServer(variables, { capabilities: ['body'] });
    const other = startNotifier(variables);
    await other.notifier.show(notice('other'));
    expect(next.notified).toMatchObject([{ id: 1 }]);
    next.click(1, 'default');
    await hearAll();
    await eventually(() => expect(other.ends.length).toBe(1));
    expect(clicks).toEqual([]);
    // It can do other things than the one before.
    expect(await notifier.show(notice('a'))).toEqual({ ...SHOWN, clickable: false });
    expect(next.notified.at(-1)).toMatchObject({ replacesId: 0, actions: [] });
    expect(ends.length).toBe(2);
  });

  test('that is not there, without a display, is not started', async () => {
    const { variables } = await startBus(makeScratchFolder());
    const bus = connect(variables);
    const { listener } = listen();
    const notifier = createDesktopNotifier({ bus, listener, variables: { DISPLAY: '' } });
    expect(await notifier.show(notice('a'))).toEqual({
      kind: 'not-shown',
      reason: expect.stringMatching(/no display/),
    });
    // One that runs already can have one of its own.
    const server = await startServer(variables);
    expect(await notifier.show(notice('a'))).toEqual(SHOWN);
    await notifier.close();
    expect(server.visible()).toEqual([]);
  });

  test('that is frozen lets nothing hang, and may show it yet', async () => {
    const { server, notifier, ends } = await startAll();
    server.freeze();
    const late = { kind: 'not-shown', isLate: true };
    expect(await notifier.show(notice('a'))).toMatchObject({
      ...late,
      reason: expect.stringMatching(/2 s/),
    });
    expect(server.calls).not.toContain('Notify');
    server.thaw();
    await notifier.show(notice('a'));
    server.freeze();
    const begunMs = performance.now();
    const [again] = await Promise.all([notifier.show(notice('a')), notifier.withdraw('b')]);
    expect(again).toMatchObject({ ...late, reason: expect.stringMatching(/5 s/) });
    await notifier.withdraw('a');
    expect(performance.now() - begunMs).toBeLessThan(9_000);
    expect(ends).toEqual([['a', 'withdrawn']]);
    // It does all of it once it wakes.
    server.thaw();
    await eventually(() => expect(server.visible()).toEqual([]));
  });

  test('that answers nonsense shows nothing', async () => {
    const { variables } = await startBus(makeScratchFolder());
    const keeper = connect(variables);
    await reach(keeper, 'connected');
    await takeName(keeper, NAME);
    const { notifier } = startNotifier(variables);
    expect(await notifier.show(notice('a'))).toMatchObject({
      kind: 'not-shown',
      reason: expect.stringMatching(/refused/),
    });
    const give = (gives: string, value: unknown) => ({ takes: '', gives, run: () => [value] });
    keeper.exportObject('/org/freedesktop/Notifications', {
      [NAME]: {
        methods: {
          GetCapabilities: give('s', 'actions'),
          GetServerInformation: give('u', 1),
          Notify: { takes: 'susssasa{sv}i', gives: 's', run: () => ['nothing'] },
        },
      },
    });
    expect(await notifier.show(notice('a'))).toMatchObject({
      kind: 'not-shown',
      reason: expect.stringMatching(/no sense/),
    });
  });
});

test('there is no bus, then there is one', async () => {
  const folder = makeScratchFolder();
  const { variables, kill } = await startBus(folder);
  await kill();
  const { notifier, ends, bus } = startNotifier(variables);
  expect(await notifier.show(notice('a'))).toMatchObject({
    kind: 'not-shown',
    reason: expect.stringMatching(/no session bus/),
  });
  for (const turn of [1, 2]) {
    const next = await startBus(folder);
    await startServer(next.variables);
    await reach(bus, 'connected');
    expect(await notifier.show(notice('a'))).toEqual(SHOWN);
    await next.kill();
    await eventually(() => expect(ends.length).toBe(turn));
    expect(ends.at(-1)).toEqual(['a', 'server-lost']);
    await reach(bus, 'no-bus');
  }
});

test('what is shown late is a banner as any other, unless its words are not so any more', async () => {
  const { server, notifier, clicks, ends } = await startAll();
  await notifier.show(notice('first'));
  server.freeze();
  const keys = ['a', 'b', 'c'];
  const late = await Promise.all(keys.map((key) => notifier.show(notice(key))));
  expect(late).toMatchObject(keys.map(() => ({ kind: 'not-shown', isLate: true })));
  await notifier.withdraw('b');
  const again = notifier.show(notice('c', { body: 'newer' }));
  await eventually(() => expect(server.calls.filter((call) => call === 'Notify').length).toBe(5));
  server.thaw();
  expect(await again).toEqual(SHOWN);
  await eventually(() => expect(server.visible().length).toBe(3));
  const [, a, newer] = server.visible();
  expect(server.notified.find(({ id }) => id === newer)?.body).toBe('newer');
  server.click(a ?? 0, 'default');
  server.click(newer ?? 0, 'log');
  await eventually(() => expect(ends.length).toBe(2));
  expect(clicks).toMatchObject([
    { key: 'a', actionId: 'open' },
    { key: 'c', actionId: 'log' },
  ]);
});

describe('closing', () => {
  test('takes all banners down, and what is just being shown; nothing follows', async () => {
    const { server, notifier, ends, clicks, bus, hearAll } = await startAll();
    await notifier.show(notice('a'));
    await notifier.show(notice('b'));
    server.freeze();
    const shown = notifier.show(notice('c'));
    await eventually(() => expect(server.calls.filter((call) => call === 'Notify').length).toBe(3));
    const closed = notifier.close();
    server.thaw();
    await closed;
    expect(server.visible()).toEqual([]);
    const over = { kind: 'not-shown', reason: 'Notifications are not shown any more' };
    expect(await shown).toEqual(over);
    expect(await notifier.show(notice('d'))).toEqual(over);
    await notifier.withdraw('a');
    await notifier.close();
    server.say('ActionInvoked', 'us', [1, 'default']);
    await hearAll();
    expect(server.notified.length).toBe(3);
    expect([ends, clicks]).toEqual([[], []]);
    expect(bus.state()).toBe('connected');
  });

  test('takes a second where the server is frozen', async () => {
    const { server, notifier } = await startAll();
    await notifier.show(notice('a'));
    server.freeze();
    const shown = notifier.show(notice('b'));
    const begunMs = performance.now();
    await notifier.close();
    expect(performance.now() - begunMs).toBeLessThan(2000);
    server.thaw();
    await shown;
    await eventually(() => expect(server.visible()).toEqual([]));
  });
});
