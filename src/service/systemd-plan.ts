/** What has to be done with units so that they are as they are to be. */

import { type FileChange, run, type Step, tryToRun, writeChanged } from './steps.ts';
import { AGENT_UNIT, type SystemdLook, TIMER_UNIT, UPDATE_UNIT } from './systemd-look.ts';

/** What runs already: nothing or the service's own agent, one of another version, or one by hand. */
export type RunningAgent = 'in-order' | 'outdated' | 'by-hand';

type Reachable = SystemdLook & { readonly kind: 'reachable' };

const systemctl = (...args: string[]) => run('systemctl', '--user', ...args);
const trySystemctl = (...args: string[]) => tryToRun('systemctl', '--user', ...args);

/**
 * The agent's unit written, enabled and running. `byHand`: an agent that is no service has its place, and a
 * second one would end at once. A unit that has changed while it runs, or that runs an agent of another
 * version (`outdated`), is restarted; what it started goes on. One that failed is forgiven first: where it
 * failed too often, systemd refuses to start it for as long as its unit says.
 */
export function planAgentUnit(
  { agent }: Reachable,
  unit: FileChange,
  running: RunningAgent,
): Step[] {
  const writes = writeChanged([unit]);
  const steps = [...writes];
  const isOther = writes.length > 0 || agent.needsReload;
  if (isOther) steps.push(systemctl('daemon-reload'));
  if (agent.isFailed) steps.push(trySystemctl('reset-failed', AGENT_UNIT));
  const isEnabled = agent.fileState === 'enabled';
  const start = !agent.isActive && running !== 'by-hand';
  if (!isEnabled) steps.push(systemctl('enable', ...(start ? ['--now'] : []), AGENT_UNIT));
  else if (start) steps.push(systemctl('start', AGENT_UNIT));
  if (agent.isActive && (isOther || running === 'outdated')) {
    steps.push(systemctl('restart', AGENT_UNIT));
  }
  return steps;
}

/**
 * The nightly update written and due. A timer that was due at another time begins anew: else it would make
 * up, in the middle of the day, for the time that it was not told of.
 */
export function planTimer(
  { timer }: Reachable,
  timerFile: FileChange,
  service: FileChange,
): Step[] {
  const writes = writeChanged([timerFile, service]);
  const isOther = timerFile.before !== null && timerFile.before !== timerFile.text;
  const steps: Step[] = [];
  if (isOther && timer.isActive) steps.push(systemctl('stop', TIMER_UNIT));
  steps.push(...writes);
  if (writes.length > 0 || timer.needsReload) steps.push(systemctl('daemon-reload'));
  if (isOther) steps.push(trySystemctl('clean', '--what=state', TIMER_UNIT));
  if (isOther || !timer.isActive || timer.fileState !== 'enabled') {
    steps.push(systemctl('enable', '--now', TIMER_UNIT));
  }
  return steps;
}

/** The nightly update gone. One that is at work right now goes on. `present`: the files that there are. */
export function planTimerRemoval(look: SystemdLook, present: readonly string[]): Step[] {
  if (look.kind === 'unreachable') return removeAll(present);
  const { timer, update } = look;
  const steps: Step[] = [];
  if (timer.fileState !== '' || timer.isActive) {
    steps.push(systemctl('disable', '--now', TIMER_UNIT));
    // When it last ran would make the next schedule catch up at once.
    steps.push(trySystemctl('clean', '--what=state', TIMER_UNIT));
  }
  if (update.isFailed) steps.push(trySystemctl('reset-failed', UPDATE_UNIT));
  return [...steps, ...removeAll(present), ...reloadAfter(present)];
}

/** The agent's unit gone, and the agent that it runs; what that started goes on. */
export function planAgentUnitRemoval(look: SystemdLook, present: readonly string[]): Step[] {
  if (look.kind === 'unreachable') return removeAll(present);
  const { agent } = look;
  const steps: Step[] = [];
  if (agent.fileState !== '' || agent.isActive) {
    steps.push(systemctl('disable', '--now', AGENT_UNIT));
  }
  if (agent.isFailed) steps.push(trySystemctl('reset-failed', AGENT_UNIT));
  return [...steps, ...removeAll(present), ...reloadAfter(present)];
}

function removeAll(paths: readonly string[]): Step[] {
  return paths.map((path) => ({ kind: 'remove', path }));
}

function reloadAfter(removed: readonly string[]): Step[] {
  return removed.length > 0 ? [systemctl('daemon-reload')] : [];
}
