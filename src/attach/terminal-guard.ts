/** Puts the terminal right however this process ends, but for SIGKILL. */

import { constants } from 'node:os';
import type { OuterTerminal, Stop } from './outer-terminal.ts';

const endings = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;

/**
 * From now on TERM, HUP, INT and QUIT, a bug and the process's exit put the terminal right; signals also
 * hang up the child and end the process with 128 and their number. Returns how to end that.
 */
export function guardTerminal(terminal: OuterTerminal, hangUpChild: () => void): Stop {
  const leave = (signal: (typeof endings)[number]) => {
    hangUpChild();
    terminal.putRight();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of endings) process.on(signal, leave);
  // Only watches: Node goes on to print the error and to exit, in a terminal where it can be read.
  process.on('uncaughtExceptionMonitor', terminal.putRight);
  process.on('exit', terminal.putRight);
  return () => {
    for (const signal of endings) process.off(signal, leave);
    process.off('uncaughtExceptionMonitor', terminal.putRight);
    process.off('exit', terminal.putRight);
  };
}
