// Preloaded with `node --import`: counts the steps by which a process acts on the world and kills it at
// one of them, as `kill -9` would. A step is a line such as `renameSync state.json`.
//
// KILL is `WHEN COUNT PATTERN`: at the COUNT-th step that the regular expression PATTERN fits (any
// step, where it is missing), WHEN is `before` it, `after` it or, for a write, with `half` of it done.
// Empty: nothing is killed. STEPS names a file that gets the list of all steps when the process exits.

import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { basename } from 'node:path';

const [when, count, ...rest] = (process.env.KILL ?? '').split(' ');
const pattern = new RegExp(rest.join(' '));
const killAt = Number(count);
const steps = [];
let fitting = 0;

const die = () => process.kill(process.pid, 'SIGKILL');

/** Notes a step; tells when the process has to die of it, or null. */
function note(step) {
  steps.push(step);
  if (!when || !pattern.test(step)) return null;
  fitting += 1;
  return fitting === killAt ? when : null;
}

/** How to do half of a step that writes text or bytes; the others have no half. */
const halves = {
  writeSync: (write, [file, bytes, from = 0]) =>
    write(file, bytes, from, (bytes.length - from) >> 1),
  writeFileSync: (write, [path, text, options]) =>
    write(path, text.slice(0, text.length >> 1), options),
};

/** Puts a function in the place of `owner[name]` that notes each call. */
function watchCalls(owner, name, describe, half) {
  const original = owner[name];
  owner[name] = function (...args) {
    const fate = note([name, ...describe(...args)].join(' '));
    if (fate === 'half') half?.(original, args);
    if (fate === 'before' || fate === 'half') die();
    const result = original.apply(this, args);
    if (fate !== 'after') return result;
    if (typeof result?.then === 'function') return result.then(die, die);
    return die();
  };
}

/** Drafts have random names; files that are open have numbers. */
const names = new Map();
const nameOf = (path) => basename(String(path)).replace(/\.[0-9a-f]{12}\.tmp$/, '.tmp');
const describePath = (path) => [names.get(path) ?? nameOf(path)];
const describeTarget = (_from, to) => describePath(to);

const { openSync, writeFileSync } = fs;
fs.openSync = (path, ...args) => {
  const file = openSync(path, ...args);
  names.set(file, nameOf(path));
  return file;
};
const onPaths = ['mkdirSync', 'openSync', 'readFileSync', 'readdirSync', 'rmSync', 'statSync'];
const onFiles = ['closeSync', 'fstatSync', 'ftruncateSync', 'readSync', 'writeSync'];
const others = ['existsSync', 'unlinkSync', 'writeFileSync', 'chmodSync'];
for (const name of [...onPaths, ...onFiles, ...others]) {
  watchCalls(fs, name, describePath, halves[name]);
}
watchCalls(fs, 'renameSync', describeTarget);
watchCalls(fs, 'copyFileSync', describeTarget);
for (const name of [
  'chmod',
  'lstat',
  'mkdir',
  'readFile',
  'readdir',
  'rm',
  'stat',
  'truncate',
  'writeFile',
]) {
  watchCalls(fs.promises, name, describePath);
}
watchCalls(fs.promises, 'rename', describeTarget);
watchCalls(fs.promises, 'link', describeTarget);
watchCalls(net.Server.prototype, 'listen', describePath);
watchCalls(childProcess, 'spawn', (_file, args) => args);
watchCalls(process.stdout, 'write', (text) => [String(text).trimEnd()]);

const { watch } = fs;
fs.watch = (path, options, onChange) => {
  const callee = { hint: onChange };
  watchCalls(callee, 'hint', () => describePath(path));
  return watch(path, options, (...args) => callee.hint(...args));
};

syncBuiltinESMExports();

if (process.env.STEPS) {
  process.on('exit', () => writeFileSync(process.env.STEPS, JSON.stringify(steps)));
}
