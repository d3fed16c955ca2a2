import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { createDemoScreen } from './demo-screen.ts';
import { listenForInterrupt, playDemo } from './demo-story.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = parseArguments(args, {});
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  switch (await playDemo(listenForInterrupt(), createDemoScreen(process.stdout))) {
    case 'played':
      return exitCodes.ok;
    case 'interrupted':
      return exitCodes.interrupted;
    case 'agent-ended':
      process.stderr.write(`${texts.demoAgentEnded}\n`);
      return exitCodes.failed;
    case 'stuck':
      process.stderr.write(`${texts.demoStuck}\n`);
      return exitCodes.failed;
  }
}
