import { expect, test } from 'vitest';
import { makeScratchFolder } from '../scratch-folder.ts';
import { callBus, eventually, reach, startBus } from '../system/bus-stand-in.ts';
import { action, picture, type Row, sessions, startPanel, startTray } from './panel-stand-in.ts';

const ITEM = 'org.kde.StatusNotifierItem';
const MENU = 'com.canonical.dbusmenu';

const labels = (row: Row): readonly unknown[] => row.rows.map(({ properties }) => properties.label);
const rowOf = (row: Row, label: string): Row => {
  const all = (row: Row): readonly Row[] => [row, ...row.rows.flatMap(all)];
  const found = all(row).find(({ properties }) => properties.label === label);
  if (found === undefined) throw new Error(`no row ${label}`);
  return found;
};

async function startShown(items = sessions(2), timeScale = 1000) {
  const { variables } = await startBus(makeScratchFolder());
  const panel = await startPanel(variables);
  const started = startTray(variables, timeScale);
  started.tray.show(picture(items));
  await eventually(() => expect(started.tray.state()).toBe('shown'));
  // What the tray says comes before the answer to what it is asked later.
  const hearAll = async () => {
    await callBus(panel.bus, 'GetId');
    await panel.property(ITEM, 'Id');
  };
  await hearAll();
  return { ...started, panel, variables, hearAll };
}

test('registers by its path, and says what it is', async () => {
  const { panel, tray } = await startShown([]);
  expect(panel.registered).toEqual(['/StatusNotifierItem']);
  tray.show(
    picture([], {
      icon: { shape: 'attention', count: 2 },
      title: '2',
      tooltip: { title: 'a', text: '<b>' },
    }),
  );
  const [properties] = (await panel.callItem('org.freedesktop.DBus.Properties', 'GetAll', 's', [
    ITEM,
  ])) as [Record<string, unknown>];
  expect(properties).toMatchObject({
    Category: 'ApplicationStatus',
    Status: 'Active',
    ItemIsMenu: true,
    Menu: '/StatusNotifierItem/Menu',
    XAyatanaLabel: '2',
    ToolTip: ['', [], 'a', '‹b›'],
    IconPixmap: [
      [22, 22, Buffer.alloc(22 * 22 * 4, 3)],
      [44, 44, Buffer.alloc(44 * 44 * 4, 3)],
    ],
  });
  await expect(panel.callItem(ITEM, 'Activate', 'ii', [1, 1])).rejects.toThrow('UnknownMethod');
});

test('shows every kind of row', async () => {
  const { panel } = await startShown([
    { kind: 'note', id: 'head', label: 'my_repo: 2 sessions' },
    { kind: 'separator', id: 'line' },
    action('on', { checked: true }),
    action('off', { checked: false, enabled: false }),
    { kind: 'submenu', id: 'more', label: 'More', items: [action('in')] },
    { kind: 'submenu', id: 'none', label: 'None', items: [] },
  ]);
  const root = await panel.layout();
  expect(root).toMatchObject({ number: 0, properties: { 'children-display': 'submenu' } });
  expect(root.rows.map(({ properties }) => properties)).toEqual([
    { label: 'my__repo: 2 sessions', enabled: false },
    { type: 'separator' },
    { label: 'on', enabled: true, 'toggle-type': 'checkmark', 'toggle-state': 1 },
    { label: 'off', enabled: false, 'toggle-type': 'checkmark', 'toggle-state': 0 },
    { label: 'More', enabled: true, 'children-display': 'submenu' },
    { label: 'None', enabled: false, 'children-display': 'submenu' },
  ]);
  const more = rowOf(root, 'More');
  expect(labels(more)).toEqual(['in']);
  expect(await panel.layout(more.number, 0)).toEqual({ ...more, rows: [] });
  expect(await panel.layout(4711)).toEqual({ number: 4711, properties: {}, rows: [] });
  expect(
    await panel.callItem(MENU, 'GetGroupProperties', 'aias', [[more.number, 4711], ['label']]),
  ).toEqual([[[more.number, { label: 'More' }]]]);
  expect(await panel.callItem(MENU, 'GetProperty', 'is', [more.number, 'label'])).toEqual(['More']);
  await expect(panel.callItem(MENU, 'GetProperty', 'is', [more.number, 'nothing'])).rejects.toThrow(
    'InvalidArgs',
  );
  expect(await panel.property(MENU, 'Version')).toBe(3);
});

test('a click counts for a row that can be clicked, with the leave that came with it', async () => {
  const { panel, tray, clicks } = await startShown([
    ...sessions(1),
    action('quit'),
    { kind: 'note', id: 'n', label: 'note' },
  ]);
  const root = await panel.layout();
  for (const label of ['session 0', 'stop-0', 'note'])
    await panel.event(rowOf(root, label).number, 'clicked');
  await panel.event(0, 'clicked');
  await panel.event(4711, 'clicked');
  await panel.event(rowOf(root, 'quit').number, 'hovered');
  expect(clicks).toEqual([]);

  await panel.callItem(ITEM, 'ProvideXdgActivationToken', 's', ['token-1']);
  await panel.event(rowOf(root, 'open-0').number, 'clicked');
  await panel.event(rowOf(root, 'open-0').number, 'clicked');
  await panel.callItem(ITEM, 'ProvideXdgActivationToken', 's', ['with a\nline']);
  await panel.event(rowOf(root, 'quit').number, 'clicked', ['s', 'token-2']);
  const open = { kind: 'open', key: 'open-0' };
  expect(clicks).toEqual([
    { action: open, activationToken: 'token-1' },
    { action: open, activationToken: null },
    { action: { kind: 'open', key: 'quit' }, activationToken: 'token-2' },
  ]);

  expect(
    await panel.callItem(MENU, 'EventGroup', 'a(isvu)', [
      [
        [rowOf(root, 'quit').number, 'clicked', ['i', 0], 0],
        [4711, 'clicked', ['i', 0], 0],
      ],
    ]),
  ).toEqual([[4711]]);
  expect(clicks).toHaveLength(4);

  // The panel has not yet been told that it went.
  tray.show(picture(sessions(1)));
  await panel.event(rowOf(root, 'quit').number, 'clicked');
  expect(clicks).toHaveLength(4);
  await tray.stop();
});

test('words are told as they change, and the icon only when it is another', async () => {
  const { panel, tray, hearAll } = await startShown([
    ...sessions(1),
    action('on', { checked: true }),
  ]);
  const root = await panel.layout();
  const told = panel.heard.length;
  tray.show(picture([...sessions(1), action('on', { checked: false, label: 'On_' })]));
  await hearAll();
  expect(panel.heard.slice(told)).toEqual(['ItemsPropertiesUpdated']);
  expect(panel.changes).toEqual([[rowOf(root, 'on').number, { label: 'On__', 'toggle-state': 0 }]]);
  for (const count of [1, 1, 2, 2]) {
    tray.show(
      picture([...sessions(1), action('on', { checked: false, label: 'On_' })], {
        icon: { shape: 'ok', count },
      }),
    );
  }
  await hearAll();
  expect(panel.heard.slice(told + 1)).toEqual(['NewIcon', 'NewIcon']);
});

test('draws each icon once', async () => {
  const { variables } = await startBus(makeScratchFolder());
  const panel = await startPanel(variables);
  const drawn: string[] = [];
  const { tray } = startTray(variables, 1000, ({ shape, count }, size) => {
    drawn.push(`${shape} ${count} ${size}`);
    return { width: 1, height: 1, argb: Buffer.alloc(4) };
  });
  tray.show(picture([]));
  await eventually(() => expect(tray.state()).toBe('shown'));
  for (const count of [1, 2, 1, 2]) {
    tray.show(picture([], { icon: { shape: 'ok', count } }));
    await panel.property(ITEM, 'IconPixmap');
  }
  expect(drawn).toEqual(['ok 1 22', 'ok 1 44', 'ok 2 22', 'ok 2 44']);
});

test('rows keep their numbers while others come and go', async () => {
  const { panel, tray } = await startShown(sessions(3));
  const first = await panel.layout();
  for (const count of [30, 5]) {
    tray.show(picture(sessions(count)));
    await eventually(async () => expect(labels(await panel.layout())).toHaveLength(count));
  }
  expect((await panel.layout()).rows.slice(0, 3)).toEqual(first.rows);
});

test('a row that comes back is another one', async () => {
  const { panel, tray, clicks } = await startShown([action('a')]);
  const old = rowOf(await panel.layout(), 'a').number;
  tray.show(picture([]));
  tray.show(picture([action('a', { action: { kind: 'quit' } })]));
  await eventually(async () => expect(rowOf(await panel.layout(), 'a').number).not.toBe(old));
  await panel.event(old, 'clicked');
  expect(clicks).toEqual([]);
});

test('rows of one id are told apart', async () => {
  const { panel, clicks } = await startShown([
    action('a'),
    action('a', { action: { kind: 'quit' } }),
  ]);
  const [, second] = (await panel.layout()).rows;
  await panel.event(second?.number ?? 0, 'clicked');
  expect(clicks).toMatchObject([{ action: { kind: 'quit' } }]);
});

test('says what is missing, and is shown when it comes', async () => {
  const folder = makeScratchFolder();
  const { tray, bus, states } = startTray({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus` });
  tray.show(picture(sessions(1)));
  await eventually(() => expect(states).toEqual(['no-bus']));
  const first = await startBus(folder);
  await eventually(() => expect(states.slice(1)).toEqual(['no-watcher']));
  const watching = await startPanel(first.variables, false);
  await eventually(() => expect(states.slice(2)).toEqual(['no-host']));
  watching.setHost(true);
  await eventually(() => expect(states.slice(3)).toEqual(['shown']));
  watching.setHost(false);
  await eventually(() => expect(states.slice(4)).toEqual(['no-host']));
  await watching.bus.close();
  await eventually(() => expect(states.slice(5)).toEqual(['no-watcher']));
  const second = await startPanel(first.variables);
  await eventually(() => expect(states.slice(6)).toEqual(['shown']));
  expect([watching.registered, second.registered]).toEqual([
    ['/StatusNotifierItem'],
    ['/StatusNotifierItem'],
  ]);
  expect(labels(await second.layout())).toEqual(['session 0']);

  await first.kill();
  await eventually(() => expect(states.slice(7)).toEqual(['no-bus']));
  await second.bus.close();
  const { variables } = await startBus(folder);
  const third = await startPanel(variables);
  await reach(bus, 'connected');
  await eventually(() => expect(states.at(-1)).toBe('shown'));
  expect(third.registered).toEqual(['/StatusNotifierItem']);
  expect(labels(await third.layout())).toEqual(['session 0']);
});

test('a panel that went has no menu open', async () => {
  const { panel, tray, variables } = await startShown(sessions(3), 1);
  await panel.event(0, 'opened');
  tray.show(picture(sessions(1)));
  expect(labels(await panel.layout())).toHaveLength(3);
  await panel.bus.close();
  const next = await startPanel(variables);
  await eventually(() => expect(next.registered).toHaveLength(1));
  await eventually(async () => expect(labels(await next.layout())).toHaveLength(1));
});

test('is off, and hides, once it is stopped', async () => {
  const { panel, tray, states, clicks, hearAll } = await startShown();
  const { number } = rowOf(await panel.layout(), 'open-0');
  await tray.stop();
  await callBus(panel.bus, 'GetId');
  await eventually(() => expect(panel.heard.at(-1)).toBe('NewStatus'));
  expect(states.at(-1)).toBe('off');
  await expect(panel.event(number, 'clicked')).rejects.toThrow('UnknownObject');
  await expect(hearAll()).rejects.toThrow('UnknownObject');
  tray.show(picture([]));
  expect(clicks).toEqual([]);
});
