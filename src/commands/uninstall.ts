import { existsSync } from 'node:fs';
import { type Plan, planUninstall } from '../service/agent-service.ts';
import type { Host } from '../service/host.ts';
import { planScheduleRemoval } from '../service/update-service.ts';
import type { Folders } from '../system/paths.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { listOwnFolders, purgeFolders } from './purge.ts';
import { describeHost } from './service-facts.ts';
import { carryOutPlan, refuse, showPlan } from './service-plan.ts';
import { serviceTexts } from './service-texts.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    purge: { type: 'boolean' },
    print: { type: 'boolean' },
  });
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  return await uninstall(setup, describeHost(setup), {
    purges: values.purge === true,
    isShown: values.print === true,
  });
}

/** Takes away what `install` and `schedule` made; `purges`: and what was stored since. */
export async function uninstall(
  { folders }: { readonly folders: Folders },
  host: Host,
  { purges, isShown }: { readonly purges: boolean; readonly isShown: boolean },
): Promise<number> {
  const own = host.environment.SANDY_TRAY_DIR;
  if (purges && own !== undefined) return refuse(serviceTexts.purgeNotOwn(own));
  const [schedule, agent] = [await planScheduleRemoval(host), await planUninstall(host)];
  const plan: Plan = { ...agent, steps: [...schedule.steps, ...agent.steps] };
  const present = listOwnFolders(folders).filter((folder) => existsSync(folder));
  if (isShown) {
    showPlan(plan);
    if (purges) {
      for (const folder of present) {
        process.stdout.write(`${serviceTexts.wouldRemove(folder)}\n`);
      }
    }
    return exitCodes.ok;
  }
  const code = await carryOutPlan(plan, host, null);
  if (code !== exitCodes.ok) return code;
  if (!purges) {
    if (present.length > 0) process.stdout.write(`${serviceTexts.kept(present)}\n`);
    return exitCodes.ok;
  }
  const purge = await purgeFolders(folders, present);
  if (purge.kind === 'refused') return refuse(purge.text);
  for (const folder of present) process.stdout.write(`${serviceTexts.removed(folder)}\n`);
  return exitCodes.ok;
}
