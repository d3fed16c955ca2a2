/**
 * A menu for a helper that can change rows but neither add nor remove any: a fixed set of slots with some to
 * spare, of which those without a row are hidden. Pure.
 */

import { cleanLabel } from './labels.ts';
import type { TrayItem } from './tray-picture.ts';

export interface Slot {
  readonly number: number;
  readonly kind: 'row' | 'menu';
  readonly slots: readonly Slot[];
}

/** Slots between two lines; the name is the line's, '' for the first. */
export interface SlotGroup {
  readonly name: string;
  readonly slots: readonly Slot[];
}

export type SlotPlan = readonly SlotGroup[];

export interface Fitting {
  /** The rows by their slots' numbers; slots that are not in it are hidden. */
  readonly rows: ReadonlyMap<number, TrayItem>;
  /** False: some rows have no slot, or there is a line too many. */
  readonly isWhole: boolean;
}

/** A row as the helper takes it. */
export interface SlotMessage {
  readonly title: string;
  readonly tooltip: string;
  readonly checked: boolean;
  readonly enabled: boolean;
  readonly hidden: boolean;
  readonly items: readonly SlotMessage[];
  readonly __id: number;
}

type Shape =
  | { readonly kind: 'row' }
  | { readonly kind: 'menu'; readonly shapes: readonly Shape[] };
type Item = Exclude<TrayItem, { readonly kind: 'separator' }>;

const SEPARATOR = '<SEPARATOR>';
/** Lines are never spoken of again; their numbers are nobody else's. */
const FIRST_LINE = 1_000_000;
const CHECK_MARK = '✓ ';
/** A menu without any row that can be seen keeps the helper busy for good. */
const nothing: Item = { kind: 'note', id: 'nothing', label: cleanLabel('') };

/** Slots for a menu like this one, and for one that grows by half. */
export function planSlots(items: readonly TrayItem[]): SlotPlan {
  let last = 0;
  const number = (shape: Shape): Slot => {
    last += 1;
    const [own, slots] = [last, shape.kind === 'menu' ? shape.shapes.map(number) : []];
    return { number: own, kind: shape.kind, slots };
  };
  return splitGroups(items).map(([name, rows]) => ({
    name,
    slots: addSpares(rows.map(shapeOf), true).map(number),
  }));
}

/** Finds a slot for each row, in the order of the rows. */
export function fitRows(plan: SlotPlan, items: readonly TrayItem[]): Fitting {
  const rows = new Map<number, TrayItem>();
  const groups = new Map(splitGroups(items));
  let isWhole = groups.size === plan.length;
  const place = (slots: readonly Slot[], list: readonly Item[]) => {
    let at = 0;
    for (const item of list) {
      const { kind } = shapeOf(item);
      const left = slots.slice(at);
      const found = left.find((slot) => canHold(slot, item));
      const slot = found ?? left.find((other) => other.kind === kind);
      if (found === undefined) isWhole = false;
      if (slot === undefined) continue;
      at = slots.indexOf(slot) + 1;
      rows.set(slot.number, item);
      if (item.kind === 'submenu') place(slot.slots, withoutLines(item.items));
    }
  };
  for (const { name, slots } of plan) place(slots, groups.get(name) ?? []);
  if (plan.some(({ name }) => !groups.has(name))) isWhole = false;
  return { rows, isWhole };
}

/** Whether a slot has room for a row and for all that is below it. */
function canHold(slot: Slot, item: Item): boolean {
  if (slot.kind !== shapeOf(item).kind) return false;
  const below = item.kind === 'submenu' ? withoutLines(item.items) : [];
  let at = 0;
  return below.every((row) => {
    const found = slot.slots.findIndex((each, index) => index >= at && canHold(each, row));
    at = found + 1;
    return found >= 0;
  });
}

/** All slots as the helper wants them at first, the hidden ones too. */
export function writeMenu(plan: SlotPlan, rows: Fitting['rows']): readonly SlotMessage[] {
  const write = (slot: Slot): SlotMessage => ({
    ...writeSlot(slot, rows.get(slot.number)),
    items: slot.slots.map(write),
  });
  const line = { ...writeSlot({ number: 0, kind: 'row', slots: [] }, nothing), title: SEPARATOR };
  return plan.flatMap(({ slots }, index) => [
    ...(index === 0 ? [] : [{ ...line, __id: FIRST_LINE + index }]),
    ...slots.map(write),
  ]);
}

/** One slot alone: whatever is listed below it would be shown by this. */
export function writeSlot({ number }: Slot, item: TrayItem | undefined): SlotMessage {
  const isAction = item?.kind === 'action';
  const label = item === undefined || item.kind === 'separator' ? nothing.label : item.label;
  return {
    // The helper's own check marks add up.
    title: isAction && item.checked === true ? `${CHECK_MARK}${label}` : freeOfMeaning(label),
    tooltip: '',
    checked: false,
    enabled: isAction ? item.enabled : item?.kind === 'submenu' && item.items.length > 0,
    hidden: item === undefined,
    items: [],
    __id: number,
  };
}

/** Every slot of a plan, those of menus too. */
export function listSlots(plan: SlotPlan): readonly Slot[] {
  const list = (slot: Slot): readonly Slot[] => [slot, ...slot.slots.flatMap(list)];
  return plan.flatMap(({ slots }) => slots.flatMap(list));
}

function freeOfMeaning(label: string): string {
  return label === SEPARATOR ? `${label} ` : label;
}

/** The rows between lines, by the lines' names; lines with nothing in between are one. */
function splitGroups(items: readonly TrayItem[]): [name: string, rows: readonly Item[]][] {
  const groups: [string, Item[]][] = [];
  let name = '';
  for (const item of items) {
    if (item.kind === 'separator') {
      name = groups.length === 0 ? '' : item.id;
      continue;
    }
    const group = groups.at(-1);
    if (group?.[0] === name) group[1].push(item);
    else groups.push([name, [item]]);
  }
  return groups.length === 0 ? [['', [nothing]]] : groups;
}

function withoutLines(items: readonly TrayItem[]): readonly Item[] {
  return items.filter((item) => item.kind !== 'separator');
}

function shapeOf(item: Item): Shape {
  const below = item.kind === 'submenu' ? withoutLines(item.items) : [];
  return below.length === 0 ? { kind: 'row' } : { kind: 'menu', shapes: below.map(shapeOf) };
}

/**
 * Rows of a kind that follow one another get the same shape, so that each can take another's slot, and some
 * more. Menus of menus are another kind than menus of rows: each slot costs the helper time and memory.
 */
function addSpares(shapes: readonly Shape[], isTop: boolean): readonly Shape[] {
  const runs: Shape[][] = [];
  for (const shape of shapes) {
    const [run, first] = [runs.at(-1), runs.at(-1)?.[0]];
    if (run !== undefined && first !== undefined && measureHeight(first) === measureHeight(shape)) {
      run.push(shape);
    } else runs.push([shape]);
  }
  return runs.flatMap((run) => {
    const joined = run.reduce(joinShapes);
    const isRow = joined.kind === 'row';
    const shape: Shape = isRow ? joined : { kind: 'menu', shapes: addSpares(joined.shapes, false) };
    // A menu that stands alone is no list of things.
    const growing = isRow || run.length > 1 ? Math.ceil(run.length / (isTop ? 2 : 4)) : 0;
    return Array<Shape>(run.length + growing).fill(shape);
  });
}

function measureHeight(shape: Shape): number {
  return shape.kind === 'row' ? 0 : 1 + Math.max(...shape.shapes.map(measureHeight));
}

/** A shape that has room for what either has room for. */
function joinShapes(one: Shape, other: Shape): Shape {
  if (one.kind === 'row' || other.kind === 'row') return one.kind === 'row' ? other : one;
  const shapes: Shape[] = [];
  let at = 0;
  for (const shape of other.shapes) {
    const found = one.shapes.findIndex(({ kind }, index) => index >= at && kind === shape.kind);
    const match = one.shapes[found];
    if (match === undefined) {
      shapes.push(shape);
      continue;
    }
    shapes.push(...one.shapes.slice(at, found), joinShapes(match, shape));
    at = found + 1;
  }
  return { kind: 'menu', shapes: [...shapes, ...one.shapes.slice(at)] };
}
