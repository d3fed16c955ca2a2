import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import dbus from 'dbus-native';
import { explain, inMb, judge, measureIdle, withFolder } from './agent-cost.mjs';
import { startPanel } from './panel.mjs';
import { inMs } from './printing.mjs';
import { buildParts, importParts, pureExports } from './pure-parts.mjs';
import { makeStateTexts } from './state-texts.mjs';

const AIMS = { growthMb: 5, layoutMs: 20 };
const SIZES = [3, 5, 30];

const trayExports = `
export { connectBus } from './system/dbus-connection.ts';
export { drawIcon } from './tray/icon.ts';
export { drawTray } from './tray/draw-tray.ts';
export { toArgb32 } from './tray/pixels.ts';
export { createStatusNotifier } from './tray/status-notifier.ts';
`;

/** What the icon costs, on a bus of its own with a panel that fetches what it is told of. Linux only. */
export async function measureTrayCost() {
  const title = 'The tray, with a panel';
  if (process.platform !== 'linux') return { title, rows: [] };
  const textOf = await makeStateTexts('1.7.0');
  return withFolder(async (dir) => {
    for (const size of SIZES) writeFileSync(join(dir, `${size}.json`), textOf(size));
    const built = join(dir, 'parts.mjs');
    await buildParts(pureExports + trayExports, built);
    const parts = await importParts(built, dir);
    const socket = join(dir, 'bus');
    const broker = dbus.createBroker();
    await new Promise((settle, fail) => {
      broker.listen({ socket }, (error) => (error === null ? settle() : fail(error)));
    });
    const variables = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` };
    const panel = await startPanel(parts.connectBus(variables, 1));
    try {
      const idle = await measureIdle(variables, [], false);
      const fetched = panel.fetched();
      const updates = await measureUpdates(built, dir, variables);
      return {
        title,
        rows: [
          ...idle.map((row) => ({ ...row, what: `agent with the tray: ${row.what.trim()}` })),
          ...updates,
          explain(
            '  of that, pictures and menus that the panel fetched',
            `${panel.fetched() - fetched}`,
          ),
        ],
      };
    } finally {
      await panel.close();
      await new Promise((settle) => broker.close(() => settle()));
    }
  });
}

async function measureUpdates(built, dir, variables) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'tray-child.mjs'), built, dir], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = {};
  for await (const line of createInterface({ input: child.stdout })) {
    Object.assign(said, JSON.parse(line));
  }
  const { few, many, layoutMs } = said;
  if (layoutMs === undefined) throw new Error('the tray ended early');
  const [before, after] = [few.rssMb, many.rssMb];
  return [
    judge('3 → 30 sessions to the layout sent (median)', layoutMs, AIMS.layoutMs, inMs),
    judge(
      `memory after ${many.updates} model updates over that after ${few.updates}`,
      after - before,
      AIMS.growthMb,
      inMb,
    ),
    explain('  of that, measured', `${inMb(before)}, then ${inMb(after)}`),
    explain('  in use after a collection', `${inMb(few.heapMb)}, then ${inMb(many.heapMb)}`),
  ];
}
