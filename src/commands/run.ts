import { setFlagsFromString } from 'node:v8';
import { startAgent } from '../agent/agent.ts';
import { claimAgent } from '../control/agent-lock.ts';
import { createLineNotifier } from '../notify/line-notifier.ts';
import { formatClock } from '../system/local-time.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';
import { version } from './version.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = parseArguments(args, {});
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const { folders, preferences, timeScale } = setUp();
  // It lives long and keeps little: otherwise the room for new objects outgrows all that is kept.
  setFlagsFromString('--semi-space-growth-factor=1');
  // Everything that the agent makes is this user's alone.
  process.umask(0o077);
  const claim = await claimAgent(folders.state, { version });
  if (claim.kind === 'already-running') {
    process.stdout.write(`${texts.alreadyRunning(claim.pid)}\n`);
    return exitCodes.ok;
  }
  const warn = (sentence: string) => process.stderr.write(`${sentence}\n`);
  if (claim.kind === 'failed') warn(texts.notClaimed(claim.errorCode));
  const { ended, end } = waitForEnd();
  // Nobody reads its lines any more: the log has them, and the agent goes on.
  process.on('SIGPIPE', () => {});
  const agent = await startAgent({
    folders,
    preferences,
    timeScale,
    version,
    notifier: createLineNotifier(process.stdout, (at) => formatClock(new Date(at))),
    claim,
    onReplaced: (pid) => {
      warn(texts.replaced(pid));
      end();
    },
    warn,
  });
  process.stdout.write(`${texts.watching(process.pid)}\n`);
  await ended;
  await agent.stop();
  await claim.release();
  return exitCodes.ok;
}

/**
 * `ended` resolves at the first signal that asks us to end, or with `end`. A second signal ends the
 * process at once.
 */
function waitForEnd(): { readonly ended: Promise<void>; readonly end: () => void } {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let asked = false;
  const take = () => {
    if (asked) process.exit(exitCodes.failed);
    asked = true;
    end();
  };
  // Never taken off: while a child runs, execa kills a process that has no listener but its own.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, take);
  return { ended, end };
}
