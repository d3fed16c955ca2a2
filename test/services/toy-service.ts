/**
 * A service that starts one long command, as a program in a service does, and lives on. Its folder is its
 * argument: `request.json` is there, `outcome.json` comes from its first life, `lives` grows by a line
 * with each.
 */

import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDetached } from '../../src/system/detached.ts';
import { prepareScope } from '../../src/system/own-scope.ts';

const folder = process.argv[2] ?? '';
const outcomePath = join(folder, 'outcome.json');
if (!existsSync(outcomePath)) {
  const request = JSON.parse(readFileSync(join(folder, 'request.json'), 'utf8'));
  const wrap = await prepareScope(process.env);
  const outcome = await startDetached({ ...request, wrap });
  writeFileSync(`${outcomePath}.draft`, JSON.stringify(outcome));
  renameSync(`${outcomePath}.draft`, outcomePath);
}
appendFileSync(join(folder, 'lives'), `${process.pid}\n`);
setInterval(() => {}, 1 << 30);
