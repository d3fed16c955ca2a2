import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDbusMenu } from '../../src/tray/dbus-menu.ts';
import type { TrayAction } from '../../src/tray/tray-picture.ts';
import { action, sessions } from './panel-stand-in.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A menu of three sessions that was told long ago. */
function startMenu(timeScale = 1) {
  const told: string[] = [];
  const clicks: TrayAction[] = [];
  const menu = createDbusMenu({
    emit: (member) => told.push(member),
    onClick: (clicked) => clicks.push(clicked),
    timeScale,
  });
  const call = (member: string, ...args: unknown[]) =>
    menu.object['com.canonical.dbusmenu']?.methods?.[member]?.run(args, ':1.1');
  const event = (number: number, name: string) => call('Event', number, name, 0, 0);
  /** The numbers of the rows that a panel sees. */
  const rows = () => {
    const [, layout] = call('GetLayout', 0, 1, []) as [number, [number, unknown, unknown[]]];
    return layout[2].map((row) => (row as [string, [number]])[1][0]);
  };
  menu.show(sessions(3));
  expect(told.splice(0)).toEqual(['LayoutUpdated']);
  vi.advanceTimersByTime(60_000);
  return { menu, told, clicks, call, event, rows };
}

test('rows that come and go are told at once, and then together', () => {
  const { menu, told, rows } = startMenu();
  menu.show(sessions(4));
  expect(told).toEqual(['LayoutUpdated']);
  menu.show(sessions(30));
  menu.show(sessions(5));
  vi.advanceTimersByTime(499);
  expect(rows()).toHaveLength(4);
  expect(told.filter((name) => name === 'LayoutUpdated')).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(rows()).toHaveLength(5);
  expect(told.filter((name) => name === 'LayoutUpdated')).toHaveLength(2);
});

test('rows that came and went meanwhile are not told', () => {
  const { menu, told } = startMenu();
  menu.show(sessions(4));
  menu.show(sessions(5));
  menu.show(sessions(4));
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual(['LayoutUpdated']);
});

test('an open menu keeps its rows until it is closed; those that are gone can not be clicked', () => {
  const { menu, told, clicks, event, rows } = startMenu();
  const [, , last = 0] = rows();
  event(0, 'opened');
  menu.show([...sessions(2), action('new')]);
  expect(told.splice(0)).toEqual(['ItemsPropertiesUpdated']);
  vi.advanceTimersByTime(29_000);
  expect(rows()).toContain(last);
  event(last + 1, 'clicked');
  expect(clicks).toEqual([]);
  expect(told.splice(0)).toEqual(['LayoutUpdated']);
  expect(rows()).not.toContain(last);

  event(0, 'opened');
  menu.show(sessions(1));
  told.length = 0;
  event(0, 'closed');
  vi.advanceTimersByTime(500);
  expect(told).toEqual(['LayoutUpdated']);
});

test('a menu of which nobody says that it was closed is not left for ever', () => {
  const { menu, told, event, rows } = startMenu(10);
  event(0, 'opened');
  menu.show(sessions(5));
  vi.advanceTimersByTime(2999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(['LayoutUpdated']);
  expect(rows()).toHaveLength(5);
});

test('a menu that opens is fetched, which is not told by a signal before it is closed', () => {
  const { menu, told, call, event, rows } = startMenu();
  event(0, 'opened');
  menu.show(sessions(5));
  vi.advanceTimersByTime(1000);
  // It was closed, and nobody said so.
  expect(call('AboutToShow', 0)).toEqual([true]);
  expect(rows()).toHaveLength(5);
  event(0, 'opened');
  expect(call('AboutToShow', 1)).toEqual([false]);
  vi.advanceTimersByTime(5000);
  expect(told).toEqual([]);
  event(0, 'closed');
  expect(told).toEqual(['LayoutUpdated']);
  expect(call('AboutToShowGroup', [0, 1, 4711])).toEqual([[], [4711]]);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual(['LayoutUpdated']);
});

test('a menu of which is said only that it opens is left as it is too', () => {
  const { menu, told, call, event, rows } = startMenu();
  const [, first = 0] = rows();
  expect(call('AboutToShowGroup', [0])).toEqual([[], []]);
  menu.show(sessions(5));
  vi.advanceTimersByTime(5000);
  expect(rows()).toHaveLength(3);
  expect(told).toEqual([]);
  event(first, 'clicked');
  expect(rows()).toHaveLength(5);
  expect(told.splice(0)).toEqual(['LayoutUpdated']);

  call('AboutToShowGroup', [0]);
  menu.show(sessions(4));
  vi.advanceTimersByTime(5000);
  told.length = 0;
  // It was closed meanwhile: Xfce's panel fetches when it is told by the signal, and only then.
  expect(call('AboutToShowGroup', [1])).toEqual([[], []]);
  expect(told).toEqual([]);
  expect(call('AboutToShowGroup', [0])).toEqual([[], []]);
  expect(told).toEqual(['LayoutUpdated']);
  expect(rows()).toHaveLength(4);
});

test('a panel that fetches already is not told to fetch when its menu opens', () => {
  const { menu, told, call, event } = startMenu();
  menu.show(sessions(4));
  menu.show(sessions(5));
  expect(call('AboutToShow', 0)).toEqual([false]);
  event(0, 'opened');
  vi.advanceTimersByTime(5000);
  expect(told).toEqual(['LayoutUpdated']);
  event(0, 'closed');
  expect(told).toEqual(['LayoutUpdated', 'LayoutUpdated']);
});

test('nothing is left to be done once it is stopped', () => {
  const { menu } = startMenu();
  menu.show(sessions(4));
  menu.show(sessions(5));
  menu.stop();
});

describe('a submenu that asks for something by being looked at', () => {
  const opened = { kind: 'seen-last-run', id: 'run-1' } as const;
  const output = { kind: 'open', key: 'output' } as const;
  const others = sessions(3);

  /** Its menu as a panel has it open, and the numbers of the submenu and of the row in it. */
  function openSubmenu(timeScale = 1) {
    const started = startMenu(timeScale);
    const items = [action('output', { action: output })];
    const lastRun = {
      kind: 'submenu',
      id: 'last-run',
      label: 'Last night',
      items,
      opened,
    } as const;
    const { menu, clicks, told, call, event, rows } = started;
    menu.show([lastRun, ...others]);
    vi.advanceTimersByTime(60_000);
    told.length = 0;
    const [first = 0] = rows();
    const [, [, , [inner]]] = call('GetLayout', first, 1, []) as [
      number,
      [number, unknown, [[string, [number]]]],
    ];
    event(0, 'opened');
    event(first, 'opened');
    // As the agent does, which draws the menu without it once it was looked at.
    const redraw = () =>
      menu.show(clicks.some(({ kind }) => kind === opened.kind) ? others : [lastRun, ...others]);
    return { ...started, first, inner: inner[1][0], redraw };
  }

  test('is left as it is until the menu is closed', () => {
    const { told, clicks, event, first, redraw } = openSubmenu();
    redraw();
    vi.advanceTimersByTime(29_000);
    event(first, 'closed');
    expect([clicks, told]).toEqual([[], []]);
    event(0, 'closed');
    vi.advanceTimersByTime(500);
    expect(clicks).toEqual([opened]);
    redraw();
    vi.advanceTimersByTime(60_000);
    expect(clicks).toEqual([opened]);
    expect(told).toContain('LayoutUpdated');
  });

  test('stays while the menu is opened again soon', () => {
    const { clicks, event } = openSubmenu();
    event(0, 'closed');
    vi.advanceTimersByTime(499);
    event(0, 'opened');
    vi.advanceTimersByTime(29_000);
    expect(clicks).toEqual([]);
    event(0, 'closed');
    vi.advanceTimersByTime(500);
    expect(clicks).toEqual([opened]);
  });

  test.each([
    ['clicked alone', []],
    ['closed before', ['closed']],
  ])('has rows that can be clicked: %s', (_how, before) => {
    const { clicks, event, inner, redraw } = openSubmenu();
    redraw();
    for (const name of before) event(0, name);
    redraw();
    event(inner, 'clicked');
    expect(clicks).toEqual([output]);
    vi.advanceTimersByTime(500);
    expect(clicks).toEqual([output, opened]);
  });

  test('asks for it in the end where nobody says that the menu was closed', () => {
    const { clicks } = openSubmenu(10);
    vi.advanceTimersByTime(2999);
    expect(clicks).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(clicks).toEqual([opened]);
  });

  test('asks for it when the panel goes, and for nothing once the tray is stopped', () => {
    const gone = openSubmenu();
    gone.menu.forgetPanel();
    vi.advanceTimersByTime(500);
    expect(gone.clicks).toEqual([opened]);
    const stopped = openSubmenu();
    stopped.menu.stop();
    expect(stopped.clicks).toEqual([]);
  });
});
