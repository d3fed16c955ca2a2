import { describe, expect, test } from 'vitest';
import type { HelperLimits } from '../../src/tray/helper-process.ts';
import { createSystrayHelper } from '../../src/tray/systray-helper.ts';
import {
  type Actor,
  eventually,
  expectEnded,
  line,
  makePicture,
  menu,
  note,
  openStage,
  row,
  type Stage,
} from './helper-stage.ts';

const usual = [note('head'), line('l'), menu('a', [row('a/1'), row('a/2')]), row('quit')];

async function start(limits: Partial<HelperLimits> = {}, timeScale = 1000) {
  const stage = await openStage(limits);
  let drawn = 0;
  const tray = stage.keep(
    createSystrayHelper({
      prepare: stage.prepare,
      limits: stage.limits,
      listener: stage.listener,
      encodeIcon: ({ shape }) => {
        drawn += 1;
        return Buffer.from(shape);
      },
      hasTemplateIcons: false,
      timeScale,
    }),
  );
  tray.show(makePicture(usual));
  return { stage, tray, drawn: () => drawn };
}

async function startReady(limits?: Partial<HelperLimits>, timeScale?: number) {
  const started = await start(limits, timeScale);
  const actor = await started.stage.next();
  actor.beReady();
  await eventually(() => expect(actor.heard.length).toBeGreaterThan(0));
  return { ...started, actor };
}

interface Told {
  readonly title: string;
  readonly hidden: boolean;
  readonly __id: number;
  readonly items: readonly Told[];
}

/** The rows as they are after all messages. */
function tellRows({ heard }: Actor): Map<string, Told> {
  const byNumber = new Map<number, Told>();
  // What is listed below a row is shown, whatever it says.
  const take = (items: readonly Told[], isBelow: boolean) => {
    for (const item of items) {
      byNumber.set(item.__id, isBelow ? { ...item, hidden: false } : item);
      take(item.items, true);
    }
  };
  for (const message of heard) {
    if (message.type === undefined) take(message.items as Told[], false);
    if (message.type === 'update-item') take([message.item as Told], false);
  }
  const seen = [...byNumber.values()].filter(({ hidden }) => !hidden);
  return new Map(seen.map((item) => [item.title, item]));
}

const clickOn = (actor: Actor, title: string) =>
  actor.say({ type: 'clicked', seq_id: 3, __id: tellRows(actor).get(title)?.__id, item: {} });
const markEnd = (stage: Stage, actor: Actor) => {
  clickOn(actor, 'quit');
  return eventually(() => expect(stage.clicks.at(-1)?.action).toEqual(open('quit')));
};
const open = (key: string) => ({ kind: 'open', key });

describe('the menu in a helper', () => {
  test('is told whole once it is ready, in ASCII, away from every folder of ours', async () => {
    const { tray, actor, stage } = await startReady();
    tray.show(makePicture([...usual.slice(0, -1), row('quit', { label: 'quit… ✓' })]));
    await eventually(() => expect([...tellRows(actor).keys()]).toContain('quit… ✓'));
    expect([...tellRows(actor).keys()].sort()).toEqual(
      ['<SEPARATOR>', 'a', 'a/1', 'a/2', 'head', 'quit… ✓'].sort(),
    );
    expect(actor.isAscii()).toBe(true);
    expect(actor.cwd).toBe('/');
    expect(stage.states).toEqual(['shown']);
    expect(tray.reason()).toBeNull();
    expect(actor.variables).not.toHaveProperty('PATH');
  });

  test('tells only what changed, and the icon only when it is another one', async () => {
    const { tray, actor, stage, drawn } = await startReady();
    await markEnd(stage, actor);
    const before = actor.heard.length;
    tray.show(makePicture(usual));
    tray.show(makePicture([note('head'), line('l'), ...usual.slice(2)], { title: '' }));
    expect(drawn()).toBe(1);
    tray.show(makePicture([...usual.slice(0, -1), row('quit', { checked: true })]));
    tray.show(makePicture(usual, { icon: { shape: 'stale', count: 2 }, title: '2' }));
    tray.show(makePicture(usual, { icon: { shape: 'stale', count: 2 }, title: '3' }));
    await eventually(() => expect(actor.heard.length).toBe(before + 4));
    expect(actor.heard.slice(before)).toMatchObject([
      { type: 'update-item', seq_id: -1, item: { title: '✓ quit', items: [] } },
      { type: 'update-menu', menu: { title: '2', icon: Buffer.from('stale').toString('base64') } },
      { type: 'update-item', item: { title: 'quit' } },
      { type: 'update-menu', menu: { title: '3', icon: Buffer.from('stale').toString('base64') } },
    ]);
    expect(drawn()).toBe(2);
  });

  test('takes clicks on rows, not on menus, notes, what is hidden or what is none', async () => {
    const { actor, stage } = await startReady();
    for (const title of ['a', 'head', '<SEPARATOR>', 'nowhere']) clickOn(actor, title);
    for (const wrong of [-1, 0, 2 ** 40, '1', null]) actor.say({ type: 'clicked', __id: wrong });
    clickOn(actor, 'a/2');
    await eventually(() => expect(stage.clicks.length).toBe(1));
    expect(stage.clicks).toEqual([{ action: open('a/2'), activationToken: null }]);
  });

  test('takes no click that was meant for the row that stood there before', async () => {
    const { tray, actor, stage } = await startReady({}, 0.01);
    const two = [...usual.slice(0, 2), menu('b', [row('b/1')]), row('quit')];
    const number = tellRows(actor).get('a/1')?.__id;
    tray.show(makePicture(two));
    actor.say({ type: 'clicked', __id: number });
    await markEnd(stage, actor);
    expect(stage.clicks.map(({ action }) => action)).toEqual([open('quit')]);
  });

  test('is told again by another start when it outgrows its slots', async () => {
    const { tray, actor, stage } = await startReady();
    const many = ['b', 'c', 'd', 'e'].map((key) => menu(key, [row(`${key}/1`)]));
    tray.show(makePicture([...usual.slice(0, 2), ...many, row('quit')]));
    const next = await stage.next();
    next.beReady();
    await eventually(() => expect([...tellRows(next).keys()]).toContain('e/1'));
    await expectEnded(actor.pid);
    expect(stage.states).not.toContain('no-helper');
  });
});

describe('a helper', () => {
  test('that dies at its start can not be run, and is tried again', async () => {
    const { stage, tray } = await start();
    (await stage.next()).order('end', { code: 1 });
    await eventually(() => expect(stage.states).toEqual(['no-helper']));
    expect(tray.reason()).toEqual({ kind: 'ended', detail: '1' });
    for (let turn = 0; turn < 6; turn += 1) (await stage.next()).order('end', { code: 2 });
    (await stage.next()).beReady();
    await eventually(() => expect(tray.state()).toBe('shown'));
  });

  test('that misses a library says which, and is not tried again', async () => {
    const { stage, tray } = await start();
    const actor = await stage.next();
    const text = 'helper: error while loading shared libraries: libgtk-3.so.0: cannot open\n';
    actor.order('complain', { text });
    actor.order('end', { code: 127 });
    await eventually(() => expect(tray.state()).toBe('no-helper'));
    expect(tray.reason()).toEqual({ kind: 'missing-library', detail: 'libgtk-3.so.0' });
    tray.show(makePicture(usual));
    await expectEnded(actor.pid);
    // Hundreds of times as long as another start would be away.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(stage.starts()).toBe(1);
  });

  test('that is never ready is ended', async () => {
    const { stage, tray } = await start({ readyMs: 1_500 });
    const actor = await stage.next();
    actor.order('say', { text: '{"type":"hello"}\nnot JSON\n[]\nnull\n' });
    await eventually(() => expect(tray.state()).toBe('no-helper'));
    expect(tray.reason()?.kind).toBe('not-ready');
    await expectEnded(actor.pid);
  });

  test('that dies later is back with the menu as it is then', async () => {
    const { stage, tray, actor } = await startReady({}, 20);
    process.kill(actor.pid, 'SIGKILL');
    await eventually(() => expect(tray.state()).toBe('starting'));
    tray.show(makePicture([...usual, row('newest')]));
    const next = await stage.next();
    next.beReady();
    await eventually(() => expect([...tellRows(next).keys()]).toContain('newest'));
    expect(stage.states).toEqual(['shown', 'starting', 'shown']);
  });

  test('that keeps dying is no helper in the end', async () => {
    const { stage, tray, actor } = await startReady({}, 200);
    let last = actor;
    for (let turn = 0; turn < 3; turn += 1) {
      process.kill(last.pid, 'SIGKILL');
      last = await stage.next();
      last.beReady();
      await eventually(() => expect(tray.state()).toBe('shown'));
    }
    process.kill(last.pid, 'SIGKILL');
    await eventually(() => expect(tray.state()).toBe('no-helper'));
    expect(tray.reason()).toEqual({ kind: 'ended', detail: 'SIGKILL' });
  });

  test('that shuts its stdin does us no harm', async () => {
    const { stage, tray, actor } = await startReady();
    actor.order('shut-input');
    await eventually(() => expect(actor.heard.at(-1)).toEqual({ type: 'shut' }));
    for (const count of [1, 2, 3]) {
      tray.show(makePicture(usual, { title: String(count) }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.kill(actor.pid, 'SIGKILL');
    (await stage.next()).beReady();
    await eventually(() => expect(tray.state()).toBe('shown'));
  });

  test('that babbles is listened to, and heard where it makes sense', async () => {
    const { stage, actor } = await startReady();
    actor.order('say', { text: '\u0000\u0001{"type":\n{}\n{"type":"clicked"}\n"x"\n{"type":"re' });
    actor.order('say', { text: 'ady"}\n' });
    await markEnd(stage, actor);
    expect(stage.starts()).toBe(1);
  });

  test('that floods is ended, and started again', async () => {
    const { stage, tray, actor } = await startReady();
    actor.order('flood');
    await expectEnded(actor.pid);
    (await stage.next()).beReady();
    await eventually(() => expect(stage.states).toEqual(['shown', 'starting', 'shown']));
    expect(tray.reason()).toBeNull();
  });

  test('that reads nothing is ended before what it is told piles up', async () => {
    const { stage, tray } = await start();
    const actor = await stage.next();
    actor.say({ type: 'ready' });
    await eventually(() => expect(tray.state()).toBe('shown'));
    const long = 'x'.repeat(500_000);
    for (let turn = 0; turn < 12; turn += 1) {
      tray.show(makePicture([...usual.slice(0, -1), row('quit', { label: `${turn}${long}` })]));
    }
    await expectEnded(actor.pid);
  });

  test('that grew too large is replaced when it is told something', async () => {
    // Node itself is larger than this.
    const { stage, tray, actor } = await startReady({ maxRssBytes: 1024 * 1024 }, 600_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    tray.show(makePicture(usual, { title: '1' }));
    (await stage.next()).beReady();
    await expectEnded(actor.pid);
    await eventually(() => expect(tray.state()).toBe('shown'));
  });

  test('is asked to end, and killed when it does not', async () => {
    const { stage, tray, actor } = await startReady({ exitMs: 300 });
    await markEnd(stage, actor);
    actor.order('be-deaf');
    await markEnd(stage, actor);
    await tray.stop();
    await expectEnded(actor.pid);
    expect(actor.heard.at(-1)).toEqual({ type: 'exit' });
    expect(tray.state()).toBe('off');
    tray.show(makePicture(usual));
    await tray.stop();
    expect(stage.starts()).toBe(1);
  });

  test('that is stopped before it is ready is gone as well', async () => {
    const { stage, tray } = await start({ exitMs: 300 });
    const actor = await stage.next();
    await tray.stop();
    await expectEnded(actor.pid);
    expect(stage.states).toEqual(['off']);
  });
});
