/**
 * Starts commands as a process that can be ended any way: told one JSON request a line, it answers with
 * the outcome of the start, and with the end of the command if it sees it.
 */

import { createInterface } from 'node:readline';
import { startDetached } from '../../src/system/detached.ts';
import { prepareScope } from '../../src/system/own-scope.ts';

const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

const wrap = await prepareScope(process.env);
for await (const line of createInterface({ input: process.stdin })) {
  const outcome = await startDetached({ ...JSON.parse(line), wrap });
  say(outcome);
  if (outcome.kind === 'started') void outcome.ended.then((end) => say({ kind: 'ended', ...end }));
}
