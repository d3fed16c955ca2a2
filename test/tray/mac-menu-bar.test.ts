import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { helperLimits } from '../../src/tray/helper-process.ts';
import {
  createMacMenuBar,
  prepareMacScript,
  refuseWithoutDesktop,
} from '../../src/tray/mac-menu-bar.ts';
import type { TrayClick, TrayPicture, TrayState } from '../../src/tray/tray-picture.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';
import {
  eventually,
  expectEnded,
  line,
  makePicture,
  menu,
  note,
  openStage,
  row,
} from './helper-stage.ts';

const SCRIPT = join(import.meta.dirname, '../../assets/mac-tray.js');
const STAND_IN = join(import.meta.dirname, 'mac-stand-in.mjs');
const usual = [
  note('All is well'),
  line('l'),
  menu('a', [row('a/1', { label: 'Öffnen … ✓ 👩‍👧' }), line('a/l'), row('a/2', { checked: true })]),
  row('quit'),
];

interface Bar {
  readonly order: readonly string[];
  readonly policy: number;
  readonly icon: {
    readonly text: string;
    readonly size: readonly number[];
    readonly isTemplate: boolean;
  };
  readonly title: string;
  readonly tooltip: string;
  readonly rows: readonly { readonly label: string }[];
}

/** The menu bar with the real script in a stand-in for what runs it. */
async function startBar() {
  const path = join(makeScratchFolder(), 'person');
  const bars: Bar[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    createInterface({ input: socket }).on('line', (text) => bars.push(JSON.parse(text)));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const clicks: TrayClick[] = [];
  const states: TrayState[] = [];
  const tray = createMacMenuBar({
    prepare: async () => ({
      kind: 'prepared',
      command: {
        file: process.execPath,
        args: [STAND_IN, '-l', 'JavaScript', SCRIPT],
        environment: { MAC_STAND_IN: path },
      },
    }),
    listener: {
      onClick: (click) => clicks.push(click),
      onState: (state) => states.push(state),
    },
    encodeIcon: ({ shape }) => Buffer.from(shape),
    limits: { ...helperLimits, readyMs: 20_000 },
    timeScale: 1000,
  });
  onTestFinished(async () => {
    await tray.stop();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const labels = () => bars.at(-1)?.rows.map(({ label }) => label);
  return {
    tray,
    bars,
    clicks,
    states,
    labels,
    act: (what: string) => sockets.at(-1)?.write(`${what}\n`),
    seeTitle: (title: string) => eventually(() => expect(bars.at(-1)?.title).toBe(title)),
    show: (shown: TrayPicture) => tray.show(shown),
  };
}

describe('the script in the menu bar', () => {
  test('shows the icon, the number beside it and the menu', async () => {
    const { show, bars, seeTitle, states } = await startBar();
    show(makePicture(usual, { title: '3', tooltip: { title: 'Three', text: 'of them' } }));
    await seeTitle(' 3');
    expect(bars.at(-1)).toEqual({
      order: ['policy', 'item', 'run'],
      policy: 1,
      icon: { text: 'ok', size: [16, 16], isTemplate: true },
      title: ' 3',
      tooltip: 'Three\nof them',
      position: 2,
      rows: [
        { label: 'All is well', enabled: false },
        { label: '-' },
        {
          label: 'a',
          rows: [{ label: 'Öffnen … ✓ 👩‍👧' }, { label: '-' }, { label: 'a/2', checked: true }],
        },
        { label: 'quit' },
      ],
    });
    show(makePicture(usual, { icon: { shape: 'stale', count: null } }));
    await seeTitle('');
    expect(bars.at(-1)).toMatchObject({ icon: { text: 'stale' }, position: 1, tooltip: 'tip' });
    expect(states).toEqual(['shown']);
  });

  test('gives back clicks, of notes none', async () => {
    const { show, act, clicks, seeTitle } = await startBar();
    show(makePicture(usual, { title: '1' }));
    await seeTitle(' 1');
    for (const label of ['All is well', 'a', 'a/2', 'quit']) act(`click ${label}`);
    await eventually(() => expect(clicks.length).toBe(2));
    expect(clicks.map(({ action }) => action)).toEqual([
      { kind: 'open', key: 'a/2' },
      { kind: 'open', key: 'quit' },
    ]);
  });

  test('leaves an open menu as it is, and a click on it arrives', async () => {
    const { show, act, clicks, seeTitle, bars, labels } = await startBar();
    show(makePicture(usual, { title: '1' }));
    await seeTitle(' 1');
    const count = bars.length;
    act('open');
    await eventually(() => expect(bars.length).toBeGreaterThan(count));
    show(makePicture([row('other'), row('quit')], { title: '2' }));
    await seeTitle(' 2');
    expect(labels()).toEqual(['All is well', '-', 'a', 'quit']);
    act('click quit');
    await eventually(() => expect(clicks.length).toBe(1));
    await eventually(() => {
      act('look');
      expect(labels()).toEqual(['other', 'quit']);
    });
  });

  test('is left open when it is opened again at once', async () => {
    const { show, act, seeTitle, labels, bars } = await startBar();
    show(makePicture(usual, { title: '1' }));
    await seeTitle(' 1');
    for (const what of ['open', 'close', 'open']) act(what);
    await eventually(() => expect(bars.length).toBeGreaterThan(3));
    show(makePicture([row('other')], { title: '2' }));
    await seeTitle(' 2');
    // Longer than it takes to settle after a menu was closed.
    await new Promise((resolve) => setTimeout(resolve, 400));
    act('look');
    show(makePicture([row('other')], { title: '3' }));
    await seeTitle(' 3');
    expect(labels()).toEqual(['All is well', '-', 'a', 'quit']);
  });

  test('ends with its stdin', async () => {
    const { show, tray, seeTitle } = await startBar();
    show(makePicture(usual, { title: '1' }));
    await seeTitle(' 1');
    const pid = tray.pid() ?? 0;
    await tray.stop();
    await expectEnded(pid);
    expect(tray.state()).toBe('off');
  });
});

describe('what the script is told', () => {
  test('is what changed, in ASCII, and everything after another start', async () => {
    const stage = await openStage();
    const tray = stage.keep(
      createMacMenuBar({
        ...stage,
        encodeIcon: ({ shape }) => Buffer.from(shape),
        timeScale: 1000,
      }),
    );
    tray.show(makePicture(usual));
    const actor = await stage.next();
    actor.beReady();
    await eventually(() => expect(actor.heard.length).toBe(1));
    expect(Object.keys(actor.heard[0] ?? {})).toEqual([
      'type',
      'icon',
      'title',
      'tooltip',
      'items',
    ]);
    tray.show(makePicture(usual));
    // The number is not in the picture.
    tray.show(makePicture(usual, { icon: { shape: 'ok', count: 2 }, title: '2' }));
    await eventually(() => expect(actor.heard.length).toBe(2));
    expect(actor.heard[1]).toEqual({ type: 'show', title: '2' });
    expect(actor.isAscii()).toBe(true);
    process.kill(actor.pid, 'SIGKILL');
    const next = await stage.next();
    next.beReady();
    await eventually(() => expect(next.heard.length).toBe(1));
    expect(next.heard[0]).toMatchObject({ type: 'show', title: '2', icon: expect.any(String) });
    for (const id of ['a', 'All is well', 'nothing', 7]) next.say({ type: 'clicked', id });
    next.say({ type: 'clicked', id: 'quit' });
    await eventually(() => expect(stage.clicks.length).toBe(1));
    expect(stage.clicks[0]?.action).toEqual({ kind: 'open', key: 'quit' });
  });
});

describe('a session of macOS', () => {
  const askAs = (body: string) =>
    refuseWithoutDesktop(writeScript(join(makeScratchFolder(), 'launchctl'), body));

  test('has a menu bar only where the system says so', async () => {
    expect(await askAs('[ "$1" = managername ] && echo Aqua')).toBeNull();
    const reason = { kind: 'no-desktop', detail: 'Background' };
    expect(await askAs('echo Background')).toEqual({ kind: 'refused', reason });
    expect((await askAs('exit 1'))?.kind).toBe('refused');
    expect((await refuseWithoutDesktop('/nonexistent/launchctl'))?.kind).toBe('refused');
  });

  test.skipIf(process.platform === 'darwin')('is none on another system', async () => {
    expect((await prepareMacScript({})).kind).toBe('refused');
  });
});
