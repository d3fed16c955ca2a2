/** The sentences of the command line: what is wrong, then what to do. */

import { cleanForeignText } from '../system/foreign-text.ts';
import { formatClock } from '../system/local-time.ts';

function listKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, 12).map((key) => cleanForeignText(key, 60));
  return keys.length > shown.length ? `${shown.join(', ')} and more` : shown.join(', ');
}

export const texts = {
  program:
    'sandy-tray watches your sandy sessions and tells what restarts and updates did to them.',
  moreHelp: 'sandy-tray COMMAND --help says more; --version prints the version.',
  unknownCommand: (name: string) => `There is no command "${cleanForeignText(name, 40)}".`,
  seeHelp: 'See: sandy-tray --help',
  rightForm: (usage: string) => `Usage: sandy-tray ${usage}`,
  tooManyArguments: 'Too many arguments.',
  whichShell: 'Name the shell.',
  unknownShell: (name: string) => `There is no completion for "${cleanForeignText(name, 40)}".`,
  wrongConfigVerb: (verb: string) =>
    `"config ${cleanForeignText(verb, 40)}" with these arguments is not a form of config.`,
  alreadyRunning: (pid: number | null) =>
    pid === null ? 'An agent is already running.' : `An agent is already running (pid ${pid}).`,
  waitingForRoom: (pid: number | null) =>
    `Another sandy-tray command${pid === null ? '' : ` (pid ${pid})`} is the agent for as long as it lasts; waiting for it to make room.`,
  watching: (pid: number) => `Watching (pid ${pid}). Ctrl-C ends the agent; sessions keep running.`,
  replaced: (pid: number) =>
    `Another agent (pid ${pid}) has the state folder now, which was removed meanwhile; this one ends.`,
  notClaimed: (code: string) =>
    `The state folder can't be written (${code}); the agent runs without its lock. Free the disk or mend the permissions of that folder.`,
  noAgent: 'No agent is running. Start one with: sandy-tray run',
  agentGone: 'The agent is gone. Start it again with: sandy-tray run',
  agentSilent:
    'The agent does not answer; this goes on without it. Restart it as sandy-tray doctor says.',
  agentInTheWay:
    'An agent runs that does not answer, or is of another version, and nothing may start beside it. Restart it as sandy-tray doctor says, then try again.',
  agentKeptOut: (code: string) =>
    `The agent's socket can't be used (${code}). Mend the permissions of the state folder, then try again.`,
  agentOfOtherVersion:
    'The running agent is of another version; this goes on without it. Restart it as sandy-tray doctor says.',
  agentOutOfReach: (code: string) =>
    `The agent's socket can't be used (${code}); this goes on without it. Mend the permissions of the state folder.`,
  noTerminal: 'Standard input and output are no terminal. Run it in a terminal window.',
  clickTheBanner: (server: string, seconds: number) =>
    `A test banner was handed to ${server}. Click it within ${seconds} s.`,
  requestFailed: 'The agent did not do it. Look at it with: sandy-tray doctor',
  whichToAck: 'Say which session, or --all.',
  nothingPinned: 'Nothing waits to be acknowledged.',
  acknowledged: (keys: readonly string[]) =>
    `Acknowledged: ${keys.map((key) => cleanForeignText(key, 60)).join(', ')}.`,
  manySessions: (argument: string, keys: readonly string[]) =>
    `"${cleanForeignText(argument, 60)}" fits several sessions: ${listKeys(keys)}. Give more of the key.`,
  noSession: (argument: string, keys: readonly string[]) =>
    keys.length === 0
      ? `There is no session "${cleanForeignText(argument, 60)}"; none is known.`
      : `There is no session "${cleanForeignText(argument, 60)}". There are: ${listKeys(keys)}.`,
  unreadableRecords: (count: number) =>
    `${count} unreadable ${count === 1 ? 'line was' : 'lines were'} left out of the log.`,
  unreadableLog: (code: string) =>
    `The log can't be read (${code}). Mend the permissions of the state folder.`,
  demoBegins:
    'Five sessions of a make-believe sandy; nothing of yours is touched. Time runs 30 times faster.',
  demoFleet: 'Four of them run on a stale image. The agent watches.',
  demoStop: 'Somebody stops zork by hand. That is no alarm.',
  demoUpdate: 'At night, cron runs sandy --update-sessions --yes. Nobody told the agent.',
  /** How the summary of a rolling restart begins. */
  demoSum: 'Rolling restart complete',
  demoEnds:
    'The night is over: two were back at once, kiln late, orion could not start. Its alarm stays pinned until it is back or acknowledged.',
  demoEndsOtherwise:
    'The night is over, but went otherwise than it was meant to, as on a machine with much else to do: the table and the notices above say how.',
  demoAgentEnded:
    'The agent of the demo ended, or could not be started. See what is wrong with: sandy-tray selftest',
  demoStuck: 'The demo took too long and was ended. Try it again on a machine that is less busy.',
  attachNeedsTerminal: 'attach needs a terminal for its input and output.',
  noWorkspace: (key: string) =>
    `The workspace folder of ${cleanForeignText(key, 60)} is missing, and sandy does nothing without it. Put it back, or remove the sandbox.`,
  ticketUnknown:
    'This window came too late, or its ticket was used before. Open it again with: sandy-tray open SESSION',
  ticketExpired:
    'This window came more than a minute after it was asked for. Open it again with: sandy-tray open SESSION',
  anyKeyCloses: '[any key closes this window]',
  outputGone:
    'What that update printed is not kept any more. See what came of it with: sandy-tray log',
  printedNothing: 'It printed nothing. See what came of it with: sandy-tray log',
  whichToOpen: 'Say which session.',
  windowOpened: (name: string, terminal: string, failures: string) => {
    const opened = `${cleanForeignText(name, 60)} is open in ${cleanForeignText(terminal, 40)}.`;
    return failures === '' ? opened : `${opened} Tried before it: ${failures}.`;
  },
  conflict: (key: string) =>
    `${cleanForeignText(key, 60)} is claimed by two workspaces. Remove one of the two sandboxes.`,
  workspaceUnknown: (key: string) =>
    `sandy does not know the workspace of ${cleanForeignText(key, 60)}. Attach with sandy itself, in its folder.`,
  noSessionHere: 'No session is known. Start one with: sandy --start --workspace PATH',
  whichSession: (count: number) => `Which one? 1 to ${count}, Enter leaves: `,
  nothingChosen: 'Nothing was chosen.',
  slotBusy: ({ pid, info }: { pid: number; info: { op: string; since: string } | null }) =>
    info === null
      ? `another command is at work (pid ${pid})`
      : `${info.op === 'check' ? 'a check' : `another ${info.op}`} has been running since ${formatClock(new Date(info.since))} (pid ${pid})`,
  blind: (since: string) => `Blind since ${since}`,
  noDaemon: (version: string) =>
    `sandy ${version} has no daemon sessions. They came with 1.1.0: sandy --upgrade`,
  noUpdates: (version: string) =>
    `sandy ${version} cannot update sessions. --update-sessions came with 1.2.0: sandy --upgrade`,
  notPrinted: (code: string) =>
    `The output can't be written (${code}). Free the disk or send it elsewhere, then try again.`,
  notWritten: (path: string, code: string) =>
    `${cleanForeignText(path)} can't be written (${code}). Free the disk or mend its permissions, then try again.`,
} as const;
