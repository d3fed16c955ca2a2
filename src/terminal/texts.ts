/** The sentences of this room that a person reads. */

import { cleanForeignText } from '../system/foreign-text.ts';
import { quoteOperand } from '../system/shell-words.ts';
import type { OpenFailure, OpenOutcome } from './opening.ts';
import type { Errand } from './tickets.ts';

/** What was tried and why each failed, as one part of a sentence; empty when nothing was. */
export function describeFailures(failed: readonly OpenFailure[]): string {
  return failed
    .map((failure) => `${cleanForeignText(failure.terminal, 40)} ${describeFailure(failure)}`)
    .join('; ');
}

function describeFailure(failure: OpenFailure): string {
  switch (failure.kind) {
    case 'not-found':
      return 'was not found';
    case 'not-executable':
      return 'is not executable';
    case 'other-system':
      return 'is not for this system';
    case 'no-screen':
      return 'does not work on this kind of display';
    case 'not-started':
      return `could not be started (${failure.errorCode})`;
    case 'exited':
      return `failed with exit code ${failure.code}${describeLine(failure.lastLine)}`;
    case 'signalled':
      return `was ended by ${failure.signal}${describeLine(failure.lastLine)}`;
    case 'silent':
      return `opened no window in time${describeLine(failure.lastLine)}`;
  }
}

function describeLine(line: string | null): string {
  return line === null ? '' : ` (${cleanForeignText(line, 120)})`;
}

/** Why there is no window, and the command that a person can paste into one of their own. */
export function describeNotOpened(
  outcome: Exclude<OpenOutcome, { readonly kind: 'opened' }>,
  errand: Errand,
): string {
  const paste = describeCommand(errand);
  if (outcome.kind === 'not-written') {
    return `No window can be opened while the state folder can't be written (${outcome.errorCode}). In a terminal of your own: ${paste}`;
  }
  const tried = describeFailures(outcome.failed);
  const why = outcome.hasDisplay
    ? tried || 'no terminal program was found'
    : ['there is no display', tried].filter((part) => part !== '').join('; ');
  return `No terminal window could be opened: ${why}. In a terminal of your own: ${paste}`;
}

/** For showing only: nothing of ours runs it. */
function describeCommand(errand: Errand): string {
  if (errand.kind === 'choose') return 'sandy-tray attach';
  if (errand.kind === 'read') return pageCommands[errand.page];
  if (errand.kind === 'read-run') return 'sandy-tray status --watch';
  const verb = errand.startsFirst === true ? 'start' : 'attach';
  return `sandy-tray ${verb} ${quoteOperand(errand.key ?? errand.workspace)}`;
}

const pageCommands = {
  log: 'sandy-tray log',
  doctor: 'sandy-tray doctor',
} as const;
