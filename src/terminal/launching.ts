/** One terminal program from its start until nobody cares any more: it outlives this process. */

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { errorCodeOf } from '../system/files.ts';
import { withholdingStdio } from '../system/leaked-descriptors.ts';

export interface LaunchRequest {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** An existing folder. */
  readonly cwd: string;
  /** Must not exist: gets all that it prints. A pipe would kill it at its next warning after our end. */
  readonly outputFile: string;
}

export type LaunchEnd =
  | { readonly kind: 'not-started'; readonly errorCode: string }
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string };

/** Starts it in a process session of its own. Resolves at its end, if that comes; never rejects. */
export function launch(request: LaunchRequest): Promise<LaunchEnd> {
  const [file = '', ...args] = request.command;
  return new Promise((resolve) => {
    const fail = (error: unknown) =>
      resolve({ kind: 'not-started', errorCode: errorCodeOf(error) });
    let output: number;
    try {
      output = openSync(request.outputFile, 'wx', 0o600);
    } catch (error) {
      return fail(error);
    }
    try {
      const child = spawn(file, args, {
        stdio: withholdingStdio(['ignore', output, output]),
        env: { ...request.environment },
        cwd: request.cwd,
        detached: true,
      });
      child.once('error', fail);
      child.once('exit', (code, signal) =>
        resolve(
          signal === null ? { kind: 'exited', code: code ?? -1 } : { kind: 'signalled', signal },
        ),
      );
      child.unref();
    } catch (error) {
      fail(error);
    } finally {
      closeSync(output);
    }
  });
}

/** The last line that a launched program printed; null when there is none. */
export function readLastLine(outputFile: string): string | null {
  try {
    const lines = readFileSync(outputFile, 'utf8').split('\n');
    return lines.findLast((line) => line.trim() !== '')?.trim() ?? null;
  } catch (error) {
    errorCodeOf(error);
    return null;
  }
}
