import type { ChildOutcome } from '../system/spawning.ts';
import type { UnusableSandy } from './client.ts';
import type { FindingProblem } from './finding.ts';
import { texts } from './texts.ts';

/** Why sandy could not be used, before it is put into words. */
export type SandyTrouble =
  | { readonly kind: 'not-found'; readonly problem: FindingProblem }
  /** It was there a moment ago: an upgrade is replacing it, or it was removed. */
  | { readonly kind: 'vanished'; readonly path: string }
  | { readonly kind: 'not-sandy'; readonly path: string; readonly printed: string }
  | { readonly kind: 'too-old'; readonly path: string; readonly version: string }
  /** A command that ended in any way but with exit code 0. */
  | { readonly kind: 'command-failed'; readonly command: string; readonly outcome: ChildOutcome };

/** Puts a trouble into words and into one of the kinds of blindness. */
export function describeTrouble(trouble: SandyTrouble): UnusableSandy {
  switch (trouble.kind) {
    case 'not-found':
      return unusable('sandy-missing', describeFindingProblem(trouble.problem));
    case 'vanished':
      return unusable('sandy-missing', texts.vanished(trouble.path));
    case 'not-sandy':
      return unusable('sandy-failed', texts.notSandy(trouble.path, trouble.printed));
    case 'too-old':
      return unusable('sandy-failed', texts.tooOld(trouble.version));
    case 'command-failed':
      return describeFailedCommand(trouble.command, trouble.outcome);
  }
}

function describeFailedCommand(command: string, outcome: ChildOutcome): UnusableSandy {
  switch (outcome.kind) {
    case 'exited':
      return unusable('sandy-failed', texts.exited(command, outcome.code, outcome.stderrTail));
    case 'signalled':
      return unusable('sandy-failed', texts.signalled(command, outcome.signal));
    case 'timed-out':
      return unusable('timed-out', texts.timedOut(command, outcome.limitMs));
    case 'too-large':
      return unusable('too-large', texts.tooLarge(command, outcome.maxOutputBytes));
    case 'aborted':
      return unusable('sandy-failed', texts.aborted(command));
    case 'not-found':
      return unusable('sandy-missing', texts.interpreterMissing(command));
    case 'not-executable':
      return unusable('sandy-failed', texts.notStarted(command, 'EACCES'));
    case 'not-started':
      return unusable('sandy-failed', texts.notStarted(command, outcome.errorCode));
  }
}

function describeFindingProblem(problem: FindingProblem): string {
  switch (problem.kind) {
    case 'nowhere':
      return problem.unusable === null ? texts.nowhere : texts.onlyUnusable(problem.unusable);
    case 'named-wrongly':
      return describeNamedWrongly(problem);
  }
}

function describeNamedWrongly({
  by,
  path,
  wrong,
}: Extract<FindingProblem, { kind: 'named-wrongly' }>): string {
  switch (wrong) {
    case 'not-absolute':
      return texts.namedNotAbsolute(by, path);
    case 'missing':
      return texts.namedMissing(by, path);
    case 'directory':
      return texts.namedDirectory(by, path);
    case 'not-executable':
      return texts.namedNotExecutable(by, path);
  }
}

function unusable(reason: UnusableSandy['reason'], text: string): UnusableSandy {
  return { kind: 'unusable', reason, text };
}
