/** The agent as a service: what there is, and what has to be done. */

import { lstat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { readIfThere } from './carrying-out.ts';
import type { Host } from './host.ts';
import {
  AGENT_LABEL,
  lookAtJob,
  nameAgentsFolder,
  namePlist,
  planJob,
  planJobRemoval,
  planRestart,
} from './launchd.ts';
import { endsWithLogout } from './lingering.ts';
import {
  composeAgentPlist,
  composeAgentUnit,
  composeAutostart,
  findUnwritable,
  type ServiceFacts,
} from './service-files.ts';
import { type FileChange, type Step, writeChanged } from './steps.ts';
import { AGENT_UNIT, lookAtSystemd } from './systemd-look.ts';
import { planAgentUnit, planAgentUnitRemoval, type RunningAgent } from './systemd-plan.ts';
import type { TemplateReader } from './templates.ts';
import { texts } from './texts.ts';

/** What is to be done. */
export interface Plan {
  readonly kind: 'planned';
  /** The service files as they are to be, whether or not they are so already. */
  readonly files: readonly FileChange[];
  readonly steps: readonly Step[];
  /** What a person should know of it. */
  readonly notes: readonly string[];
}

export type Planned =
  | Plan
  /** `text`: what is wrong, and what to do. */
  | { readonly kind: 'refused'; readonly text: string };

/** The lasting agent that runs, started by whomever. */
export interface FoundAgent {
  readonly pid: number;
  /** It is of another version than this program. */
  readonly isOutdated: boolean;
}

/**
 * Plans the agent's service: launchd's, systemd's, and an autostart entry where no desktop is known to
 * systemd. `agent`: the lasting one that runs now, started by whomever.
 */
export async function planInstall(
  host: Host,
  facts: ServiceFacts,
  read: TemplateReader,
  agent: FoundAgent | null,
): Promise<Planned> {
  if (host.platform === 'darwin') return await planLaunchd(host, facts, read, agent);
  const look = await lookAtSystemd(host);
  const isReachable = look.kind === 'reachable';
  const needsAutostart = !isReachable || !look.hasDesktop;
  const problem =
    (isReachable ? findUnwritable(facts, 'unit') : null) ??
    (needsAutostart ? findUnwritable(facts, 'autostart') : null);
  if (problem !== null) return { kind: 'refused', text: texts.unwritable(problem) };

  const autostartPath = nameAutostart(host);
  const files: FileChange[] = [];
  const steps: Step[] = [];
  const notes: string[] = [];
  if (needsAutostart) {
    const autostart = await compare(autostartPath, composeAutostart(read, facts));
    files.push(autostart);
    steps.push(...writeChanged([autostart]));
    notes.push(isReachable ? texts.noDesktop : texts.noManager(look.reason));
  } else if (await isThere(autostartPath)) {
    steps.push({ kind: 'remove', path: autostartPath });
  }
  if (isReachable) {
    const unit = await compare(join(look.unitFolder, AGENT_UNIT), composeAgentUnit(read, facts));
    const running = judgeAgent(agent, look.agent.mainPid);
    files.unshift(unit);
    steps.unshift(...planAgentUnit(look, unit, running));
    if (agent !== null && running === 'by-hand') {
      notes.push(texts.runsByHand(agent.pid, `systemctl --user start ${AGENT_UNIT}`));
    }
    if (await endsWithLogout(host, look)) notes.push(texts.endsWithLogout);
  }
  return { kind: 'planned', files, steps, notes };
}

async function planLaunchd(
  host: Host,
  facts: ServiceFacts,
  read: TemplateReader,
  agent: FoundAgent | null,
): Promise<Planned> {
  const problem = findUnwritable(facts, 'plist');
  if (problem !== null) return { kind: 'refused', text: texts.unwritable(problem) };
  const job = await lookAtJob(host, AGENT_LABEL);
  const file = await compare(namePlist(host, AGENT_LABEL), composeAgentPlist(read, facts));
  const steps = planJob(host, AGENT_LABEL, job, file);
  const running = judgeAgent(agent, job.pid);
  if (steps.length === 0 && running === 'outdated') steps.push(planRestart(host, AGENT_LABEL));
  const start = `launchctl kickstart gui/${host.uid}/${AGENT_LABEL}`;
  return {
    kind: 'planned',
    files: [file],
    steps: steps.length === 0 ? [] : [...makeFolders(host, facts), ...steps],
    notes: agent !== null && running === 'by-hand' ? [texts.runsByHand(agent.pid, start)] : [],
  };
}

/** `ownPid`: of the service's process. */
function judgeAgent(agent: FoundAgent | null, ownPid: number | null): RunningAgent {
  if (agent === null) return 'in-order';
  if (agent.pid !== ownPid) return 'by-hand';
  return agent.isOutdated ? 'outdated' : 'in-order';
}

/** launchd makes no folder for what it writes to. */
export function makeFolders(host: Host, { logs }: ServiceFacts): Step[] {
  return [nameAgentsFolder(host), logs].map((path) => ({ kind: 'make-folder', path }));
}

/** Plans that the agent's service is gone. An agent that runs by hand goes on. */
export async function planUninstall(host: Host): Promise<Plan> {
  if (host.platform === 'darwin') {
    const job = await lookAtJob(host, AGENT_LABEL);
    const present = await keepPresent([namePlist(host, AGENT_LABEL)]);
    const steps = planJobRemoval(host, AGENT_LABEL, job, present);
    return { kind: 'planned', files: [], steps, notes: [] };
  }
  const look = await lookAtSystemd(host);
  const unit = join(look.unitFolder, AGENT_UNIT);
  // Where nobody answers, nobody removes the link that enables it either.
  const link = join(look.unitFolder, 'graphical-session.target.wants', AGENT_UNIT);
  const isReachable = look.kind === 'reachable';
  const present = await keepPresent(isReachable ? [unit] : [unit, link]);
  const autostart = await keepPresent([nameAutostart(host)]);
  return {
    kind: 'planned',
    files: [],
    steps: [
      ...planAgentUnitRemoval(look, present),
      ...autostart.map((path): Step => ({ kind: 'remove', path })),
    ],
    notes: isReachable ? [] : [texts.noManagerToRemoveFrom(look.reason)],
  };
}

/** Where desktops find what to start (Desktop Application Autostart Specification). */
function nameAutostart({ environment, home }: Host): string {
  const told = environment.XDG_CONFIG_HOME;
  const base = told !== undefined && isAbsolute(told) ? told : join(home, '.config');
  return join(base, 'autostart', 'sandy-tray.desktop');
}

/** The file as it is to be, beside what it is. */
export async function compare(path: string, text: string): Promise<FileChange> {
  return { path, text, before: await readIfThere(path) };
}

/** Those that exist, were they only links that lead nowhere. */
export async function keepPresent(paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(paths.map(isThere));
  return paths.filter((_, index) => there[index]);
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
