import { openTerminal } from '../terminal/opening.ts';
import { describeFailures, describeNotOpened } from '../terminal/texts.ts';
import { parseArguments } from './arguments.ts';
import { NO_SESSION, prepareAttach } from './attach-target.ts';
import { exitCodes, UsageError } from './command.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';
import { prepareWindows } from './window-parts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = parseArguments(args, {});
  const [argument, ...more] = positionals;
  if (argument === undefined) throw new UsageError(texts.whichToOpen);
  if (more.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  const prepared = await prepareAttach(setup, argument);
  if (prepared.kind === 'refused') {
    // As every command that takes no terminal says it of a session that there is not.
    if (prepared.code === NO_SESSION) throw new UsageError(prepared.text);
    process.stderr.write(`${prepared.text}\n`);
    return exitCodes.failed;
  }
  const { target, name, contact } = prepared;
  contact?.connection.close();
  const { XDG_ACTIVATION_TOKEN, DESKTOP_STARTUP_ID } = process.env;
  const activationToken = XDG_ACTIVATION_TOKEN ?? DESKTOP_STARTUP_ID ?? null;
  const outcome = await openTerminal(
    { errand: { kind: 'attach', ...target }, activationToken },
    await prepareWindows(setup, setup.preferences),
  );
  if (outcome.kind !== 'opened') {
    process.stderr.write(`${describeNotOpened(outcome, { kind: 'attach', ...target })}\n`);
    return exitCodes.failed;
  }
  const { terminal, failed } = outcome;
  process.stdout.write(`${texts.windowOpened(name, terminal, describeFailures(failed))}\n`);
  return exitCodes.ok;
}
