import { exitCodes } from './command.ts';
import { runCommandLine } from './command-line.ts';
import { texts } from './texts.ts';

/** Runs `sandy-tray ARGS…` as this process; resolves when its exit code is set. */
export async function runProcess(args: readonly string[]): Promise<void> {
  process.stdout.on('error', leaveUnwritten);
  process.stderr.on('error', leaveUnwritten);
  process.exitCode = await runCommandLine(args);
}

function leaveUnwritten({ code }: NodeJS.ErrnoException): void {
  // A command that has something to clean up or to go on with hears of it as of a signal.
  if (process.emit('SIGPIPE', 'SIGPIPE')) return;
  // A reader that closes its end (`| head`) has seen enough; that is no error of ours.
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`${texts.notPrinted(code ?? 'unknown')}\n`);
  process.exit(exitCodes.failed);
}
