import { parseArguments } from './arguments.ts';
import { attachSession } from './attach-session.ts';
import { prepareAttach } from './attach-target.ts';
import { type Commands, UsageError } from './command.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';

/**
 * `attach [SESSION] [--no-reconnect]`, and what only our own windows are started with: `attach --ticket
 * WORD`. It is not in the help, as a ticket is good once, for a minute, for the window that it was
 * written for; SESSION can be anything but never an option.
 */
export async function run(args: readonly string[], commands: Commands): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    'no-reconnect': { type: 'boolean' },
    ticket: { type: 'string' },
  });
  const [argument, ...more] = positionals;
  const { ticket } = values;
  if (more.length > 0 || (ticket !== undefined && argument !== undefined)) {
    throw new UsageError(texts.tooManyArguments);
  }
  // Before a ticket is taken, since that says that there is a window.
  if (!(process.stdin.isTTY && process.stdout.isTTY))
    throw new UsageError(texts.attachNeedsTerminal);
  if (ticket !== undefined) {
    const { attachByTicket } = await import('./attach-window.ts');
    return await attachByTicket(ticket, commands);
  }
  const setup = setUp();
  const prepared = await prepareAttach(setup, argument);
  if (prepared.kind === 'refused') {
    process.stderr.write(`${prepared.text}\n`);
    return prepared.code;
  }
  const reconnects = values['no-reconnect'] !== true;
  return await attachSession(setup, prepared, { reconnects, ownsWindow: false });
}
