import { startAgent } from '../agent/agent.ts';
import { claimAgent } from '../control/agent-lock.ts';
import { createLineNotifier } from '../notify/line-notifier.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';
import { version } from './version.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = parseArguments(args, {});
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const { folders, preferences, timeScale } = setUp();
  // Everything that the agent makes is this user's alone.
  process.umask(0o077);
  const claim = await claimAgent(folders.state, { version });
  if (claim.kind === 'already-running') {
    process.stdout.write(`${texts.alreadyRunning(claim.pid)}\n`);
    return exitCodes.ok;
  }
  const warn = (sentence: string) => process.stderr.write(`${sentence}\n`);
  if (claim.kind === 'failed') warn(texts.notClaimed(claim.errorCode));
  const ended = waitForEnd();
  // Nobody reads its lines any more: the log has them, and the agent goes on.
  process.on('SIGPIPE', () => {});
  const agent = await startAgent({
    folders,
    preferences,
    timeScale,
    version,
    notifier: createLineNotifier(process.stdout, formatClock),
    warn,
  });
  process.stdout.write(`${texts.watching(process.pid)}\n`);
  await ended;
  await agent.stop();
  if (claim.kind === 'claimed') await claim.release();
  return exitCodes.ok;
}

/** Resolves at the first signal that asks us to end. A second one ends the process at once. */
function waitForEnd(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const take = () => {
      if (asked) process.exit(exitCodes.failed);
      asked = true;
      resolve();
    };
    // Never taken off: while a child runs, execa kills a process that has no listener but its own.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, take);
  });
}

function formatClock(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
