/**
 * `launchctl` whose jobs are in `state.json` of the folder that is the first argument. Every call is a line
 * of `calls.log` there. A job that was booted out is shown `lingers` more times; while it is, and as long
 * as `bootstrapCodes` gives others than 0, no job is loaded.
 */

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [folder, ...argv] = process.argv.slice(2);
const statePath = join(folder, 'state.json');
const state = JSON.parse(readFileSync(statePath, 'utf8'));
appendFileSync(join(folder, 'calls.log'), `${JSON.stringify(['launchctl', ...argv])}\n`);
const [verb, target, path] = argv;
const label = path === undefined ? basename(target) : basename(path, '.plist');
const job = state.jobs[label];

let code = 0;
switch (verb) {
  case 'print':
    if (job === undefined) code = 113;
    else {
      console.log(`${target} = {\n\tactive count = 1\n\tstate = running\n\n\tprogram = /x`);
      if (job.pid) console.log(`\tpid = ${job.pid}`);
      console.log(`\tlast exit code = ${job.exitCode ?? '(never exited)'}\n}`);
      if (job.leaving !== undefined) {
        job.leaving -= 1;
        if (job.leaving <= 0) delete state.jobs[label];
      }
    }
    break;
  case 'bootout':
    if (job === undefined) code = 3;
    else job.leaving = state.lingers ?? 1;
    break;
  case 'bootstrap':
    code = job !== undefined ? 5 : (state.bootstrapCodes?.shift() ?? 0);
    if (code === 0) state.jobs[label] = {};
    break;
}
writeFileSync(statePath, JSON.stringify(state));
if (code !== 0)
  console.error(`${verb === 'bootstrap' ? 'Bootstrap failed: ' : ''}${code}: Input/output error`);
process.exit(code);
