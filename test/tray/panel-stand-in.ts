/** A panel on a test's bus: it is watcher and host, fetches what real ones fetch, and clicks. */

import { onTestFinished } from 'vitest';
import { type BusConnection, connectBus } from '../../src/system/dbus-connection.ts';
import type { IconPixmap } from '../../src/tray/icon-cache.ts';
import { createStatusNotifier } from '../../src/tray/status-notifier.ts';
import type {
  TrayClick,
  TrayIcon,
  TrayItem,
  TrayPicture,
  TrayState,
} from '../../src/tray/tray-picture.ts';
import { connect, reach, takeName } from '../system/bus-stand-in.ts';

const WATCHER = 'org.kde.StatusNotifierWatcher';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

export interface Row {
  readonly number: number;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
}

export interface Panel {
  readonly bus: BusConnection;
  /** Paths of items that registered, each with the name of its connection. */
  readonly registered: readonly string[];
  /** Names of signals of the item and of its menu, in the order in which they came. */
  readonly heard: readonly string[];
  /** Rows of `ItemsPropertiesUpdated` as they came. */
  readonly changes: readonly unknown[];
  setHost(present: boolean): void;
  property(interfaceName: string, name: string): Promise<unknown>;
  layout(parent?: number, depth?: number): Promise<Row>;
  callItem(
    interfaceName: string,
    member: string,
    signature: string,
    body: unknown[],
  ): Promise<readonly unknown[]>;
  event(number: number, name: string, data?: readonly [string, unknown]): Promise<void>;
}

/** Starts a panel that shows icons, or one that only watches. */
export async function startPanel(
  variables: Readonly<Record<string, string>>,
  hasHost = true,
): Promise<Panel> {
  const bus = connect(variables);
  const registered: string[] = [];
  const heard: string[] = [];
  const changes: unknown[] = [];
  let item = '';
  let isHost = hasHost;
  await reach(bus, 'connected');
  bus.exportObject('/StatusNotifierWatcher', {
    [WATCHER]: {
      properties: { IsStatusNotifierHostRegistered: { signature: 'b', read: () => isHost } },
      methods: {
        RegisterStatusNotifierItem: {
          takes: 's',
          gives: '',
          run([path], caller) {
            registered.push(String(path));
            item = caller;
            for (const name of ['org.kde.StatusNotifierItem', 'com.canonical.dbusmenu']) {
              bus.onSignal({ sender: caller, interface: name }, ({ member, body }) => {
                heard.push(member);
                if (member === 'ItemsPropertiesUpdated') changes.push(...(body[0] as unknown[]));
              });
            }
            return [];
          },
        },
      },
    },
  });
  await takeName(bus, WATCHER);

  const callItem: Panel['callItem'] = async (interfaceName, member, signature, body) => {
    const path =
      interfaceName === 'com.canonical.dbusmenu'
        ? '/StatusNotifierItem/Menu'
        : '/StatusNotifierItem';
    const outcome = await bus.call({
      destination: item,
      path:
        interfaceName === PROPERTIES && body[0] === 'com.canonical.dbusmenu'
          ? '/StatusNotifierItem/Menu'
          : path,
      interface: interfaceName,
      member,
      signature,
      body,
      limitMs: 5000,
    });
    if (outcome.kind !== 'returned') throw new Error(JSON.stringify(outcome));
    return outcome.body;
  };
  return {
    bus,
    registered,
    heard,
    changes,
    setHost(present) {
      isHost = present;
      const member = present ? 'StatusNotifierHostRegistered' : 'StatusNotifierHostUnregistered';
      bus.emit({ path: '/StatusNotifierWatcher', interface: WATCHER, member });
    },
    property: async (interfaceName, name) =>
      (await callItem(PROPERTIES, 'Get', 'ss', [interfaceName, name]))[0],
    layout: async (parent = 0, depth = -1) =>
      readRow(
        (await callItem('com.canonical.dbusmenu', 'GetLayout', 'iias', [parent, depth, []]))[1],
      ),
    callItem,
    async event(number, name, data = ['i', 0]) {
      await callItem('com.canonical.dbusmenu', 'Event', 'isvu', [number, name, data, 0]);
    },
  };
}

function readRow(value: unknown): Row {
  const [number, properties, children] = value as [number, Record<string, unknown>, unknown[]];
  return { number, properties, rows: children.map(readRow) };
}

/** One colour a picture, so that pixels tell which it is. */
export function drawPlainIcon({ count }: TrayIcon, size: number): IconPixmap {
  return { width: size, height: size, argb: Buffer.alloc(size * size * 4, (count ?? 0) + 1) };
}

/** A tray with what came from it; it ends with the test. */
export function startTray(
  variables: Readonly<Record<string, string>>,
  timeScale = 1000,
  drawIcon = drawPlainIcon,
) {
  const bus = connectBus(variables, 1000);
  const clicks: TrayClick[] = [];
  const states: TrayState[] = [];
  const tray = createStatusNotifier({
    bus,
    drawIcon,
    timeScale,
    listener: { onClick: (click) => clicks.push(click), onState: (state) => states.push(state) },
  });
  onTestFinished(async () => {
    await tray.stop();
    await bus.close();
  });
  return { bus, tray, clicks, states };
}

export function picture(items: readonly TrayItem[], parts: Partial<TrayPicture> = {}): TrayPicture {
  return {
    icon: { shape: 'ok', count: null },
    title: '',
    tooltip: { title: 'sandy-tray', text: 'All is well.' },
    items,
    ...parts,
  };
}

export const action = (id: string, parts: object = {}): TrayItem => ({
  kind: 'action',
  id,
  label: id,
  enabled: true,
  checked: null,
  action: { kind: 'open', key: id },
  ...parts,
});

/** Sessions, each a submenu with an action. */
export const sessions = (count: number): readonly TrayItem[] =>
  Array.from({ length: count }, (_, at) => ({
    kind: 'submenu',
    id: `session-${at}`,
    label: `session ${at}`,
    items: [action(`open-${at}`), action(`stop-${at}`, { enabled: false })],
  }));
