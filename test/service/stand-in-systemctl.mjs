/**
 * `systemctl --user` of a manager that is a file: `state.json` in the folder that is the first argument.
 * Every call is a line of `calls.log` there; `failures` in the state make a verb fail.
 */

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...argv] = process.argv.slice(2);
const statePath = join(folder, 'state.json');
const state = JSON.parse(readFileSync(statePath, 'utf8'));
appendFileSync(join(folder, 'calls.log'), `${JSON.stringify(['systemctl', ...argv])}\n`);
const [, verb, ...rest] = argv;
const names = rest.filter((word) => !word.startsWith('--'));

if (state.unreachable) fail(1, 'Failed to connect to bus: No medium found');
const failure = state.failures?.[verb];
if (failure !== undefined) fail(failure, `Failed to ${verb} unit: Access denied\nAnd more.`);

const unitOf = (name) => {
  state.units[name] ??= { active: false, enabled: false };
  return state.units[name];
};
switch (verb) {
  case 'show':
    if (names.length === 0)
      console.log(`UnitPath=/etc/systemd/user ${state.unitFolder} /usr/lib/systemd/user`);
    else console.log(names.map(describe).join('\n\n'));
    break;
  case 'enable':
  case 'disable':
    for (const name of names) {
      unitOf(name).enabled = verb === 'enable';
      if (rest.includes('--now')) unitOf(name).active = verb === 'enable';
    }
    break;
  case 'start':
  case 'restart':
  case 'stop':
    for (const name of names) unitOf(name).active = verb !== 'stop';
    break;
}
writeFileSync(statePath, JSON.stringify(state));

function describe(name) {
  const { active, enabled, ...more } = state.units[name] ?? {};
  const isThere = existsSync(join(state.unitFolder, name));
  const properties = {
    Id: name,
    ActiveState: active ? 'active' : 'inactive',
    UnitFileState: isThere ? (enabled ? 'enabled' : 'disabled') : '',
    MainPID: 0,
    NeedDaemonReload: 'no',
    ...more,
  };
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');
}

function fail(code, words) {
  console.error(words);
  process.exit(code);
}
