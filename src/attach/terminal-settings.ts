/** The kernel's side of the terminal that this process was started in, by `stty`. */

import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { withholdingStdio } from '../system/leaked-descriptors.ts';

/** In stty's own form; null where there is no terminal, or none that stty can read. */
export function readSettings(): string | null {
  return runStty(['-g']);
}

/** Puts back what `readSettings` gave. A terminal that was closed needs none. */
export function restoreSettings(saved: string): void {
  runStty([saved]);
}

/**
 * Each byte as it is, both ways; whether that could be done. Not by Node's `setRawMode`, which goes on
 * turning a child's line feeds into returns. `-iexten`, since `raw` leaves that on in Linux.
 */
export function makeRaw(): boolean {
  return runStty(['raw', '-echo', '-iexten']) !== null;
}

/** What a shell can live with, where nobody knows what it was before. */
export function makeSane(): boolean {
  return runStty(['sane']) !== null;
}

/** A terminal that takes no output lets no setting be changed either. */
const STTY_LIMIT_MS = 2_000;

/** What `stty` prints; null where it can't be had or refuses. */
function runStty(args: readonly string[]): string | null {
  let terminal: number;
  try {
    // Opened for it alone: Node makes what it gives to a child blocking, and with it every copy.
    terminal = openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return null;
  }
  const { status, stdout } = spawnSync('stty', args, {
    stdio: withholdingStdio([terminal, 'pipe', 'ignore']),
    encoding: 'utf8',
    timeout: STTY_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  closeSync(terminal);
  return status === 0 ? stdout.trim() : null;
}
