import { type ParseArgsConfig, parseArgs } from 'node:util';
import { cleanForeignText } from '../system/foreign-text.ts';
import { UsageError } from './command.ts';

/** Parses a command's arguments; whatever is wrong becomes a `UsageError` with one sentence. */
export function parseArguments<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [sentence = 'Wrong arguments'] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${cleanForeignText(sentence).replace(/\.$/, '')}.`);
  }
}
