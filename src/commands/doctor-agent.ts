/** What doctor says of the agent: whether one watches, what it has to do without, and what it knows. */

import type { LastingAgent } from '../control/agent-lock.ts';
import type { StatusDocument } from '../control/status-document.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { describeCure } from '../tray/cures.ts';
import type { AgentContact } from './agent-connection.ts';
import { advice, type Check, command, fail, ok, type Remedy, warn } from './doctor-check.ts';
import type { AgentService } from './doctor-service.ts';

/** What else there is to be known of it. */
export interface AgentSurroundings {
  /** The one that says of itself that it runs; null: none does, or nobody can tell. */
  readonly holder: LastingAgent | null;
  readonly service: AgentService | null;
  /** Of this program. */
  readonly ownVersion: string;
}

/** Whether an agent watches the sessions, and all that only it can tell. */
export function checkAgent(contact: AgentContact, surroundings: AgentSurroundings): Check[] {
  if (contact.kind === 'connected') return checkRunning(contact.status, surroundings);
  if (contact.errorCode !== null) {
    const fact = `whether one runs can't be told (${contact.errorCode})`;
    return [fail('agent', fact, advice('Mend the permissions of the state folder.'))];
  }
  if (contact.text !== null) {
    const fact = contact.isSilent
      ? 'one runs and does not answer'
      : "one of another version runs, which this program can't talk to";
    const { holder, ownVersion } = surroundings;
    const isOutdated = holder !== null && holder.version !== ownVersion;
    const running = { pid: holder?.pid ?? null, isOutdated, isHung: contact.isSilent };
    return [fail('agent', fact, restartAgent(running, surroundings.service))];
  }
  return [warn('agent', 'none runs, so nothing is watched', command('sandy-tray run'))];
}

function checkRunning(status: StatusDocument, { service, ownVersion }: AgentSurroundings): Check[] {
  const { agent, run } = status;
  if (agent === null) return [];
  const version = cleanForeignText(agent.version, 40);
  const running =
    agent.version === ownVersion
      ? ok('agent', `runs (pid ${agent.pid}, ${version})`)
      : warn(
          'agent',
          `runs as ${version}, and this is ${ownVersion}`,
          restartAgent({ pid: agent.pid, isOutdated: true, isHung: false }, service),
        );
  return [
    running,
    ...agent.troubles.map((trouble) => warn('agent', trouble, null)),
    ...checkTray(agent),
    ...(run?.phase === 'hung'
      ? [
          warn(
            'update',
            'the image build has not moved for 15 min',
            command('sandy-tray update --cancel'),
          ),
        ]
      : []),
  ];
}

interface Running {
  readonly pid: number | null;
  readonly isOutdated: boolean;
  readonly isHung: boolean;
}

/** A service restarts its own agent; any other has to be ended first, since a second one would end at once. */
function restartAgent({ pid, isOutdated, isHung }: Running, service: AgentService | null): Remedy {
  const end = `kill ${isHung ? '-9 ' : ''}${pid}`;
  const howToEnd = pid === null ? 'Find it with ps and end it.' : `End it with: ${end}.`;
  if (service === null) return advice(`${howToEnd} Once it is gone: sandy-tray run`);
  // The service's file may be of the other version too.
  const restart = isOutdated ? 'sandy-tray install' : service.restart;
  const isItsOwn = service.pid !== null && (pid === null || pid === service.pid);
  return isItsOwn ? command(restart) : advice(`${howToEnd} Once it is gone: ${restart}`);
}

/** Whether the agent's icon is to be seen; nothing where none is wanted. */
function checkTray(agent: NonNullable<StatusDocument['agent']>): Check[] {
  const cure = agent.trayReason ?? describeCure(agent.tray);
  if (cure !== null) return [warn('tray', cure, null)];
  return agent.tray === 'shown' ? [ok('tray', 'the icon is shown')] : [];
}
