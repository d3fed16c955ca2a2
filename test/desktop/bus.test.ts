/** The bus connection on a real bus. */

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { expectGone } from '../processes.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { callBus, connect, eventually, reach, takeName } from '../system/bus-stand-in.ts';
import { answerOf } from './answer.ts';
import { requireTools } from './desktop.ts';
import { writeBusSettings } from './panel-settings.ts';

beforeAll(() => requireTools(['dbus-daemon']));

const NAME = 'org.example.Shop';
const PRICE = { destination: NAME, path: '/shop', interface: NAME, member: 'Price' };

/** A bus in a folder, at an address of its own. */
async function startRealBus(folder: string, address = `unix:path=${folder}/bus`) {
  const bus: ChildProcess = spawn(
    'dbus-daemon',
    [
      `--config-file=${writeBusSettings(folder)}`,
      `--address=${address}`,
      '--nofork',
      '--print-address=1',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const kill = async () => {
    bus.kill('SIGKILL');
    await expectGone(bus.pid ?? 0);
  };
  onTestFinished(kill);
  const printed = await answerOf(bus);
  return { bus, kill, variables: { DBUS_SESSION_BUS_ADDRESS: printed } };
}

test('calls, and is called, over buses that die', async () => {
  const folder = makeScratchFolder();
  const first = await startRealBus(folder);
  const keeper = connect(first.variables);
  const bus = connect(first.variables);
  const owners: (string | null)[] = [];
  bus.watchName(NAME, (owner) => owners.push(owner));
  let asked = 0;
  keeper.exportObject('/shop', {
    [NAME]: {
      methods: { Price: { takes: '', gives: 'a{sv}', run: () => [[['asked', ['u', ++asked]]]] } },
    },
  });
  for (const turn of [1, 2]) {
    await Promise.all([reach(bus, 'connected'), reach(keeper, 'connected')]);
    await takeName(keeper, NAME);
    expect(await bus.call({ ...PRICE, limitMs: 5000 })).toEqual({
      kind: 'returned',
      body: [{ asked: turn }],
    });
    await eventually(() => expect(owners.at(-1)).toMatch(/^:1\./));
    if (turn === 2) break;
    await first.kill();
    await Promise.all([reach(bus, 'no-bus'), reach(keeper, 'no-bus')]);
    expect(owners.at(-1)).toBeNull();
    await startRealBus(folder);
  }
  expect(
    await bus.call({ ...PRICE, destination: 'org.example.Nobody', limitMs: 5000 }),
  ).toMatchObject({
    kind: 'refused',
    name: 'org.freedesktop.DBus.Error.ServiceUnknown',
  });
});

test('a bus that is frozen lets no call hang, and is used again when it wakes', async () => {
  const { bus: daemon, kill, variables } = await startRealBus(makeScratchFolder());
  const bus = connect(variables);
  await reach(bus, 'connected');
  daemon.kill('SIGSTOP');
  const call = {
    destination: 'org.freedesktop.DBus',
    path: '/',
    interface: 'org.freedesktop.DBus',
    member: 'GetId',
  };
  expect(await bus.call({ ...call, limitMs: 50 })).toEqual({ kind: 'too-late' });
  daemon.kill('SIGCONT');
  expect(await bus.call({ ...call, limitMs: 20_000 })).toMatchObject({ kind: 'returned' });

  // One that dies with a call that it never read.
  daemon.kill('SIGSTOP');
  const waiting = bus.call({ ...call, limitMs: 20_000 });
  await kill();
  expect(await waiting).toEqual({ kind: 'no-bus' });
});

test('finds the bus of the user where the abstract one can not be reached', async () => {
  const folder = makeScratchFolder();
  const { variables } = await startRealBus(folder);
  const abstract = await startRealBus(
    makeScratchFolder(),
    `unix:abstract=${join(folder, 'abstract')}`,
  );
  const bus = connect({ ...abstract.variables, XDG_RUNTIME_DIR: folder });
  await reach(bus, 'connected');
  const id = async (connection: typeof bus) =>
    (await callBus(connection, 'GetId')) as { body?: unknown };
  const user = connect(variables);
  await reach(user, 'connected');
  const isUsers = (await id(bus)).body?.toString() === (await id(user)).body?.toString();
  // Node 20 can't reach an abstract socket of another program.
  expect(isUsers).toBe(process.versions.node.startsWith('20.'));
});
