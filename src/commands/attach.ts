import { newShim } from '../attach/machine.ts';
import { openTerminal } from '../attach/outer-terminal.ts';
import { runShim } from '../attach/shim.ts';
import { shimWindowsFrom } from '../attach/shim-windows.ts';
import { guardTerminal } from '../attach/terminal-guard.ts';
import { windowsFrom } from '../fleet/windows.ts';
import { parseArguments } from './arguments.ts';
import { createShimPorts } from './attach-ports.ts';
import { prepareAttach } from './attach-target.ts';
import { UsageError } from './command.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { 'no-reconnect': { type: 'boolean' } });
  const [argument, ...more] = positionals;
  if (more.length > 0) throw new UsageError(texts.tooManyArguments);
  if (!(process.stdin.isTTY && process.stdout.isTTY))
    throw new UsageError(texts.attachNeedsTerminal);
  const setup = setUp();
  const prepared = await prepareAttach(setup, argument);
  if (prepared.kind === 'refused') {
    process.stderr.write(`${prepared.text}\n`);
    return prepared.code;
  }
  const opening = openTerminal(process.env);
  if (opening.kind === 'none') throw new UsageError(texts.attachNeedsTerminal);
  const { terminal } = opening;
  let hangUp = () => {};
  const stopGuarding = guardTerminal(terminal, () => hangUp());
  try {
    const windows = shimWindowsFrom(windowsFrom(setup.preferences, setup.timeScale));
    const reconnects = values['no-reconnect'] !== true;
    return await runShim(
      newShim({ windows, reconnects, ownsWindow: false }),
      createShimPorts(setup, prepared, terminal, (hangUpAll) => {
        hangUp = hangUpAll;
      }),
    );
  } finally {
    await terminal.written();
    stopGuarding();
    terminal.putRight();
  }
}
