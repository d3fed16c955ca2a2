/** The tray of this machine for tests: pictures come as lines of JSON, states and clicks go as such. */

import { createInterface } from 'node:readline';
import { connectBus } from '../../src/system/dbus-connection.ts';
import { startTray, type TrayChoice } from '../../src/tray/choosing.ts';

const [choice = 'auto', folder = '', scale = '1'] = process.argv.slice(2);
const say = (thing: unknown) => process.stdout.write(`${JSON.stringify(thing)}\n`);
const bus = connectBus(process.env, 1000);
const tray = startTray({
  choice: choice as TrayChoice,
  platform: process.platform,
  arch: process.arch,
  environment: process.env,
  folders: { config: folder, state: folder, logs: folder },
  timeScale: Number(scale),
  makeBus: () => bus,
  listener: { onClick: say, onState: (state) => say({ state }) },
});
if (tray === null) throw new Error('there is no tray for this machine');
for await (const line of createInterface({ input: process.stdin })) tray.show(JSON.parse(line));
await tray.stop();
await bus.close();
