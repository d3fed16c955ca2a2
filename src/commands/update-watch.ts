/** What the running update prints, in a window of its own; the last one's words where none runs. */

import { createLineReader } from '../sandy/update-output.ts';
import { readBytes } from '../system/file-end.ts';
import { contactAgent } from './agent-connection.ts';
import { hostOf } from './agent-host.ts';
import { exitCodes } from './command.ts';
import { followRun } from './operation-client.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';
import { createUpdateScreen, describeOutcome } from './update-screen.ts';

export async function run(): Promise<number> {
  const setup = setUp();
  const contact = await contactAgent(setup.folders.state, 'update');
  if (contact.kind === 'alone') {
    process.stderr.write(`${contact.text ?? texts.noAgent}\n`);
    return exitCodes.unavailable;
  }
  const { connection, status } = contact;
  const { run: running, lastRun } = status;
  if (running === null || running.log === null) {
    connection.close();
    return printLast(lastRun?.log ?? null);
  }
  const { id, log: logPath } = running;
  const screen = createUpdateScreen({ json: false, logPath, id, joined: false });
  const outcome = await followRun(hostOf(contact), {
    setup,
    role: 'update',
    id,
    onStatus: screen.take,
    onHost: () => {},
  });
  screen.close();
  return describeOutcome(outcome, { json: false, isDryRun: false, id });
}

function printLast(path: string | null): number {
  if (path === null) {
    process.stdout.write(`${texts.noUpdateYet}\n`);
    return exitCodes.ok;
  }
  const reader = createLineReader();
  readBytes(path, 0, null, (bytes) => {
    for (const { text } of reader.take(bytes)) process.stdout.write(`${text}\n`);
  });
  for (const { text } of reader.end()) process.stdout.write(`${text}\n`);
  return exitCodes.ok;
}
