import { contactAgent } from './agent-connection.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import {
  type Check,
  checkNode,
  checkPreferences,
  checkSandy,
  checkStateFolder,
  checkTray,
} from './doctor-checks.ts';
import { createLoneSandy } from './lone-sandy.ts';
import { lookOnce } from './looking-once.ts';
import { type Setup, setUp } from './setup.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  const { model, warnings } = await lookOnce(setup, 'full', createLoneSandy(setup, false));
  const checks: Check[] = [
    checkNode(process.versions.node),
    ...checkPreferences(setup),
    await checkStateFolder(setup),
    ...checkSandy(model, warnings),
    ...(await askForTray(setup)),
  ];
  if (values.json === true) {
    process.stdout.write(`${JSON.stringify({ schema: 1, checks })}\n`);
  } else {
    for (const check of checks) process.stdout.write(`${drawCheck(check)}\n`);
  }
  return checks.some((check) => check.level === 'fail') ? exitCodes.failed : exitCodes.ok;
}

/** Only the agent has a tray; without one there is nothing to say. */
async function askForTray({ folders }: Setup): Promise<Check[]> {
  const contact = await contactAgent(folders.state, 'doctor');
  if (contact.kind === 'alone') return [];
  contact.connection.close();
  return checkTray(contact.status);
}

function drawCheck({ level, name, fact, remedy }: Check): string {
  const line = `${level.padEnd(4)}  ${name.padEnd(8)}  ${fact}`;
  return remedy === null ? line : `${line}\n${' '.repeat(16)}mend it with: ${remedy}`;
}
