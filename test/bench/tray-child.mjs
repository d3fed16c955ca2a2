/** A tray as a process of its own, so that its memory is its own. Prints lines of JSON. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { importParts } from './pure-parts.mjs';

const [built = '', dir = ''] = process.argv.slice(2);
const FEW = 1_000;
const MANY = 10_000;
const LAYOUTS = 21;
/** How often another menu comes, and how often the bus must have heard everything. */
const MENU_EVERY = 50;
const WAIT_EVERY = 20;
/** Longer than rows wait to be told together. */
const APART_MS = 600;
const MB = 1024 * 1024;

// As the agent has it.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const parts = await importParts(built, dir);
const readText = (size) => readFileSync(join(dir, `${size}.json`), 'utf8');
const extras = {
  notices: new Map([['notify.late', true]]),
  seenRunId: null,
  formatTime: (iso) => iso.slice(11, 16),
  isLastNight: () => false,
  agentTroubles: [],
  answer: null,
  work: null,
};

let at = Date.now();
function look(model, text, id) {
  at += 900_000;
  const { sandyHome, sandboxes, sessions } = parts.readStateDocument(parts.parseJsonDocument(text));
  const observation = { kind: 'sighted', mode: 'full', sandyHome, sandboxes, sessions };
  const polled = { kind: 'polled', at, id, monoMs: at, tookMs: 400, mode: 'full' };
  return parts.update(model, { ...polled, observation })[0];
}
const draw = (model) => parts.drawTray(parts.view(model, at), extras);

let onLayoutSent = () => {};
const bus = parts.connectBus(process.env, 1);
const watched = {
  ...bus,
  exportObject(path, interfaces) {
    const getLayout = interfaces['com.canonical.dbusmenu']?.methods.GetLayout;
    if (getLayout !== undefined) {
      const { run } = getLayout;
      getLayout.run = (...given) => {
        const layout = run(...given);
        // The answer is written as soon as this returns.
        process.nextTick(onLayoutSent);
        return layout;
      };
    }
    return bus.exportObject(path, interfaces);
  },
};
const shown = makeResolvers();
const tray = parts.createStatusNotifier({
  bus: watched,
  timeScale: 1,
  listener: { onClick() {}, onState: (state) => state === 'shown' && shown.resolve() },
  drawIcon(icon, size) {
    const pixels = parts.drawIcon(icon, size, 'dark');
    return { width: size, height: size, argb: Buffer.from(parts.toArgb32(pixels)) };
  },
});

const fleets = new Map([3, 30].map((size) => [size, look(parts.startModel(), readText(size), 1)]));
tray.show(draw(fleets.get(3)));
await shown.promise;

const layoutsMs = [];
for (let count = 0; count < LAYOUTS; count += 1) {
  for (const size of [3, 30]) {
    await pause(APART_MS);
    const sent = makeResolvers();
    onLayoutSent = sent.resolve;
    const startedAt = performance.now();
    tray.show(draw(fleets.get(size)));
    // The first time there are three of them already.
    if (size === 3 && count === 0) continue;
    await sent.promise;
    if (size === 30) layoutsMs.push(performance.now() - startedAt);
  }
}
layoutsMs.sort((a, b) => a - b);
say({ layoutMs: layoutsMs[Math.floor(LAYOUTS / 2)] });

const stale = readText(5);
const texts = [stale, stale.replaceAll('"image_stale":true', '"image_stale":false')];
let model = parts.startModel();
for (let count = 1; count <= MANY; count += 1) {
  model = look(model, texts[count % 2], count);
  tray.show(draw(count % MENU_EVERY === 0 ? fleets.get(30) : model));
  if (count % WAIT_EVERY === 0) await hearBack();
  else await turn();
  if (count === FEW) say({ few: weigh(count) });
}
say({ many: weigh(MANY) });
await tray.stop();
await bus.close();

/** The memory as it is, and what of it is in use. */
function weigh(updates) {
  const rssMb = process.memoryUsage.rss() / MB;
  collect();
  return { updates, rssMb, heapMb: process.memoryUsage().heapUsed / MB };
}

function hearBack() {
  return bus.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member: 'GetId',
    limitMs: 30_000,
  });
}

function makeResolvers() {
  let resolve = () => {};
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function say(thing) {
  process.stdout.write(`${JSON.stringify(thing)}\n`);
}
