/** The built program with service managers that are files. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test as stageTest } from '../agent/running-agent.ts';
import { PROGRAM, type Ran, type Variables } from '../program.ts';
import { makeStandIns, readTree, type StandIns } from '../service/stand-ins.ts';

export interface Services extends StandIns {
  readonly home: string;
  readonly config: string;
  readonly unit: string;
  readonly autostart: string;
  run(args: readonly string[], variables?: Variables): Promise<Ran>;
  /** All files of the home. */
  readonly tree: () => ReturnType<typeof readTree>;
}

/** With `services`, whose program finds its own folders in the usual places of its home. */
export const test = stageTest.extend<{ services: Services }>({
  services: async ({ program }, use) => {
    const home = join(program.folder, 'home sweet "100%" $HOME');
    mkdirSync(home);
    const config = join(home, '.config');
    const standIns = makeStandIns(program.folder, join(config, 'systemd', 'user'));
    const environment = program.environment as Record<string, string>;
    delete environment.SANDY_TRAY_DIR;
    environment.HOME = home;
    environment.PATH = `${standIns.bin}:/usr/bin:/bin`;
    await use({
      ...standIns,
      home,
      config,
      unit: join(config, 'systemd', 'user', 'sandy-tray.service'),
      autostart: join(config, 'autostart', 'sandy-tray.desktop'),
      run: program.run,
      tree: () => readTree(home),
    });
  },
});

/** What a manager says whose desktop session runs. */
export const withDesktop = { 'graphical-session.target': { active: true, enabled: false } };

export const program = [process.execPath, PROGRAM];
