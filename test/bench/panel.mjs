const WATCHER = 'org.kde.StatusNotifierWatcher';
const WATCHER_PATH = '/StatusNotifierWatcher';
const ITEM = { interface: 'org.kde.StatusNotifierItem', path: '/StatusNotifierItem' };
const MENU = { interface: 'com.canonical.dbusmenu', path: '/StatusNotifierItem/Menu' };

/** Watcher and host in one: fetches the picture and the menu when it is told of new ones. */
export async function startPanel(bus) {
  let fetched = 0;
  const fetch = async (destination, path, [interfaceName, member, signature, body]) => {
    const call = { destination, path, interface: interfaceName, member, signature, body };
    await bus.call({ ...call, limitMs: 10_000 });
    fetched += 1;
  };
  const show = (item) => {
    const getIcon = [
      'org.freedesktop.DBus.Properties',
      'Get',
      'ss',
      [ITEM.interface, 'IconPixmap'],
    ];
    const getMenu = [MENU.interface, 'GetLayout', 'iias', [0, -1, []]];
    bus.onSignal({ sender: item, interface: ITEM.interface }, ({ member }) => {
      if (member === 'NewIcon') void fetch(item, ITEM.path, getIcon);
    });
    bus.onSignal({ sender: item, interface: MENU.interface }, ({ member }) => {
      if (member === 'LayoutUpdated') void fetch(item, MENU.path, getMenu);
    });
    void fetch(item, ITEM.path, getIcon);
    void fetch(item, MENU.path, getMenu);
  };
  bus.exportObject(WATCHER_PATH, {
    [WATCHER]: {
      properties: { IsStatusNotifierHostRegistered: { signature: 'b', read: () => true } },
      methods: {
        RegisterStatusNotifierItem: {
          takes: 's',
          gives: '',
          run(_, caller) {
            show(caller);
            return [];
          },
        },
      },
    },
  });
  await new Promise((settle) => {
    const end = bus.onState((state) => {
      if (state !== 'connected') return;
      end?.();
      settle();
    });
    if (bus.state() === 'connected') settle();
  });
  await bus.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member: 'RequestName',
    signature: 'su',
    body: [WATCHER, 0],
    limitMs: 5000,
  });
  return { fetched: () => fetched, close: () => bus.close() };
}
