// Preloaded with `node --import`: counts what the process asks of the file system and kills it at one
// of these steps, before it is done or, for a write, with half of it done. KILL is `before K`, `half K`
// or empty: then nothing is killed and the names of all steps go to the file STEPS.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [mode, number] = (process.env.KILL ?? '').split(' ');
const killAt = Number(number);
const steps = [];

const die = () => process.kill(process.pid, 'SIGKILL');

/** How to do half of a step that writes text or bytes; the others have no half. */
const halves = {
  writeSync: (write, [file, bytes, from]) => write(file, bytes, from, (bytes.length - from) >> 1),
  writeFileSync: (write, [path, text, options]) =>
    write(path, text.slice(0, text.length >> 1), options),
};

const { writeFileSync } = fs;
const names = [
  'closeSync',
  'copyFileSync',
  'existsSync',
  'fstatSync',
  'ftruncateSync',
  'mkdirSync',
  'openSync',
  'readFileSync',
  'readSync',
  'readdirSync',
  'renameSync',
  'rmSync',
  'statSync',
  'unlinkSync',
  'writeFileSync',
  'writeSync',
];
for (const name of names) {
  const original = fs[name];
  fs[name] = (...args) => {
    steps.push(name);
    if (steps.length === killAt) {
      if (mode === 'half') halves[name]?.(original, args);
      die();
    }
    return original(...args);
  };
}
syncBuiltinESMExports();

if (process.env.STEPS) {
  process.on('exit', () => writeFileSync(process.env.STEPS, JSON.stringify(steps)));
}
