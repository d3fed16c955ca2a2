/**
 * A tray for tests: pictures come as lines of JSON, states and clicks go as such. Its icon is a square of
 * one colour, another one for every number, that a panel's theme does not have.
 */

import { createInterface } from 'node:readline';
import { connectBus } from '../../src/system/dbus-connection.ts';
import { createStatusNotifier } from '../../src/tray/status-notifier.ts';
import type { TrayPicture } from '../../src/tray/tray-picture.ts';
import { colourOf } from './icon-colours.ts';

/** Only of the connection: a menu is to be held back for as long as it is held back for people. */
const timeScale = Number(process.argv[2] ?? 1);
const say = (thing: unknown) => process.stdout.write(`${JSON.stringify(thing)}\n`);
const bus = connectBus(process.env, timeScale);
const tray = createStatusNotifier({
  bus,
  timeScale: 1,
  drawIcon: ({ count }, size) => ({
    width: size,
    height: size,
    argb: Buffer.alloc(size * size * 4, Buffer.from([0xff, ...colourOf(count)])),
  }),
  listener: { onClick: say, onState: (state) => say({ state }) },
});
for await (const line of createInterface({ input: process.stdin })) {
  const picture: TrayPicture = JSON.parse(line);
  tray.show(picture);
}
await tray.stop();
await bus.close();
