/** Running a program of macOS that shows a banner for us: a process without a shell, and never for ever. */

import { findExecutable } from '../system/executable.ts';
import { type ChildOutcome, runChild } from '../system/spawning.ts';
import type { BannerEnd, StartedBanner } from './mac-way.ts';
import { tellsRefusal } from './mac-words.ts';
import { texts } from './texts.ts';

/** Limits on the programs themselves, in milliseconds; never scaled. */
export interface MacLimits {
  /** How long a program that lives with its banner has to say that it can't show one. */
  readonly settleMs: number;
  /** How long one that only hands a banner over may take. */
  readonly answerMs: number;
  /** How long one may take that is asked something, or takes a banner down. */
  readonly askMs: number;
  /** How long one may outlive its banner's time. */
  readonly overtimeMs: number;
}

export const macLimits: MacLimits = {
  settleMs: 1_500,
  answerMs: 10_000,
  askMs: 3_000,
  overtimeMs: 10_000,
};

export interface MacProgramParts {
  /** Where programs are found. */
  readonly searchPath: string | undefined;
  /** The whole environment of the programs. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: MacLimits;
}

const MAX_OUTPUT_BYTES = 64 * 1024;

export interface ProgramRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** The exit code by which it says that macOS lets it show nothing. */
  readonly refusedCode?: number;
  readonly signal?: AbortSignal;
}

type Exited = Extract<ChildOutcome, { readonly kind: 'exited' }>;

/**
 * Runs a program that shows a banner, or takes one down. `readEnd` reads what a program that ended well has said; null: that
 * can't be read, and nothing was shown.
 */
export function runProgram(
  name: string,
  request: ProgramRequest,
  readEnd: (outcome: Exited) => BannerEnd | null = () => ({ kind: 'posted' }),
): StartedBanner {
  const killing = new AbortController();
  const ended = runOnce({ ...request, signal: killing.signal }).then((outcome): BannerEnd => {
    switch (outcome.kind) {
      case 'aborted':
        return { kind: 'killed' };
      case 'timed-out':
        return { kind: 'silent', reason: texts.mac.silent(name) };
      case 'exited': {
        const { code, stderrTail } = outcome;
        if (code === request.refusedCode || (code !== 0 && tellsRefusal(stderrTail))) {
          return { kind: 'refused', reason: texts.mac.refused(name) };
        }
        const end = code === 0 ? readEnd(outcome) : null;
        const [line = ''] = stderrTail.trim().split('\n');
        return end ?? { kind: 'failed', reason: texts.mac.failed(name, line || `exit ${code}`) };
      }
      case 'signalled':
        return { kind: 'failed', reason: texts.mac.failed(name, outcome.signal) };
      case 'not-started':
        return { kind: 'failed', reason: texts.mac.failed(name, outcome.errorCode) };
      case 'too-large':
      case 'not-found':
      case 'not-executable':
        return { kind: 'failed', reason: texts.mac.failed(name, outcome.kind) };
    }
  });
  return { ended, kill: () => killing.abort() };
}

/** Runs a program to its end, within its limit. */
export function runOnce(request: ProgramRequest): Promise<ChildOutcome> {
  return runChild({ ...request, cwd: '/', maxOutputBytes: MAX_OUTPUT_BYTES, killing: 'child' });
}

/** The path of a program; '': it is not there. */
export function findProgram(name: string, searchPath: string | undefined): string {
  const found = findExecutable(name, searchPath, '/');
  return found.kind === 'found' ? found.path : '';
}
