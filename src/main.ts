#!/usr/bin/env node
import { runCommandLine } from './commands/command-line.ts';

// A reader that closes its end (`| head`) has seen enough; that is no error of ours.
process.stdout.on('error', leaveOnClosedPipe);
process.stderr.on('error', leaveOnClosedPipe);

process.exitCode = await runCommandLine(process.argv.slice(2));

function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
