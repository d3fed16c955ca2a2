/** What doctor says of the services: whether the agent comes by itself, and of the nightly update. */

import type { Host } from '../service/host.ts';
import { AGENT_LABEL, type JobLook, lookAtJob, UPDATE_LABEL } from '../service/launchd.ts';
import { endsWithLogout } from '../service/lingering.ts';
import { findScheduledElsewhere } from '../service/scheduled-elsewhere.ts';
import {
  AGENT_UNIT,
  lookIfSystemd,
  type SystemdLook,
  UPDATE_UNIT,
} from '../service/systemd-look.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { type Check, command, ok, warn } from './doctor-check.ts';

/** What the service manager knows of us. */
export type ServicesLook =
  | SystemdLook
  | { readonly kind: 'launchd'; readonly agent: JobLook; readonly update: JobLook };

/** Asks it, for all checks that need to know. */
export async function lookAtServices(host: Host): Promise<ServicesLook> {
  return (
    (await lookIfSystemd(host)) ?? {
      kind: 'launchd',
      agent: await lookAtJob(host, AGENT_LABEL),
      update: await lookAtJob(host, UPDATE_LABEL),
    }
  );
}

/** How the service manager restarts, or starts, the agent that it knows of; null: it knows of none. */
export interface AgentService {
  /** Of the agent that is its own; null: it runs none now. */
  readonly pid: number | null;
  readonly restart: string;
}

export function describeAgentService({ uid }: Host, look: ServicesLook): AgentService | null {
  switch (look.kind) {
    case 'launchd': {
      const restart = `launchctl kickstart -k gui/${uid}/${AGENT_LABEL}`;
      return look.agent.isLoaded ? { pid: look.agent.pid, restart } : null;
    }
    case 'reachable': {
      const { fileState, mainPid } = look.agent;
      const restart = `systemctl --user restart ${AGENT_UNIT}`;
      return fileState === 'enabled' || mainPid !== null ? { pid: mainPid, restart } : null;
    }
    case 'unreachable':
      return null;
  }
}

/** Whether the agent starts with a login, and how the last night's job of ours ended. */
export async function checkServices(host: Host, look: ServicesLook): Promise<readonly Check[]> {
  switch (look.kind) {
    case 'launchd':
      return checkJobs(look);
    case 'reachable':
      return [...checkUnits(look), ...(await checkLogout(host, look))];
    case 'unreachable':
      return [ok('service', 'no systemd of yours answers here, so nothing is started by one')];
  }
}

/** Who else updates the sessions. */
export async function checkOtherNights(host: Host, look: ServicesLook): Promise<readonly Check[]> {
  const lines = await findScheduledElsewhere(host, look.kind === 'launchd' ? null : look);
  return lines.map((line) => ok('night', line));
}

type Reachable = SystemdLook & { readonly kind: 'reachable' };

function checkUnits({ agent, update, timer }: Reachable): readonly Check[] {
  return [checkAgentUnit(agent), ...checkNight(timer.isActive, update.isFailed, update.exitCode)];
}

/** Whether what our services start ends where nobody expects it. */
async function checkLogout(host: Host, look: Reachable): Promise<readonly Check[]> {
  const { agent, timer } = look;
  const isOurs = agent.fileState === 'enabled' || agent.isActive || timer.isActive;
  if (!isOurs || !(await endsWithLogout(host, look))) return [];
  const fact = 'sessions that the agent or the nightly update restarts end with your last logout';
  return [warn('logout', fact, command('loginctl enable-linger'))];
}

function checkAgentUnit(agent: Reachable['agent']): Check {
  if (agent.isFailed) {
    const fact = `the agent's service failed (${cleanForeignText(agent.result, 40)})`;
    return warn('service', fact, command(`journalctl --user -u ${AGENT_UNIT}`));
  }
  if (agent.fileState === 'masked') {
    return warn(
      'service',
      "the agent's service is masked",
      command(`systemctl --user unmask ${AGENT_UNIT}`),
    );
  }
  if (agent.fileState !== 'enabled') {
    return warn('service', 'the agent does not start by itself', command('sandy-tray install'));
  }
  if (agent.needsReload) {
    return warn(
      'service',
      'its unit was changed and not read again',
      command('sandy-tray install'),
    );
  }
  return ok('service', 'the agent starts with your desktop session');
}

function checkNight(isScheduled: boolean, hasFailed: boolean, exitCode: number): readonly Check[] {
  if (!isScheduled) return [];
  if (!hasFailed) return [ok('night', 'sessions are updated every night: sandy-tray schedule')];
  const fact = `the last nightly update failed (exit code ${exitCode})`;
  return [warn('night', fact, command(`journalctl --user -u ${UPDATE_UNIT}`))];
}

function checkJobs({
  agent,
  update,
}: ServicesLook & { readonly kind: 'launchd' }): readonly Check[] {
  const service = agent.isLoaded
    ? ok('service', 'launchd starts the agent when you log in')
    : warn('service', 'the agent does not start by itself', command('sandy-tray install'));
  const code = update.exitCode ?? 0;
  return [service, ...checkNight(update.isLoaded, code !== 0, code)];
}
