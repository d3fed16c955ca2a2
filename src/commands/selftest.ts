import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { listenForInterrupt } from './demo-story.ts';
import { type Check, drawCheck } from './doctor-check.ts';
import { checkPty } from './doctor-machine.ts';
import { checkBuild, checkDemo, checkFiles, checkHelper } from './selftest-checks.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = parseArguments(args, {});
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const interrupted = listenForInterrupt();
  const folder = await mkdtemp(join(tmpdir(), 'sandy-tray-selftest-'));
  let passed = true;
  const say = (...checks: readonly Check[]) => {
    passed &&= checks.every(({ level }) => level !== 'fail');
    for (const check of checks) process.stdout.write(`${drawCheck(check)}\n`);
  };
  try {
    say(checkBuild());
    say(await checkFiles());
    say(...(await checkPty()));
    say(await checkHelper(folder));
    say(await checkDemo(interrupted));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (interrupted.aborted) return exitCodes.interrupted;
  return passed ? exitCodes.ok : exitCodes.failed;
}
