import { mendTerminal } from '../attach/outer-terminal.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = parseArguments(args, {});
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  if (!mendTerminal(process.env)) throw new UsageError(texts.noTerminal);
  return exitCodes.ok;
}
