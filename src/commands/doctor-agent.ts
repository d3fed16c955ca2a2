/** What doctor says of the agent: whether one watches, what it has to do without, and what it knows. */

import type { StatusDocument } from '../control/status-document.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { describeCure } from '../tray/cures.ts';
import type { AgentContact } from './agent-connection.ts';
import { advice, type Check, command, fail, ok, warn } from './doctor-check.ts';

/** Whether an agent watches the sessions, and all that only it can tell. */
export function checkAgent(contact: AgentContact, ownVersion: string): Check[] {
  if (contact.kind === 'connected') return checkRunning(contact.status, ownVersion);
  if (contact.errorCode !== null) {
    const fact = `whether one runs can't be told (${contact.errorCode})`;
    return [fail('agent', fact, advice('Mend the permissions of the state folder.'))];
  }
  if (contact.text !== null) return [fail('agent', contact.text, command('sandy-tray run'))];
  return [warn('agent', 'none runs, so nothing is watched', command('sandy-tray run'))];
}

function checkRunning(status: StatusDocument, ownVersion: string): Check[] {
  const { agent, run } = status;
  if (agent === null) return [];
  const version = cleanForeignText(agent.version, 40);
  const running =
    agent.version === ownVersion
      ? ok('agent', `runs (pid ${agent.pid}, ${version})`)
      : warn(
          'agent',
          `runs as ${version}, and this is ${ownVersion}`,
          command(`kill ${agent.pid} && sandy-tray run`),
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

/** Whether the agent's icon is to be seen; nothing where none is wanted. */
function checkTray(agent: NonNullable<StatusDocument['agent']>): Check[] {
  const cure = agent.trayReason ?? describeCure(agent.tray);
  if (cure !== null) return [warn('tray', cure, null)];
  return agent.tray === 'shown' ? [ok('tray', 'the icon is shown')] : [];
}
