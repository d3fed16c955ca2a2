import { expect, test, vi } from 'vitest';
import type { BusConnection, BusObject } from '../../src/system/dbus-connection.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import {
  callBus,
  connect,
  eventually,
  greet,
  letIn,
  reach,
  startBus,
  startWrongBus,
  takeName,
} from './bus-stand-in.ts';

const NAME = 'org.example.Shop';

const shop: BusObject = {
  [NAME]: {
    properties: { Open: { signature: 'b', read: () => true } },
    methods: {
      Price: {
        takes: 's',
        gives: 'a{sv}',
        run: ([what]) => (what === 'tea' ? [[['pence', ['u', 250]]]] : null),
      },
      Nothing: { takes: '', gives: '', run: () => [] },
    },
    signals: { Sold: 's' },
  },
};

const price = (bus: BusConnection, what: string, limitMs = 5000) =>
  bus.call({
    destination: NAME,
    path: '/shop',
    interface: NAME,
    member: 'Price',
    signature: 's',
    body: [what],
    limitMs,
  });

async function openShop(variables: Readonly<Record<string, string>>) {
  const keeper = connect(variables);
  keeper.exportObject('/shop', shop);
  await reach(keeper, 'connected');
  await takeName(keeper, NAME);
  return keeper;
}

test('calls an object, and is told what is wrong with a call', async () => {
  const { variables } = await startBus(makeScratchFolder());
  await openShop(variables);
  const bus = connect(variables);
  await reach(bus, 'connected');

  expect(await price(bus, 'tea')).toEqual({ kind: 'returned', body: [{ pence: 250 }] });
  expect(await price(bus, 'gold')).toMatchObject({
    kind: 'refused',
    name: 'org.freedesktop.DBus.Error.InvalidArgs',
  });
  const ask = (
    interfaceName: string,
    member: string,
    signature: string,
    body: unknown[],
    path = '/shop',
  ) =>
    bus.call({
      destination: NAME,
      path,
      interface: interfaceName,
      member,
      signature,
      body,
      limitMs: 5000,
    });
  const error = (name: string) => ({ kind: 'refused', name: `org.freedesktop.DBus.Error.${name}` });
  expect(await ask(NAME, 'Nothing', 's', ['x'])).toMatchObject(error('InvalidArgs'));
  expect(await ask(NAME, 'constructor', '', [])).toMatchObject(error('UnknownMethod'));
  expect(await ask(NAME, 'Nothing', '', [], '/elsewhere')).toMatchObject(error('UnknownObject'));
  expect(await ask(NAME, 'Price', 's', ['a\0b'])).toEqual({ kind: 'unsendable' });

  const properties = 'org.freedesktop.DBus.Properties';
  expect(await ask(properties, 'Get', 'ss', [NAME, 'Open'])).toEqual({
    kind: 'returned',
    body: [true],
  });
  expect(await ask(properties, 'GetAll', 's', [NAME])).toEqual({
    kind: 'returned',
    body: [{ Open: true }],
  });
  expect(await ask(properties, 'Get', 'ss', [NAME, 'toString'])).toMatchObject(
    error('UnknownProperty'),
  );
  expect(await ask(properties, 'Set', 'ssv', [NAME, 'Open', ['b', false]])).toMatchObject(
    error('PropertyReadOnly'),
  );
  expect(await ask('org.freedesktop.DBus.Introspectable', 'Introspect', '', [])).toMatchObject({
    body: [expect.stringContaining('<arg type="a{sv}" direction="out"/>')],
  });
});

test('hears what the owner of a name says, and nobody else', async () => {
  const { variables } = await startBus(makeScratchFolder());
  const bus = connect(variables);
  const heard: unknown[] = [];
  bus.onSignal({ sender: NAME, interface: NAME, member: 'Sold', signature: 's' }, ({ body }) =>
    heard.push(...body),
  );
  await reach(bus, 'connected');
  const keeper = await openShop(variables);
  const stranger = connect(variables);
  await reach(stranger, 'connected');
  // Its signals come to us, as somebody else wants them.
  await takeName(stranger, 'org.example.Stranger');
  const others: unknown[] = [];
  bus.onSignal({ sender: 'org.example.Stranger', interface: NAME }, ({ body }) => {
    others.push(...body);
  });

  const say = (from: BusConnection, text: string, member = 'Sold') =>
    from.emit({ path: '/shop', interface: NAME, member, signature: 's', body: [text] });
  // What is asked of the bus comes back after what was said on it before.
  const settleAll = async () => {
    for (const connection of [stranger, keeper, bus]) await callBus(connection, 'GetId');
  };
  await settleAll();
  say(stranger, 'lies');
  say(keeper, 'other', 'Bought');
  keeper.emit({ path: '/shop', interface: NAME, member: 'Sold', signature: 'u', body: [7] });
  say(keeper, 'tea');
  await settleAll();
  expect(heard).toEqual(['tea']);
  expect(others).toEqual(['lies']);
});

test('follows a name from owner to owner, over the death of the bus', async () => {
  const folder = makeScratchFolder();
  const first = await startBus(folder);
  const bus = connect(first.variables);
  const owners: (string | null)[] = [];
  bus.watchName(NAME, (owner) => owners.push(owner));
  await reach(bus, 'connected');
  await eventually(() => expect(owners).toEqual([null]));
  const keeper = await openShop(first.variables);
  await eventually(() => expect(owners).toHaveLength(2));
  await keeper.close();
  await eventually(() => expect(owners).toHaveLength(3));
  await openShop(first.variables);
  await eventually(() => expect(owners).toHaveLength(4));
  await first.kill();
  await eventually(() => expect(owners).toHaveLength(5));
  await startBus(folder);
  await reach(bus, 'connected');
  await openShop(first.variables);
  await eventually(() => expect(owners).toHaveLength(6));
  expect(owners).toEqual([
    null,
    expect.any(String),
    null,
    expect.any(String),
    null,
    expect.any(String),
  ]);
  // A listener that comes late is told at once what is known.
  const late: (string | null)[] = [];
  bus.watchName(NAME, (owner) => late.push(owner));
  expect(late).toEqual([owners.at(-1)]);
});

test('a bus that dies ends the calls that wait, and what was asked for holds on the next one', async () => {
  const folder = makeScratchFolder();
  const first = await startBus(folder);
  const silent = connect(first.variables);
  await reach(silent, 'connected');
  await takeName(silent, NAME);
  const bus = connect(first.variables);
  const heard: unknown[] = [];
  bus.onSignal({ sender: NAME, interface: NAME }, ({ body }) => heard.push(...body));
  bus.exportObject('/shop', shop);
  await reach(bus, 'connected');

  const waiting = new Promise((settle) => {
    silent.exportObject('/shop', {
      [NAME]: {
        methods: {
          Price: {
            takes: 's',
            gives: '',
            run: () => {
              settle(first.kill());
              return null;
            },
          },
        },
      },
    });
  });
  const outcome = price(bus, 'tea');
  await waiting;
  expect(['no-bus', 'refused']).toContain((await outcome).kind);
  await reach(bus, 'no-bus');
  expect(await price(bus, 'tea')).toEqual({ kind: 'no-bus' });
  expect(bus.emit({ path: '/shop', interface: NAME, member: 'Sold' })).toBe(false);

  await startBus(folder);
  await Promise.all([reach(bus, 'connected'), reach(silent, 'connected')]);
  await takeName(silent, NAME);
  await callBus(bus, 'GetId');
  silent.emit({ path: '/shop', interface: NAME, member: 'Sold', signature: 's', body: ['tea'] });
  await eventually(() => expect(heard).toEqual(['tea']));
  const name = (await callBus(bus, 'GetNameOwner', 's', ['org.freedesktop.DBus'])).kind;
  expect(name).toBe('returned');
});

test('a call that nobody answers ends with its limit', async () => {
  const folder = makeScratchFolder();
  const { variables } = await startWrongBus(folder, (socket) => {
    letIn(socket, (bytes) => {
      if (bytes.includes('Hello')) greet(socket);
    });
  });
  const bus = connect(variables);
  await reach(bus, 'connected');
  expect(await price(bus, 'tea', 20)).toEqual({ kind: 'too-late' });
  expect(bus.state()).toBe('connected');
});

const header = (bodyLength: number, fieldsLength: number) => {
  const bytes = Buffer.from('l\x04\x01\x01\0\0\0\0\x01\0\0\0\0\0\0\0', 'latin1');
  bytes.writeUInt32LE(bodyLength, 4);
  bytes.writeUInt32LE(fieldsLength, 12);
  return bytes;
};

test.each([
  ['that closes at once', (socket) => socket.end()],
  ['that drops us', (socket) => socket.destroy()],
  ['that wants no one', (socket) => socket.end('REJECTED EXTERNAL\r\nERROR\r\n')],
  ['that talks of other things', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  [
    'that sends bytes of no message',
    (socket) =>
      letIn(socket, () => {
        greet(socket);
        socket.write(Buffer.alloc(64, 0xa5));
      }),
  ],
  [
    'that says that 2 GB come',
    (socket) =>
      letIn(socket, () => {
        greet(socket);
        socket.write(header(0x7fff_ffff, 8));
      }),
  ],
  [
    'whose text ends nowhere',
    (socket) =>
      letIn(socket, () => {
        greet(socket);
        socket.write(
          Buffer.concat([header(0, 8), Buffer.from('\x01\x01o\0\xff\xff\xff\x7f', 'latin1')]),
        );
      }),
  ],
  [
    'that closes after the greeting',
    (socket) =>
      letIn(socket, () => {
        greet(socket);
        socket.end();
      }),
  ],
] as [string, Parameters<typeof startWrongBus>[1]][])(
  'a bus %s is tried again, and the next one is taken',
  async (_name, treat) => {
    const { variables, turns } = await startWrongBus(makeScratchFolder(), (socket, turn) => {
      if (turn < 3) return treat(socket, turn);
      letIn(socket, (bytes) => {
        if (bytes.includes('Hello')) greet(socket);
      });
    });
    const bus = connect(variables);
    await eventually(() => {
      expect(turns()).toBe(3);
      expect(bus.state()).toBe('connected');
    });
  },
);

test('a bus that takes nothing does not fill the memory', async () => {
  const { variables } = await startWrongBus(makeScratchFolder(), (socket) => {
    letIn(socket, (bytes) => {
      if (!bytes.includes('Hello')) return;
      greet(socket);
      socket.pause();
    });
  });
  const bus = connect(variables);
  await reach(bus, 'connected');
  const body = ['x'.repeat(1_000_000)];
  let sent = 0;
  while (sent < 100 && bus.emit({ path: '/a', interface: NAME, member: 'A', signature: 's', body }))
    sent += 1;
  expect(sent).toBeLessThan(40);
  await reach(bus, 'no-bus');
});

test('without a bus it waits longer and longer, and closes at once', async () => {
  const folder = makeScratchFolder();
  const path = `${folder}/missing`;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const bus = connect({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }, 1);
    const delays: number[] = [];
    const original = globalThis.setTimeout;
    const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
      run: () => void,
      ms: number,
    ) => {
      if (ms >= 15_000 && ms !== 5000) delays.push(ms);
      return original(run, ms);
    }) as typeof setTimeout);
    await reach(bus, 'no-bus');
    for (let turn = 1; turn < 7; turn += 1) {
      vi.advanceTimersToNextTimer();
      await vi
        .waitUntil(() => delays.length > turn, { timeout: 5000, interval: 5 })
        .catch(() => {});
    }
    spy.mockRestore();
    expect(delays).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
    await bus.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(bus.state()).toBe('closed');
  } finally {
    vi.useRealTimers();
  }
});

test('is closed within the greeting of a bus that says nothing', async () => {
  let arrived = () => {};
  const arrival = new Promise<void>((settle) => {
    arrived = settle;
  });
  const { variables } = await startWrongBus(makeScratchFolder(), (socket) => {
    arrived();
    socket.pause();
  });
  const bus = connect(variables);
  await arrival;
  await bus.close();
  expect(bus.state()).toBe('closed');
});

test('what was said last is sent before it closes', async () => {
  const { variables } = await startBus(makeScratchFolder());
  const bus = connect(variables);
  const listening = connect(variables);
  await Promise.all([reach(bus, 'connected'), reach(listening, 'connected')]);
  await takeName(bus, NAME);
  const heard = new Promise((settle) => {
    listening.onSignal({ sender: NAME, interface: NAME }, settle);
  });
  await callBus(listening, 'GetId');
  bus.emit({ path: '/shop', interface: NAME, member: 'Closing' });
  await bus.close();
  expect(await heard).toMatchObject({ member: 'Closing', path: '/shop' });
  expect(await price(bus, 'tea')).toEqual({ kind: 'no-bus' });
});
