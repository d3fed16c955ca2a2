/**
 * A process that races for a lock: `FOLDER LOG HOLDINGS [DEATH WHEN]`. It says when it is ready,
 * begins when told, and writes `enter` and `leave` to the log around each holding. It kills itself at
 * file operation number DEATH, `during` it or `after` it; `paused`, it waits before each draft until
 * it is told to go on, and says what it got.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createInterface } from 'node:readline';
import * as z from 'zod/mini';
import { acquireLock } from '../../src/system/lock-file.ts';

const [folder = '', log = '', holdings = '1', death = '0', when = ''] = process.argv.slice(2);
const words = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (value: unknown) => fs.writeSync(1, `${JSON.stringify(value)}\n`);
const note = (event: string) => fs.appendFileSync(log, `${event} ${process.pid}\n`);

let operations = 0;
const operationNames = [
  'mkdir',
  'readdir',
  'readFile',
  'writeFile',
  'link',
  'rename',
  'rm',
  'truncate',
];
const operationTable = fs.promises as unknown as Record<
  string,
  (...args: unknown[]) => Promise<unknown>
>;
for (const name of operationNames) {
  const original = operationTable[name];
  if (original === undefined) throw new Error(name);
  operationTable[name] = async (...args) => {
    operations += 1;
    const last = operations === Number(death);
    if (name === 'writeFile' && when === 'paused') {
      say('paused');
      await words.next();
    }
    const running = original(...args);
    if (last && when === 'during') die();
    try {
      return await running;
    } finally {
      if (last && when === 'after') die();
    }
  };
}
syncBuiltinESMExports();

function die(): never {
  note('die');
  process.kill(process.pid, 'SIGKILL');
  while (true);
}

say('ready');
await words.next();
const place = { folder, name: 'race', infoSchema: z.object({ turn: z.int() }) };
for (let turn = 1; turn <= Number(holdings); ) {
  const lock = await acquireLock(place, { turn });
  if (lock.kind === 'held') {
    note('enter');
    await lock.update({ turn });
    note('leave');
    await lock.release();
    turn += 1;
  } else if (lock.kind === 'failed') {
    throw new Error(lock.errorCode);
  } else if (when === 'paused') {
    say(lock);
    break;
  }
}
say({ operations });
process.exit(0);
