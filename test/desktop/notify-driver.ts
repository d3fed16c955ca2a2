/** A notifier for tests: what to do comes as lines of JSON, what becomes of it goes as such. */

import { createInterface } from 'node:readline';
import { createDesktopNotifier } from '../../src/notify/desktop-notifier.ts';
import type { Notice } from '../../src/notify/notifier.ts';
import { connectBus } from '../../src/system/dbus-connection.ts';

/** Of the connection. */
const timeScale = 1000;
const [icons = ''] = process.argv.slice(2);
const say = (thing: unknown) => process.stdout.write(`${JSON.stringify(thing)}\n`);
const bus = connectBus(process.env, timeScale);
bus.onState((state) => say({ state }));
const notifier = createDesktopNotifier({
  bus,
  variables: process.env,
  listener: {
    onClick: ({ key, actionId }) => say({ click: key, actionId }),
    onEnd: (key, end) => say({ end, key }),
  },
  chooseIcon: ({ urgency }) =>
    icons === '' ? null : `${icons}/${urgency === 'critical' ? 'attention' : 'ok'}-dark-44.png`,
});
for await (const line of createInterface({ input: process.stdin })) {
  const order: { readonly show: Notice } | { readonly withdraw: string } = JSON.parse(line);
  // Several at once, as the program does it.
  if ('show' in order) notifier.show(order.show).then(say);
  else notifier.withdraw(order.withdraw).then(() => say({ withdrawn: order.withdraw }));
}
await notifier.close();
say({ closed: true });
await bus.close();
