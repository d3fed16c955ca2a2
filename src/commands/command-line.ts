import { ResourcesError } from '../system/resources-error.ts';
import { catalogue } from './catalogue.ts';
import { type Command, exitCodes, isUsageError } from './command.ts';
import { texts } from './texts.ts';
import { fullVersion } from './version.ts';

/** Runs `sandy-tray ARGS…`; resolves to the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const [name, ...rest] = asHelpOption(args);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(`${describeProgram()}\n`);
    return exitCodes.ok;
  }
  if (name === '--version' || name === '-V') {
    process.stdout.write(`sandy-tray ${fullVersion}\n`);
    return exitCodes.ok;
  }
  const command = Object.hasOwn(catalogue, name) ? catalogue[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`${texts.unknownCommand(name)}\n${texts.seeHelp}\n`);
    return exitCodes.usage;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`${describeCommand(command)}\n`);
    return exitCodes.ok;
  }
  try {
    const { run } = await command.load();
    return await run(rest, catalogue);
  } catch (error) {
    if (error instanceof ResourcesError) {
      process.stderr.write(`${error.message}\n`);
      return exitCodes.failed;
    }
    if (!isUsageError(error)) throw error;
    process.stderr.write(`${error.message}\n${texts.rightForm(command.usage)}\n`);
    return exitCodes.usage;
  }
}

/** `help COMMAND` as `COMMAND --help`, and all else as it is. */
function asHelpOption(args: readonly string[]): readonly string[] {
  const [name, topic] = args;
  return name === 'help' && topic !== undefined ? [topic, '--help'] : args;
}

function describeProgram(): string {
  const names = Object.keys(catalogue);
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${catalogue[name]?.summary ?? ''}`);
  return [texts.program, '', 'Usage: sandy-tray COMMAND', '', ...lines, '', texts.moreHelp].join(
    '\n',
  );
}

function describeCommand(command: Command): string {
  return [
    `Usage: sandy-tray ${command.usage}`,
    '',
    `${command.summary.slice(0, 1).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    ...command.details,
  ].join('\n');
}
