import { runVerb } from './verb.ts';

export function run(args: readonly string[]): Promise<number> {
  return runVerb('start', args);
}
