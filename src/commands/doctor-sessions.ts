/** What doctor says of the sessions: what is wrong with each, and what mends it. */

import { countSessions, texts as fleetTexts } from '../fleet/texts.ts';
import type { FailureView, FleetView, Health, SessionView } from '../fleet/view.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { quoteOperand } from '../system/shell-words.ts';
import { advice, type Check, command, ok, type Remedy, warn } from './doctor-check.ts';

/** Old supervisors that outlive so many sessions are no coincidence. */
const MANY_LINGER = 2;

export function checkSessions({ sessions, failures }: FleetView): Check[] {
  const checks = [
    ...sessions.flatMap(checkHealth),
    ...failures.map(checkFailure),
    ...checkLingering(sessions),
  ];
  if (checks.length > 0) return checks;
  return [ok('sessions', `${countSessions(sessions.length)}, nothing is wrong with any`)];
}

function checkHealth({ key, health }: SessionView): Check[] {
  const name = cleanForeignText(key, 60);
  return health.map((illness) => {
    const { fact, remedy } = illnesses[illness];
    return warn('session', `${name}: ${fact}`, remedy(key));
  });
}

const restart = (key: string) =>
  command(`sandy-tray stop ${quoteOperand(key)} && sandy-tray start ${quoteOperand(key)}`);

interface Illness {
  readonly fact: string;
  readonly remedy: (key: string) => Remedy;
}

const illnesses: Readonly<Record<Health, Illness>> = {
  zombie: { fact: fleetTexts.reasonZombie, remedy: restart },
  'supervisor-lost': { fact: fleetTexts.reasonSupervisorLost, remedy: restart },
  'workspace-missing': {
    fact: fleetTexts.reasonWorkspaceMissing,
    remedy: () => advice('Put the folder back, or remove the sandbox.'),
  },
  conflict: {
    fact: fleetTexts.reasonConflict,
    remedy: () => advice('Remove one of the two sandboxes.'),
  },
};

function checkFailure({ key, text }: FailureView): Check {
  return warn(
    'session',
    cleanForeignText(text, 300),
    command(`sandy-tray attach ${quoteOperand(key)}`),
  );
}

/** Docker speaks to another daemon than before: sessions vanish all at once, and their supervisors live. */
function checkLingering(sessions: readonly SessionView[]): Check[] {
  const lingering = sessions.filter(({ reason }) => reason === fleetTexts.reasonLinger);
  if (lingering.length < MANY_LINGER) return [];
  const fact = `${countSessions(lingering.length)} are not listed although their supervisors live, as after a change of docker's context`;
  return [warn('docker', fact, command('docker context ls'))];
}
