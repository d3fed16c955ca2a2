/** The nightly update as a timer's or launchd's job: what there is, and what has to be done. */

import { join } from 'node:path';
import { formatMoment } from '../system/local-time.ts';
import { compare, keepPresent, makeFolders, type Plan, type Planned } from './agent-service.ts';
import { readIfThere } from './carrying-out.ts';
import type { Host } from './host.ts';
import { lookAtJob, namePlist, planJob, planJobRemoval, UPDATE_LABEL } from './launchd.ts';
import { lingers } from './lingering.ts';
import {
  composeUpdatePlist,
  composeUpdateTimer,
  composeUpdateUnit,
  findUnwritable,
  readSchedule,
  type Schedule,
  type ServiceFacts,
} from './service-files.ts';
import type { Step } from './steps.ts';
import { lookAtSystemd, type SystemdLook, TIMER_UNIT, UPDATE_UNIT } from './systemd-look.ts';
import { planTimer, planTimerRemoval } from './systemd-plan.ts';
import type { TemplateReader } from './templates.ts';
import { texts } from './texts.ts';

/** Plans the nightly update. `look`: null on a Mac. */
export async function planSchedule(
  host: Host,
  look: SystemdLook | null,
  facts: ServiceFacts,
  read: TemplateReader,
  schedule: Schedule,
): Promise<Planned> {
  const problem = findUnwritable(facts, look === null ? 'plist' : 'unit');
  if (problem !== null) return { kind: 'refused', text: texts.unwritable(problem) };
  if (look === null) {
    const job = await lookAtJob(host, UPDATE_LABEL);
    const path = namePlist(host, UPDATE_LABEL);
    const file = await compare(path, composeUpdatePlist(read, facts, schedule));
    const steps = planJob(host, UPDATE_LABEL, job, file);
    return {
      kind: 'planned',
      files: [file],
      steps: steps.length === 0 ? [] : [...makeFolders(host, facts), ...steps],
      notes: [texts.scheduled(schedule, false)],
    };
  }
  if (look.kind === 'unreachable') {
    return { kind: 'refused', text: texts.noManagerForTimer(look.reason) };
  }
  const at = (unit: string) => join(look.unitFolder, unit);
  const timer = await compare(at(TIMER_UNIT), composeUpdateTimer(read, schedule));
  const service = await compare(at(UPDATE_UNIT), composeUpdateUnit(read, facts, schedule));
  const notes = [texts.scheduled(schedule, true)];
  if (!(await lingers(host))) notes.push(texts.nightNeedsLogin);
  return {
    kind: 'planned',
    files: [timer, service],
    steps: planTimer(look, timer, service),
    notes,
  };
}

/** Plans that there is no nightly update. */
export async function planScheduleRemoval(host: Host): Promise<Plan> {
  const planned = (steps: readonly Step[]): Plan => ({
    kind: 'planned',
    files: [],
    steps,
    notes: [],
  });
  if (host.platform === 'darwin') {
    const job = await lookAtJob(host, UPDATE_LABEL);
    const present = await keepPresent([namePlist(host, UPDATE_LABEL)]);
    return planned(planJobRemoval(host, UPDATE_LABEL, job, present));
  }
  const look = await lookAtSystemd(host);
  const paths = [TIMER_UNIT, UPDATE_UNIT].map((unit) => join(look.unitFolder, unit));
  // Where nobody answers, nobody removes the link that enables it either.
  const link = join(look.unitFolder, 'timers.target.wants', TIMER_UNIT);
  const present = await keepPresent(look.kind === 'reachable' ? paths : [...paths, link]);
  return planned(planTimerRemoval(look, present));
}

/** What is scheduled and when it is due, in lines for a person. `look`: null on a Mac. */
export async function describeSchedule(
  host: Host,
  look: SystemdLook | null,
  now: Date,
): Promise<readonly string[]> {
  if (look === null) return await describeJob(host, now);
  const [timer, service] = await Promise.all(
    [TIMER_UNIT, UPDATE_UNIT].map((unit) => readIfThere(join(look.unitFolder, unit))),
  );
  const schedule = readSchedule(timer ?? '', service ?? '');
  if (schedule === null) return [texts.notScheduled];
  if (look.kind === 'unreachable' || !look.timer.isActive) return [texts.scheduledButOff(schedule)];
  const { nextAt } = look.timer;
  const { endedAt, exitCode } = look.update;
  return [
    texts.scheduled(schedule, true),
    ...(nextAt === '' ? [] : [texts.nextRun(nextAt)]),
    ...(endedAt === ''
      ? []
      : [texts.lastRun(endedAt, exitCode, `journalctl --user -u ${UPDATE_UNIT}`)]),
    ...((await lingers(host)) ? [] : [texts.nightNeedsLogin]),
    texts.undoSchedule,
  ];
}

async function describeJob(host: Host, now: Date): Promise<readonly string[]> {
  const plist = (await readIfThere(namePlist(host, UPDATE_LABEL))) ?? '';
  const schedule = readSchedule(plist, plist);
  if (schedule === null) return [texts.notScheduled];
  const job = await lookAtJob(host, UPDATE_LABEL);
  if (!job.isLoaded) return [texts.scheduledButOff(schedule)];
  const next = findNextRun(schedule, now);
  return [
    texts.scheduled(schedule, false),
    texts.nextRun(formatMoment(next.toISOString(), now)),
    ...(job.exitCode === null ? [] : [texts.lastRun('', job.exitCode, 'sandy-tray log')]),
    texts.undoSchedule,
  ];
}

/** The next instant after `now` with that time on the local clock. */
function findNextRun({ hour, minute }: Schedule, now: Date): Date {
  const next = new Date(now);
  next.setHours(hour, minute, 0, 0);
  if (next <= now) {
    next.setDate(next.getDate() + 1);
    next.setHours(hour, minute, 0, 0);
  }
  return next;
}
