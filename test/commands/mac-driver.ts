/**
 * The commands as they are on a Mac, whose launchd is a stand-in: JSON with what to do is the argument. Its
 * exit code is the command's.
 */

import { join } from 'node:path';
import { install } from '../../src/commands/install.ts';
import { endSchedule, setSchedule, showSchedule } from '../../src/commands/schedule.ts';
import { uninstall } from '../../src/commands/uninstall.ts';
import type { Host } from '../../src/service/host.ts';
import { readTemplatesFrom } from '../../src/service/templates.ts';
import { nameFolders } from '../../src/system/paths.ts';

const order = JSON.parse(process.argv[2] ?? '');
const { root, command, isShown, schedule, purges, timeScale } = order;
const read = readTemplatesFrom(root);
const home = process.env.HOME ?? '';
const platform = 'darwin';
const host: Host = { platform, environment: process.env, home, uid: 501, timeScale };
const named = nameFolders({ environment: process.env, home, platform });
if (named.kind !== 'found') throw new Error(named.kind);
const { folders } = named;
// What runs the program is not this driver.
const program = order.program ?? [process.execPath, join(root, 'dist', 'main.js')];

switch (command) {
  case 'install':
    process.exitCode = await install({ folders }, host, { isShown, read, program });
    break;
  case 'uninstall':
    process.exitCode = await uninstall({ folders }, host, { purges, isShown });
    break;
  case 'schedule':
    process.exitCode = await setSchedule({ folders }, host, schedule, { isShown, read, program });
    break;
  case 'show':
    process.exitCode = await showSchedule(host);
    break;
  case 'off':
    process.exitCode = await endSchedule(host, isShown);
    break;
}
