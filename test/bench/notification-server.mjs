const NAME = 'org.freedesktop.Notifications';
const PATH = '/org/freedesktop/Notifications';

/** Takes banners as a desktop does, and clicks on them as a person does. */
export async function startServer(bus) {
  const ids = [];
  const method = (takes, gives, run) => ({ takes, gives, run });
  bus.exportObject(PATH, {
    [NAME]: {
      properties: {},
      methods: {
        GetCapabilities: method('', 'as', () => [['actions', 'body']]),
        GetServerInformation: method('', 'ssss', () => ['bench', 'nobody', '1', '1.2']),
        CloseNotification: method('u', '', () => []),
        Notify: method('susssasa{sv}i', 'u', () => {
          ids.push(ids.length + 1);
          return [ids.length];
        }),
      },
    },
  });
  await new Promise((settle) => {
    if (bus.state() === 'connected') settle();
    else bus.onState((state) => state === 'connected' && settle());
  });
  await bus.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member: 'RequestName',
    signature: 'su',
    body: [NAME, 0],
    limitMs: 5000,
  });
  return {
    shown: () => ids,
    click: (id) =>
      bus.emit({
        path: PATH,
        interface: NAME,
        member: 'ActionInvoked',
        signature: 'us',
        body: [id, 'default'],
      }),
    close: () => bus.close(),
  };
}
