/** What doctor says of the services: whether the agent comes by itself, and of the nightly update. */

import type { Host } from '../service/host.ts';
import { AGENT_LABEL, lookAtJob, UPDATE_LABEL } from '../service/launchd.ts';
import { findScheduledElsewhere } from '../service/scheduled-elsewhere.ts';
import {
  AGENT_UNIT,
  lookAtSystemd,
  type SystemdLook,
  UPDATE_UNIT,
} from '../service/systemd-look.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { type Check, command, ok, warn } from './doctor-check.ts';

/** Whether the agent starts with a login, and how the last night's job of ours ended. */
export async function checkServices(host: Host): Promise<readonly Check[]> {
  const elsewhere = (await findScheduledElsewhere(host)).map((line) => ok('night', line));
  if (host.platform === 'darwin') return [...(await checkJobs(host)), ...elsewhere];
  return [...checkUnits(await lookAtSystemd(host)), ...elsewhere];
}

function checkUnits(look: SystemdLook): readonly Check[] {
  if (look.kind === 'unreachable') {
    return [ok('service', 'no systemd of yours answers here, so nothing is started by one')];
  }
  const { agent, update, timer } = look;
  return [checkAgentUnit(agent), ...checkNight(timer.isActive, update.isFailed, update.exitCode)];
}

function checkAgentUnit(agent: (SystemdLook & { readonly kind: 'reachable' })['agent']): Check {
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

async function checkJobs(host: Host): Promise<readonly Check[]> {
  const agent = await lookAtJob(host, AGENT_LABEL);
  const update = await lookAtJob(host, UPDATE_LABEL);
  const service = agent.isLoaded
    ? ok('service', 'launchd starts the agent when you log in')
    : warn('service', 'the agent does not start by itself', command('sandy-tray install'));
  const code = update.exitCode ?? 0;
  return [service, ...checkNight(update.isLoaded, code !== 0, code)];
}
