import { describe, expect, test } from 'vitest';
import {
  fitRows,
  listSlots,
  planSlots,
  type SlotMessage,
  writeMenu,
  writeSlot,
} from '../../src/tray/systray-slots.ts';
import type { TrayItem } from '../../src/tray/tray-picture.ts';
import { line, menu, note, row } from './helper-stage.ts';

const session = (key: string, rows = 3): TrayItem =>
  menu(
    key,
    [1, 2, 3, 4, 5, 6].slice(0, rows).map((at) => row(`${key}/${at}`)),
  );
const usual = [note('head'), line('one'), session('a'), session('b'), line('two'), row('quit')];

/** What is seen: rows that are not hidden, a line as `-`, rows below in brackets. */
function see(from: readonly TrayItem[], now: readonly TrayItem[]): string {
  const plan = planSlots(from);
  const { rows } = fitRows(plan, now);
  const draw = (messages: readonly SlotMessage[]): string =>
    messages
      .filter(({ hidden }) => !hidden)
      .map(({ title, items }) => {
        if (title === '<SEPARATOR>') return '-';
        return items.length === 0 ? title : `${title}(${draw(items)})`;
      })
      .join(' ');
  return draw(writeMenu(plan, rows));
}

describe('slots', () => {
  test('show the rows, in their order, and nothing of what is spare', () => {
    expect(see(usual, usual)).toBe('head - a(a/1 a/2 a/3) b(b/1 b/2 b/3) - quit');
    expect(fitRows(planSlots(usual), usual).isWhole).toBe(true);
  });

  test('take a menu that shrank, or grew by a half, without lines in menus', () => {
    const plan = planSlots(usual);
    const fewer = [note('head'), line('one'), session('b', 1), line('two'), row('quit')];
    expect(see(usual, fewer)).toBe('head - b(b/1) - quit');
    const below = menu('c', [row('c/1'), line('c/line'), row('c/2')]);
    const more = [...usual.slice(0, 4), below, ...usual.slice(4)];
    expect(see(usual, more)).toBe('head - a(a/1 a/2 a/3) b(b/1 b/2 b/3) c(c/1 c/2) - quit');
    expect(fitRows(plan, more).isWhole).toBe(true);
  });

  test('say what does not fit: too many rows, a line more, a line less', () => {
    const plan = planSlots(usual);
    const many = [...usual.slice(0, 4), ...['c', 'd', 'e'].map((key) => session(key))];
    expect(fitRows(plan, [...many, ...usual.slice(4)]).isWhole).toBe(false);
    expect(fitRows(plan, [note('head'), line('x'), note('x'), ...usual.slice(1)]).isWhole).toBe(
      false,
    );
    expect(fitRows(plan, usual.slice(0, 4)).isWhole).toBe(false);
    expect(fitRows(plan, [session('a', 6), ...usual]).isWhole).toBe(false);
  });

  test('have room in each menu for what any of its neighbours has', () => {
    const mixed = [
      menu('a', [note('n'), session('in a'), row('r')]),
      menu('b', [row('r'), row('s'), row('t'), session('in b')]),
    ];
    const plan = planSlots(mixed);
    expect(fitRows(plan, [...mixed].reverse()).isWhole).toBe(true);
  });

  test('are not many more than the rows that there are', () => {
    const sessions = Array.from({ length: 30 }, (_, at) => session(`s${at}`, 6));
    const items = [
      note('head'),
      line('l'),
      ...sessions.slice(0, 12),
      menu('more', sessions.slice(12)),
      line('m'),
      menu('all', [note('n'), row('r')]),
      row('quit'),
    ];
    const plan = planSlots(items);
    expect(fitRows(plan, items).isWhole).toBe(true);
    expect(listSlots(plan).length).toBeLessThan(2 * 220);
  });

  test('are never nothing but lines', () => {
    for (const items of [[], [line('a')], [line('a'), line('b')]]) {
      const messages = writeMenu(planSlots(items), fitRows(planSlots(items), items).rows);
      expect(messages.some(({ hidden, title }) => !hidden && title === '-')).toBe(true);
    }
    expect(see([], [])).toBe('-');
  });

  test('have numbers of their own, which lines do not share', () => {
    const plan = planSlots(usual);
    const numbers = listSlots(plan).map(({ number }) => number);
    const { rows } = fitRows(plan, usual);
    const lines = writeMenu(plan, rows).filter(({ title }) => title === '<SEPARATOR>');
    expect(lines.length).toBe(2);
    const all = [...numbers, ...lines.map(({ __id }) => __id)];
    expect(new Set(all).size).toBe(all.length);
  });

  test('write what the helper understands and nothing that it takes for something else', () => {
    const slot = { number: 7, kind: 'row', slots: [] } as const;
    expect(writeSlot(slot, row('on', { checked: true }))).toMatchObject({
      title: '✓ on',
      checked: false,
      enabled: true,
      hidden: false,
      items: [],
      __id: 7,
    });
    expect(writeSlot(slot, row('off', { checked: false })).title).toBe('off');
    expect(writeSlot(slot, note('n'))).toMatchObject({ enabled: false, hidden: false });
    expect(writeSlot(slot, undefined)).toMatchObject({ enabled: false, hidden: true });
    expect(writeSlot(slot, row('<SEPARATOR>')).title).not.toBe('<SEPARATOR>');
  });
});
