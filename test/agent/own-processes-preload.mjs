/**
 * Loaded into an agent before itself: of all processes it sees only those of its own test's fleets, so
 * that the updates of tests that run at the same time are no evidence here. Linux only.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';

const own = process.env.SANDY_TRAY_DIR ?? '';
// A sandy that has just been started has the second only.
const marks = [`FAKE_SANDY_STATE=${dirname(own)}/`, `SANDY_TRAY_DIR=${own}\0`];
const { readdir } = fs.promises;

fs.promises.readdir = async (path, ...rest) => {
  const names = await readdir(path, ...rest);
  return path === '/proc' ? names.filter((name) => !/^\d+$/.test(name) || isOwn(name)) : names;
};
syncBuiltinESMExports();

function isOwn(pid) {
  try {
    const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
    return marks.some((mark) => environment.includes(mark));
  } catch {
    return false;
  }
}
