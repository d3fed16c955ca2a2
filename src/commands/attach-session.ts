import { newShim, type ShimOptions } from '../attach/machine.ts';
import { runShim } from '../attach/shim.ts';
import { shimWindowsFrom } from '../attach/shim-windows.ts';
import { useTerminal } from '../attach/terminal-guard.ts';
import { windowsFrom } from '../fleet/windows.ts';
import { createShimPorts } from './attach-ports.ts';
import type { Prepared } from './attach-target.ts';
import { UsageError } from './command.ts';
import type { Setup } from './setup.ts';
import { texts } from './texts.ts';

/** Runs the terminal that this process is in on a session, until it is left; resolves to the exit code. */
export async function attachSession(
  setup: Setup,
  prepared: Prepared,
  options: Omit<ShimOptions, 'windows'>,
): Promise<number> {
  const windows = shimWindowsFrom(windowsFrom(setup.preferences, setup.timeScale));
  const { ownsWindow } = options;
  const use = await useTerminal(process.env, (terminal, onStart) =>
    runShim(
      newShim({ windows, ...options }),
      createShimPorts(setup, prepared, terminal, { ownsWindow, onStart }),
    ),
  );
  if (use.kind === 'used') return use.result;
  prepared.contact?.connection.close();
  throw new UsageError(texts.attachNeedsTerminal);
}
