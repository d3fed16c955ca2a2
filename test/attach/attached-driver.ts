/**
 * What the tests run in a pty: it joins a child to the terminal that it was started in, as often as it
 * is told, says in a file what happens, and writes a text of its own once the child has ended.
 */

import { appendFileSync } from 'node:fs';
import { startAttached } from '../../src/attach/attached.ts';
import { openTerminal } from '../../src/attach/outer-terminal.ts';
import type { PtyChild } from '../../src/attach/pty-child.ts';
import { guardTerminal } from '../../src/attach/terminal-guard.ts';
import { runChild } from '../../src/system/spawning.ts';
import { type DriverOrder, OUR_TEXT } from './attached-order.ts';

const order: DriverOrder = JSON.parse(process.argv[2] ?? '');
const report = (fact: object) => appendFileSync(order.reportTo, `${JSON.stringify(fact)}\n`);

const opening = openTerminal(process.env);
if (opening.kind === 'none') {
  report({ kind: 'none' });
  process.exit(2);
}
const { terminal } = opening;
report({ kind: 'opened', pid: process.pid });
let child: PtyChild | null = null;
if (order.deaf === true) process.on('SIGHUP', () => {});
else guardTerminal(terminal, () => child?.hangUp());
process.on('SIGUSR2', () => {
  throw new Error('a bug');
});
const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  ),
);
const { file, args } = order;
for (let time = 0; time < (order.times ?? 1); time += 1) {
  const start = startAttached({ file, args, environment, cwd: process.cwd() }, terminal);
  if (start.kind !== 'started') {
    report(start);
    continue;
  }
  child = start.child;
  report({ kind: 'started', pid: child.pid });
  if (order.alongside !== undefined) {
    const ran = await runChild({
      file: order.alongside,
      args: [],
      environment,
      cwd: process.cwd(),
      limitMs: 20_000,
      maxOutputBytes: 100_000,
      killing: 'group',
    });
    report(ran);
  }
  report(await start.ended);
}
terminal.write(`${terminal.sequences.toMain}${OUR_TEXT}\r\n`);
await terminal.written();
terminal.putRight();
report({ kind: 'done' });
process.exit();
