/** Opens a terminal window on a session: one terminal after another, until a window has taken its ticket. */

import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { DetachedCommand } from '../system/detached.ts';
import { hasDisplay } from '../system/display.ts';
import { findExecutable } from '../system/executable.ts';
import { readFileEnd } from '../system/file-end.ts';
import { errorCodeOf } from '../system/files.ts';
import type { TerminalSetting } from '../system/terminal-names.ts';
import { type Candidate, listCandidates, type UnfitTerminal } from './candidates.ts';
import { type LaunchEnd, launch } from './launching.ts';
import { writeCommandText } from './mac-terminals.ts';
import {
  type Errand,
  type IssuedTicket,
  issueTicket,
  pickCarried,
  TICKET_LIFE_MS,
} from './tickets.ts';
import { addDesktop, composeWindowEnvironment } from './window-environment.ts';

/** What for, and the desktop's leave to take the focus, as a click on something of ours brings it. */
export interface OpenRequest {
  readonly errand: Errand;
  readonly activationToken: string | null;
}

/** What opening stands on. */
export interface OpenParts {
  readonly platform: NodeJS.Platform;
  /** Of the process that opens: `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stateFolder: string;
  readonly setting: TerminalSetting;
  /** Our own program, absolute: what runs it, and its file. `attach` and a ticket are put behind. */
  readonly program: readonly string[];
  readonly timeScale: number;
  /** Changes a terminal's command into one that execs it, such as outside of our own service. */
  readonly wrap?: (command: DetachedCommand) => DetachedCommand;
}

/** Why a terminal opened no window. `lastLine` is the program's own last word: foreign text. */
export type OpenFailure = { readonly terminal: string } & (
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-executable' }
  | { readonly kind: UnfitTerminal['kind'] }
  | { readonly kind: 'not-started'; readonly errorCode: string }
  | { readonly kind: 'exited'; readonly code: number; readonly lastLine: string | null }
  | { readonly kind: 'signalled'; readonly signal: string; readonly lastLine: string | null }
  /** It runs, or said that all was well, but no window came. */
  | { readonly kind: 'silent'; readonly lastLine: string | null }
);

/** `failed`: what was tried, in order, before the one that opened. */
export type OpenOutcome =
  | {
      readonly kind: 'opened';
      readonly terminal: string;
      readonly failed: readonly OpenFailure[];
    }
  | {
      readonly kind: 'not-opened';
      readonly hasDisplay: boolean;
      readonly failed: readonly OpenFailure[];
    }
  /** The state folder takes no ticket. */
  | { readonly kind: 'not-written'; readonly errorCode: string };

/** How long a window may take, before the time scale: a first window on a busy machine takes seconds. */
const WINDOW_LIMIT_MS = 8_000;

const LOOK_MS = 25;

/**
 * Opens a window that runs `attach` on a session. The proof that it is there is that the process in it
 * took its ticket; what a launcher's exit code says of it is no proof. Never rejects for what the
 * machine lacks. At most one window comes of it: a terminal that was given up finds its ticket withdrawn.
 */
export async function openTerminal(request: OpenRequest, parts: OpenParts): Promise<OpenOutcome> {
  const { platform, setting } = parts;
  const desktop = await addDesktop(parts.environment, platform);
  const environment = composeWindowEnvironment(desktop, request.activationToken);
  const cwd = isFolder(environment.HOME) ? environment.HOME : '/';
  const { list, unfit } = listCandidates({ platform, setting, environment });
  const failed: OpenFailure[] = [...unfit];
  for (const candidate of list) {
    const terminal = candidate.name;
    const executable = findExecutable(candidate.file, environment.PATH, cwd);
    if (executable.kind !== 'found') {
      if (candidate.named) failed.push({ terminal, kind: executable.kind });
      continue;
    }
    const place = { file: executable.path, environment, cwd };
    const attempt = await attemptWindow(candidate, place, request, parts);
    switch (attempt.kind) {
      case 'taken':
        return { kind: 'opened', terminal, failed };
      case 'not-written':
        return attempt;
      case 'given-up':
        failed.push({ terminal, ...attempt.why });
    }
  }
  const isThere = platform === 'darwin' || hasDisplay(environment);
  return { kind: 'not-opened', hasDisplay: isThere, failed };
}

function isFolder(path: string | undefined): path is string {
  return path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

interface Place {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
}

type FailureOf<T> = T extends unknown ? Omit<T, 'terminal'> : never;

type Attempt =
  | { readonly kind: 'taken' }
  | { readonly kind: 'given-up'; readonly why: FailureOf<OpenFailure> }
  | { readonly kind: 'not-written'; readonly errorCode: string };

async function attemptWindow(
  candidate: Candidate,
  { file, environment, cwd }: Place,
  { errand }: OpenRequest,
  parts: OpenParts,
): Promise<Attempt> {
  const { timeScale, wrap } = parts;
  const content = { errand, variables: pickCarried(parts.environment) };
  const times = { nowMs: Date.now(), lifeMs: TICKET_LIFE_MS / timeScale };
  const issuing = issueTicket(parts.stateFolder, content, times);
  if (issuing.kind === 'not-written') return issuing;
  const { ticket } = issuing;
  const command = [...parts.program, 'attach', '--ticket', ticket.word];
  let args: readonly string[];
  try {
    args = candidate.argsFor(command, () => writeCommandFile(ticket, command));
  } catch (error) {
    ticket.withdraw();
    return { kind: 'not-written', errorCode: errorCodeOf(error) };
  }
  const outputPath = ticket.nameFile('log');
  const ended = launch({ file, args, environment, cwd, outputPath, wrap });
  const waited = await awaitTaking(ticket, ended, WINDOW_LIMIT_MS / timeScale);
  // Between the last look and now it may have been taken after all.
  if (waited.kind === 'taken' || ticket.withdraw() === 'taken') {
    rmSync(ticket.nameFile('taken'), { force: true });
    return { kind: 'taken' };
  }
  rmSync(ticket.nameFile('command'), { force: true });
  const why =
    waited.kind === 'not-started' ? waited : { ...waited, lastLine: readFileEnd(outputPath, 0) };
  return { kind: 'given-up', why };
}

/** Written for this person alone, and executable: what opens it runs it. Throws what the disk says. */
function writeCommandFile(ticket: IssuedTicket, command: readonly string[]): string {
  const path = ticket.nameFile('command');
  writeFileSync(path, writeCommandText(command), { flag: 'wx', mode: 0o700 });
  return path;
}

type Waited = { readonly kind: 'taken' } | { readonly kind: 'silent' } | LaunchEnd;

/** Until the ticket is taken, the launcher has failed, or the time is over. */
function awaitTaking(
  ticket: IssuedTicket,
  ended: Promise<LaunchEnd>,
  limitMs: number,
): Promise<Waited> {
  return new Promise((resolve) => {
    const settle = (waited: Waited) => {
      clearInterval(looks);
      clearTimeout(limit);
      resolve(waited);
    };
    const looks = setInterval(() => {
      if (ticket.isTaken()) settle({ kind: 'taken' });
    }, LOOK_MS);
    const limit = setTimeout(() => settle({ kind: 'silent' }), limitMs);
    void ended.then((end) => {
      // Many only ask a terminal that runs already, and are done before there is a window.
      if (end.kind !== 'exited' || end.code !== 0) settle(end);
    });
  });
}
