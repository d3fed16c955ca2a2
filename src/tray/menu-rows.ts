/** The rows of a menu as `com.canonical.dbusmenu` wants them: numbered, with properties. Pure. */

import type { BusVariant } from '../system/dbus-connection.ts';
import type { TrayItem } from './tray-picture.ts';

export type RowProperty = readonly [name: string, value: BusVariant];

export interface MenuRow {
  readonly number: number;
  /** Null: the menu itself, which has number 0. */
  readonly item: TrayItem | null;
  /** A row of one number always has the same ones, in the same order. */
  readonly properties: readonly RowProperty[];
  readonly children: readonly number[];
}

export type MenuTree = ReadonlyMap<number, MenuRow>;

const NO_MENU: MenuRow = {
  number: 0,
  item: null,
  properties: [['children-display', ['s', 'submenu']]],
  children: [],
};

/** A menu without rows. */
export const emptyMenu: MenuTree = new Map([[0, NO_MENU]]);

/**
 * Gives rows numbers. A row keeps its number as long as it is there, wherever it goes; a number that was
 * another row's is never given again, so a late click can't hit the wrong one.
 */
export function createNumbering(): (items: readonly TrayItem[]) => MenuTree {
  let known = new Map<string, number>();
  let last = 0;
  return (items) => {
    const current = new Map<string, number>();
    const tree = new Map<number, MenuRow>();
    const add = (item: TrayItem): number => {
      // What can't become another kind of row in a panel is another row.
      const name = `${describeKind(item)} ${item.id}`;
      let key = name;
      for (let turn = 2; current.has(key); turn += 1) key = `${name} ${turn}`;
      const number = known.get(key) ?? ++last;
      current.set(key, number);
      const children = item.kind === 'submenu' ? item.items.map(add) : [];
      tree.set(number, { number, item, properties: describeRow(item), children });
      return number;
    };
    tree.set(0, { ...NO_MENU, children: items.map(add) });
    known = current;
    return tree;
  };
}

function describeKind(item: TrayItem): string {
  return item.kind === 'action' && item.checked !== null ? 'check' : item.kind;
}

function describeRow(item: TrayItem): readonly RowProperty[] {
  switch (item.kind) {
    case 'separator':
      return [['type', ['s', 'separator']]];
    case 'note':
      return describeLabel(item.label, false);
    case 'submenu':
      return [
        ...describeLabel(item.label, item.items.length > 0),
        ['children-display', ['s', 'submenu']],
      ];
    case 'action':
      return [
        ...describeLabel(item.label, item.enabled),
        ...(item.checked === null ? [] : describeCheck(item.checked)),
      ];
  }
}

function describeLabel(label: string, enabled: boolean): readonly RowProperty[] {
  return [
    // One underscore would mark a letter to be pressed.
    ['label', ['s', label.replaceAll('_', '__')]],
    ['enabled', ['b', enabled]],
  ];
}

function describeCheck(checked: boolean): readonly RowProperty[] {
  return [
    ['toggle-type', ['s', 'checkmark']],
    ['toggle-state', ['i', checked ? 1 : 0]],
  ];
}

/** Whether the same rows are in the same places, whatever they say. */
export function isSameStructure(one: MenuTree, other: MenuTree): boolean {
  if (one.size !== other.size) return false;
  for (const [number, { children }] of one) {
    const others = other.get(number)?.children;
    if (others === undefined || others.length !== children.length) return false;
    if (children.some((child, at) => child !== others[at])) return false;
  }
  return true;
}

/** The properties of one row that have other values now. */
export function listChanges(
  before: readonly RowProperty[],
  now: readonly RowProperty[],
): readonly RowProperty[] {
  return now.filter(([, [, value]], at) => before[at]?.[1][1] !== value);
}

/** The properties of a row that is gone but still seen: it says what it said, and can't be clicked. */
export function disableRow(properties: readonly RowProperty[]): readonly RowProperty[] {
  return properties.map((property) =>
    property[0] === 'enabled' ? ['enabled', ['b', false]] : property,
  );
}

/** The value of `GetLayout`: number, properties, rows below as variants. */
export type RowLayout = readonly [number, readonly RowProperty[], readonly BusVariant[]];

/**
 * Lays out a row and what is below it. A number that nobody has, as panels ask for rows that have just
 * gone, is a row of nothing.
 * @param depth how many levels below it; below 0: all
 * @param names of the properties that are wanted; none: all
 */
export function layOutRow(
  tree: MenuTree,
  number: number,
  depth: number,
  names: readonly string[],
): RowLayout {
  const row = tree.get(number);
  if (row === undefined) return [number, [], []];
  const children = depth === 0 ? [] : row.children;
  return [
    number,
    pickProperties(row, names),
    children.map((child) => ['(ia{sv}av)', layOutRow(tree, child, depth - 1, names)]),
  ];
}

/** The properties of a row that are wanted; no names: all. */
export function pickProperties(row: MenuRow, names: readonly string[]): readonly RowProperty[] {
  return names.length === 0
    ? row.properties
    : row.properties.filter(([name]) => names.includes(name));
}
