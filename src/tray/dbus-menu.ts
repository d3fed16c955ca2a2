/**
 * The menu of the icon, as panels fetch it: `com.canonical.dbusmenu`. A row that says something else is
 * told at once, which never disturbs an open menu. Rows that come and go are told together, and not while
 * the menu is open: Qt's panels close it then.
 */

import type { BusObject } from '../system/dbus-connection.ts';
import {
  createNumbering,
  disableRow,
  emptyMenu,
  isSameStructure,
  layOutRow,
  listChanges,
  type MenuRow,
  type MenuTree,
  pickProperties,
  type RowProperty,
} from './menu-rows.ts';
import type { TrayAction, TrayItem } from './tray-picture.ts';

const INTERFACE = 'com.canonical.dbusmenu';
const VERSION = 3;
/** Between two tellings that rows came or went. */
const TOGETHER_MS = 500;
/** How long an open menu is left as it is: some panels never say that it was closed. */
const OPEN_LIMIT_MS = 30_000;

export interface DbusMenuParts {
  readonly emit: (member: string, signature: string, body: readonly unknown[]) => void;
  /** An enabled row was clicked. The token is what came with the click itself. */
  readonly onClick: (action: TrayAction, data: unknown) => void;
  /** By which every delay is divided. */
  readonly timeScale: number;
}

export interface DbusMenu {
  readonly object: BusObject;
  readonly show: (items: readonly TrayItem[]) => void;
  /** Nobody has it open any more: the panel went. */
  readonly forgetPanel: () => void;
  readonly stop: () => void;
}

export function createDbusMenu({ emit, onClick, timeScale }: DbusMenuParts): DbusMenu {
  const number = createNumbering();
  /** What panels were told to be there; the rows' words are always the newest. */
  let told = new Map<number, MenuRow>(emptyMenu);
  let wanted: MenuTree = emptyMenu;
  let revision = 1;
  let toldAt = Number.NEGATIVE_INFINITY;
  let openedAt: number | null = null;
  /** One panel has fetched these rows before they were told. */
  let isOwed = false;
  let timer: NodeJS.Timeout | undefined;
  /** What submenus ask for that were opened since the menu was, by their numbers. */
  const lookedAt = new Map<number, () => void>();
  let leaving: NodeJS.Timeout | undefined;

  const take = () => {
    told = new Map(wanted);
    toldAt = performance.now();
    revision = (revision + 1) % 0xffff_ffff;
  };
  const announce = () => {
    isOwed = false;
    emit('LayoutUpdated', 'ui', [revision, 0]);
  };
  /** Tells that rows came or went, now or when it is time. */
  const tellInTime = () => {
    clearTimeout(timer);
    const isSame = isSameStructure(told, wanted);
    if (isSame && !isOwed) return;
    const waits = [toldAt + TOGETHER_MS / timeScale];
    if (openedAt !== null) waits.push(openedAt + OPEN_LIMIT_MS / timeScale);
    const waitMs = Math.max(...waits) - performance.now();
    if (waitMs > 0) {
      timer = setTimeout(tellInTime, Math.ceil(waitMs));
      return;
    }
    if (!isSame) take();
    announce();
  };
  const tellWords = () => {
    const changed: [number, readonly RowProperty[]][] = [];
    for (const [key, row] of told) {
      const properties = wanted.get(key)?.properties ?? disableRow(row.properties);
      const changes = listChanges(row.properties, properties);
      if (changes.length === 0) continue;
      changed.push([key, changes]);
      told.set(key, { ...row, properties });
    }
    if (changed.length > 0) emit('ItemsPropertiesUpdated', 'a(ia{sv})a(ias)', [changed, []]);
  };
  const setOpen = () => {
    openedAt = performance.now();
    leaveIn(OPEN_LIMIT_MS);
  };
  const setClosed = () => {
    openedAt = null;
    // Qt's panels say that a menu was closed before they say what was clicked in it.
    leaveIn(TOGETHER_MS);
    tellInTime();
  };
  const leaveIn = (ms: number) => {
    clearTimeout(leaving);
    if (lookedAt.size > 0) leaving = setTimeout(leave, ms / timeScale);
  };
  const leave = () => {
    openedAt = null;
    const asked = [...lookedAt.values()];
    lookedAt.clear();
    for (const ask of asked) ask();
    tellInTime();
  };

  const click = (key: number, data: unknown) => {
    const item = told.has(key) ? wanted.get(key)?.item : undefined;
    // Some panels click the parent of a submenu when the pointer is over it.
    if (item?.kind === 'action' && item.enabled) onClick(item.action, data);
    setClosed();
  };
  /**
   * Some submenus ask for something by being looked at, and may be gone for it: not before the menu closes,
   * or their rows could not be clicked any more while a person looks at them.
   */
  const noteOpened = (key: number, data: unknown) => {
    const item = told.has(key) ? wanted.get(key)?.item : undefined;
    if (item?.kind !== 'submenu' || item.opened === undefined) return;
    const { opened } = item;
    lookedAt.set(key, () => onClick(opened, data));
    setOpen();
  };
  /** Whether there is such a row. */
  const hear = (key: number, event: string, data: unknown): boolean => {
    if (event === 'clicked') click(key, data);
    else if (key === 0 && event === 'opened') setOpen();
    else if (key === 0 && event === 'closed') setClosed();
    else if (event === 'opened') noteOpened(key, data);
    return told.has(key);
  };
  /** A menu opens, and is left as it is from now on: Xfce's panel loses a click while rows come or go. */
  const open = (): boolean => {
    setOpen();
    const isTime = performance.now() - toldAt >= TOGETHER_MS / timeScale;
    const isOther = isTime && !isSameStructure(told, wanted);
    if (isOther) take();
    return isOther;
  };
  /**
   * True: the rows are to be fetched. Who is told so must not be told by a signal as well, nor shortly
   * after one: LXQt's panel fetches twice then, and hears no later signal any more. The signal is for
   * other panels, and comes later.
   */
  const prepare = (key: number): boolean => {
    if (key !== 0) return false;
    const isOther = open();
    isOwed ||= isOther;
    tellInTime();
    return isOther;
  };
  /** Xfce's panel, which asks in this way, hears nothing but the signal. */
  const prepareGroup = (keys: readonly number[]) => {
    if (!keys.includes(0)) return;
    if (open()) announce();
    tellInTime();
  };

  return {
    object: {
      [INTERFACE]: {
        properties: {
          Version: { signature: 'u', read: () => VERSION },
          TextDirection: { signature: 's', read: () => 'ltr' },
          Status: { signature: 's', read: () => 'normal' },
          IconThemePath: { signature: 'as', read: () => [] },
        },
        methods: {
          GetLayout: {
            takes: 'iias',
            gives: 'u(ia{sv}av)',
            run: ([key, depth, names]) => [
              revision,
              layOutRow(told, Number(key), Number(depth), readTexts(names)),
            ],
          },
          GetGroupProperties: {
            takes: 'aias',
            gives: 'a(ia{sv})',
            run([keys, names]) {
              const asked = readNumbers(keys);
              const rows = (asked.length > 0 ? asked : [...told.keys()]).flatMap(
                (key) => told.get(key) ?? [],
              );
              return [rows.map((row) => [row.number, pickProperties(row, readTexts(names))])];
            },
          },
          GetProperty: {
            takes: 'is',
            gives: 'v',
            run([key, name]) {
              const properties = told.get(Number(key))?.properties ?? [];
              const property = properties.find(([known]) => known === name);
              return property === undefined ? null : [property[1]];
            },
          },
          Event: {
            takes: 'isvu',
            gives: '',
            run([key, event, data]) {
              hear(Number(key), String(event), data);
              return [];
            },
          },
          EventGroup: {
            takes: 'a(isvu)',
            gives: 'ai',
            run: ([events]) => [
              readList(events).flatMap((entry) => {
                const [key, event, data] = readList(entry);
                return hear(Number(key), String(event), data) ? [] : [Number(key)];
              }),
            ],
          },
          AboutToShow: { takes: 'i', gives: 'b', run: ([key]) => [prepare(Number(key))] },
          AboutToShowGroup: {
            takes: 'ai',
            gives: 'aiai',
            run([keys]) {
              const asked = readNumbers(keys);
              prepareGroup(asked);
              return [[], asked.filter((key) => !told.has(key))];
            },
          },
        },
        signals: {
          ItemsPropertiesUpdated: 'a(ia{sv})a(ias)',
          LayoutUpdated: 'ui',
          ItemActivationRequested: 'iu',
        },
      },
    },
    show(items) {
      wanted = number(items);
      tellWords();
      tellInTime();
    },
    forgetPanel: setClosed,
    stop() {
      clearTimeout(timer);
      clearTimeout(leaving);
    },
  };
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readNumbers(value: unknown): readonly number[] {
  return readList(value).map(Number);
}

function readTexts(value: unknown): readonly string[] {
  return readList(value).map(String);
}
