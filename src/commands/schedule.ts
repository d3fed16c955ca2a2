import type { Host } from '../service/host.ts';
import { findScheduledElsewhere } from '../service/scheduled-elsewhere.ts';
import { parseTime, type Schedule } from '../service/service-files.ts';
import { lookIfSystemd } from '../service/systemd-look.ts';
import { texts as roomTexts } from '../service/texts.ts';
import { describeSchedule, planSchedule, planScheduleRemoval } from '../service/update-service.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { describeHost, findParts, gatherFacts, type ServiceParts } from './service-facts.ts';
import { carryOutPlan, refuse, showPlan } from './service-plan.ts';
import { serviceTexts } from './service-texts.ts';
import { type Setup, setUp } from './setup.ts';
import { texts } from './texts.ts';

const USUAL_TIME = '04:00';
const USUAL_IDLE = '30';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    at: { type: 'string' },
    'idle-for': { type: 'string' },
    off: { type: 'boolean' },
    print: { type: 'boolean' },
  });
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const isShown = values.print === true;
  const isNamed = values.at !== undefined || values['idle-for'] !== undefined;
  const isOff = values.off === true;
  if (isOff && isNamed) throw new UsageError(serviceTexts.offAlone);
  if (isShown && !isOff && !isNamed) throw new UsageError(serviceTexts.printWhat);
  const schedule = isNamed
    ? readOptions(values.at ?? USUAL_TIME, values['idle-for'] ?? USUAL_IDLE)
    : null;
  const setup = setUp();
  const host = describeHost(setup);
  if (schedule !== null)
    return await setSchedule(setup, host, schedule, { isShown, ...findParts() });
  return isOff ? await endSchedule(host, isShown) : await showSchedule(host);
}

function readOptions(at: string, idleFor: string): Schedule {
  const time = parseTime(at);
  if (time === null) throw new UsageError(serviceTexts.wrongTime(at));
  if (!/^[1-9]\d{0,6}$/.test(idleFor)) throw new UsageError(serviceTexts.wrongMinutes(idleFor));
  return { ...time, idleMinutes: Number(idleFor) };
}

/** Says what is scheduled, here and by others. */
export async function showSchedule(host: Host): Promise<number> {
  const look = await lookIfSystemd(host);
  const lines = [
    ...(await describeSchedule(host, look, new Date())),
    ...(await findScheduledElsewhere(host, look)),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.ok;
}

/** Schedules the nightly update; beside another schedule it is refused. */
export async function setSchedule(
  { folders }: Pick<Setup, 'folders'>,
  host: Host,
  schedule: Schedule,
  { isShown, read, program }: ServiceParts & { readonly isShown: boolean },
): Promise<number> {
  const look = await lookIfSystemd(host);
  const elsewhere = await findScheduledElsewhere(host, look);
  if (elsewhere.length > 0) return refuse([...elsewhere, roomTexts.scheduleRefused].join('\n'));
  const gathered = await gatherFacts(host, folders.logs, program);
  if (gathered.kind === 'refused') return refuse(gathered.text);
  if (gathered.warning !== null) process.stderr.write(`${gathered.warning}\n`);
  const planned = await planSchedule(host, look, gathered.facts, read, schedule);
  if (planned.kind === 'refused') return refuse(planned.text);
  if (isShown) {
    showPlan(planned);
    return exitCodes.ok;
  }
  return await carryOutPlan(planned, host, roomTexts.undoSchedule);
}

/** Ends the nightly update; one that is at work goes on. */
export async function endSchedule(host: Host, isShown: boolean): Promise<number> {
  const plan = await planScheduleRemoval(host);
  if (isShown) {
    showPlan(plan);
    return exitCodes.ok;
  }
  return await carryOutPlan(plan, host, null);
}
