/**
 * The icon on Linux desktops: `org.kde.StatusNotifierItem` on the session bus. It needs no display. Panels
 * and buses may come, go and come back at any time; what is heard from the bus says when.
 */

import type { BusConnection } from '../system/dbus-connection.ts';
import { readActivationToken } from '../system/display.ts';
import { createDbusMenu } from './dbus-menu.ts';
import { createIconCache, type DrawIcon, describeIcon } from './icon-cache.ts';
import type { TrayBackend, TrayListener, TrayPicture, TrayState } from './tray-picture.ts';

export interface StatusNotifierParts {
  readonly bus: BusConnection;
  readonly listener: TrayListener;
  readonly drawIcon: DrawIcon;
  /** By which every delay is divided. */
  readonly timeScale: number;
}

const ITEM = 'org.kde.StatusNotifierItem';
const ITEM_PATH = '/StatusNotifierItem';
const MENU = 'com.canonical.dbusmenu';
const MENU_PATH = '/StatusNotifierItem/Menu';
const WATCHER = 'org.kde.StatusNotifierWatcher';
const WATCHER_PATH = '/StatusNotifierWatcher';
/** A name for other programs, which panels keep an icon's place by. */
const ID = 'sandy-tray';
/** How long a panel may take to answer; one that starts is busy. */
const PANEL_LIMIT_MS = 25_000;

export function createStatusNotifier(parts: StatusNotifierParts): TrayBackend {
  const { bus, listener, timeScale } = parts;
  const icons = createIconCache(parts.drawIcon);
  let picture: TrayPicture | null = null;
  let state: TrayState = 'starting';
  let stopped = false;
  let token: string | null = null;
  /** Null: nobody is the watcher; undefined: not known yet. */
  let watcher: string | null | undefined;
  let registeredWith: string | null = null;
  let isLooking = false;
  let isStale = false;

  const setState = (next: TrayState) => {
    if (state === next || stopped) return;
    state = next;
    listener.onState(next);
  };
  const emit = (member: string, signature = '', body: readonly unknown[] = []) => {
    bus.emit({ path: ITEM_PATH, interface: ITEM, member, signature, body });
  };
  const menu = createDbusMenu({
    timeScale,
    emit: (member, signature, body) => {
      bus.emit({ path: MENU_PATH, interface: MENU, member, signature, body });
    },
    onClick(action, data) {
      const activationToken = token ?? readActivationToken(data);
      token = null;
      if (!stopped) listener.onClick({ action, activationToken });
    },
  });

  const callWatcher = (interfaceName: string, member: string, signature: string, body: unknown[]) =>
    bus.call({
      destination: WATCHER,
      path: WATCHER_PATH,
      interface: interfaceName,
      member,
      signature,
      body,
      limitMs: PANEL_LIMIT_MS,
      withoutStarting: true,
    });
  /** Registers where that is still to be done, and asks whether there is a panel to show it in. */
  const lookForPanel = async (): Promise<TrayState> => {
    if (bus.state() !== 'connected') return bus.state() === 'connecting' ? 'starting' : 'no-bus';
    if (watcher === undefined) return state;
    if (watcher === null) return 'no-watcher';
    if (registeredWith !== watcher) {
      const asked = watcher;
      // By its path, not by a name: a name can't be taken in a sandbox, and two agents would fight for it.
      const { kind } = await callWatcher(WATCHER, 'RegisterStatusNotifierItem', 's', [ITEM_PATH]);
      // One that is late does it when it wakes, and says so to everybody.
      if (kind === 'returned' || kind === 'too-late') registeredWith = asked;
      if (kind !== 'returned') return 'no-watcher';
    }
    const outcome = await callWatcher('org.freedesktop.DBus.Properties', 'Get', 'ss', [
      WATCHER,
      'IsStatusNotifierHostRegistered',
    ]);
    if (outcome.kind !== 'returned') return 'no-watcher';
    return outcome.body[0] === true ? 'shown' : 'no-host';
  };
  /** One at a time: a call to a panel or a bus that goes ends when it goes. */
  const refresh = async () => {
    isStale = true;
    if (isLooking || picture === null) return;
    isLooking = true;
    while (isStale && !stopped) {
      isStale = false;
      const found = await lookForPanel();
      if (!isStale) setState(found);
    }
    isLooking = false;
  };

  const property = (signature: string, read: (shown: TrayPicture) => unknown, none: unknown) => ({
    signature,
    read: () => (picture === null ? none : read(picture)),
  });
  const constant = (signature: string, value: unknown) => property(signature, () => value, value);
  const pixmaps = property('a(iiay)', ({ icon }) => icons(icon), []);
  const label = property('s', ({ title }) => title, '');
  const item = {
    [ITEM]: {
      properties: {
        Category: constant('s', 'ApplicationStatus'),
        Id: constant('s', ID),
        Title: constant('s', ID),
        Status: { signature: 's', read: () => (stopped ? 'Passive' : 'Active') },
        WindowId: constant('i', 0),
        IconName: constant('s', ''),
        IconThemePath: constant('s', ''),
        IconPixmap: pixmaps,
        OverlayIconName: constant('s', ''),
        OverlayIconPixmap: constant('a(iiay)', []),
        AttentionIconName: constant('s', ''),
        AttentionIconPixmap: pixmaps,
        AttentionMovieName: constant('s', ''),
        ToolTip: property(
          '(sa(iiay)ss)',
          ({ tooltip }) => ['', [], withoutMarkup(tooltip.title), withoutMarkup(tooltip.text)],
          ['', [], '', ''],
        ),
        // There is nothing but the menu: without `Activate` and the like panels open it for every button.
        ItemIsMenu: constant('b', true),
        Menu: constant('o', MENU_PATH),
        XAyatanaLabel: label,
        XAyatanaLabelGuide: label,
      },
      methods: {
        ProvideXdgActivationToken: {
          takes: 's',
          gives: '',
          run([given]: readonly unknown[]) {
            token = readActivationToken(given);
            return [];
          },
        },
      },
      signals: {
        NewTitle: '',
        NewIcon: '',
        NewAttentionIcon: '',
        NewOverlayIcon: '',
        NewToolTip: '',
        NewStatus: 's',
        XAyatanaNewLabel: 'ss',
      },
    },
  };

  const endings = [
    bus.exportObject(ITEM_PATH, item),
    bus.exportObject(MENU_PATH, menu.object),
    bus.onState(() => refresh()),
    bus.watchName(WATCHER, (owner) => {
      watcher = owner;
      registeredWith = null;
      menu.forgetPanel();
      refresh();
    }),
    // A panel that came or went, or an item: ours, where it took the watcher long.
    bus.onSignal({ sender: WATCHER, interface: WATCHER, path: WATCHER_PATH }, () => refresh()),
  ];

  return {
    state: () => state,
    show(next) {
      if (stopped) return;
      const before = picture;
      picture = next;
      menu.show(next.items);
      if (before === null) {
        refresh();
        return;
      }
      // Panels fetch the picture again when told: only when there is another one.
      if (describeIcon(before.icon) !== describeIcon(next.icon)) emit('NewIcon');
      if (before.title !== next.title) emit('XAyatanaNewLabel', 'ss', [next.title, next.title]);
      const { title, text } = next.tooltip;
      if (before.tooltip.title !== title || before.tooltip.text !== text) emit('NewToolTip');
    },
    async stop() {
      if (stopped) return;
      setState('off');
      stopped = true;
      // There is no way to take it back but to leave the bus, which others may still need.
      emit('NewStatus', 's', ['Passive']);
      menu.stop();
      for (const end of endings) end();
    },
  };
}

/** Panels may take the text for markup, or show it as it is: these two mean nothing in either. */
function withoutMarkup(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›');
}
