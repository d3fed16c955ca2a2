/** Puts the terminal right however this process ends, but for SIGKILL. */

import { constants } from 'node:os';
import { type OuterTerminal, openTerminal, type Stop } from './outer-terminal.ts';
import type { TerminalNames } from './terminal-modes.ts';

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

export type TerminalUse<T> =
  | { readonly kind: 'used'; readonly result: T }
  /** This process was started in no terminal, or in none that can be set. */
  | { readonly kind: 'none' };

/**
 * Opens this process's terminal, guards it while `use` runs, and gives it back with all that was written
 * into it. `use` calls `onHangUp` with how to end what it starts, for when this process is ended by a
 * signal; the last call counts.
 */
export async function useTerminal<T>(
  names: TerminalNames,
  use: (terminal: OuterTerminal, onHangUp: (hangUp: () => void) => void) => Promise<T>,
): Promise<TerminalUse<T>> {
  const opening = openTerminal(names);
  if (opening.kind === 'none') return opening;
  const { terminal } = opening;
  let hangUp = () => {};
  const stopGuarding = guardTerminal(terminal, () => hangUp());
  try {
    const result = await use(terminal, (next) => {
      hangUp = next;
    });
    return { kind: 'used', result };
  } finally {
    await terminal.written();
    stopGuarding();
    terminal.putRight();
  }
}
