#!/usr/bin/env node
import { exitCodes } from './commands/command.ts';
import { runCommandLine } from './commands/command-line.ts';
import { texts } from './commands/texts.ts';

process.stdout.on('error', leaveUnwritten);
process.stderr.on('error', leaveUnwritten);

process.exitCode = await runCommandLine(process.argv.slice(2));

function leaveUnwritten({ code }: NodeJS.ErrnoException): void {
  // A command that has something to clean up or to go on with hears of it as of a signal.
  if (process.emit('SIGPIPE', 'SIGPIPE')) return;
  // A reader that closes its end (`| head`) has seen enough; that is no error of ours.
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`${texts.notPrinted(code ?? 'unknown')}\n`);
  process.exit(exitCodes.failed);
}
