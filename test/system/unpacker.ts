/** A process that unpacks to FOLDER when it is told to, says what came of it, and ends when told again. */

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isWhole } from '../../src/system/pack.ts';
import { unpack } from '../../src/system/unpacking.ts';
import { samplePack } from './sample-pack.ts';

const [folder = ''] = process.argv.slice(2);
const words = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`);

say('ready');
await words.next();
const pack = samplePack();
const outcome = unpack(pack, folder);
const whole =
  outcome.kind === 'unpacked' && pack.files.every((file) => isWhole(outcome.folder, file));
say({ ...outcome, whole });
await words.next();
process.exit();
