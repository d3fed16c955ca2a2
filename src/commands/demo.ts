import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { playDemo } from './demo-story.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = parseArguments(args, {});
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const interrupted = new AbortController();
  // Every one of them, however often: what the demo started has to be ended first.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const) {
    process.on(signal, () => interrupted.abort());
  }
  switch (await playDemo(interrupted.signal)) {
    case 'played':
      return exitCodes.ok;
    case 'interrupted':
      return exitCodes.interrupted;
    case 'stuck':
      process.stderr.write(`${texts.demoStuck}\n`);
      return exitCodes.failed;
  }
}
