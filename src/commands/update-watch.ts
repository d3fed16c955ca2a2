/** What one update printed, in a window of its own: as it comes while it runs, and all of it once it is over. */

import { createLineReader } from '../sandy/update-output.ts';
import { openRunFolders } from '../store/run-folders.ts';
import { readBytes } from '../system/file-end.ts';
import { contactAgent } from './agent-connection.ts';
import { hostOf } from './agent-host.ts';
import { exitCodes } from './command.ts';
import { followRun } from './operation-client.ts';
import { type Setup, setUp } from './setup.ts';
import { texts } from './texts.ts';
import { createUpdateScreen, describeOutcome } from './update-screen.ts';

/** Shows the output of the run with this id; gives the exit code. */
export async function showRun(id: string): Promise<number> {
  const setup = setUp();
  const folders = openRunFolders(setup.folders.state);
  const record = folders.read(id);
  if (record === null) {
    process.stdout.write(`${texts.outputGone}\n`);
    return exitCodes.failed;
  }
  const logPath = folders.logPath(id);
  if (record.endedAt !== null) return printAll(logPath);
  return await follow(setup, { id, logPath, isDryRun: record.op === 'check' });
}

interface Followed {
  readonly id: string;
  readonly logPath: string;
  readonly isDryRun: boolean;
}

async function follow(setup: Setup, { id, logPath, isDryRun }: Followed): Promise<number> {
  const contact = await contactAgent(setup.folders.state, 'update');
  if (contact.kind === 'alone') {
    process.stderr.write(`${contact.text ?? texts.noAgent}\n`);
    return exitCodes.unavailable;
  }
  const screen = createUpdateScreen({ json: false, logPath, id, joined: false });
  const outcome = await followRun(hostOf(contact), {
    setup,
    role: 'update',
    id,
    onStatus: screen.take,
    onHost: () => {},
  });
  screen.close();
  return describeOutcome(outcome, { json: false, isDryRun, id });
}

function printAll(path: string): number {
  const reader = createLineReader();
  let isEmpty = true;
  const print = ({ text }: { readonly text: string }) => {
    isEmpty = false;
    process.stdout.write(`${text}\n`);
  };
  readBytes(path, 0, null, (bytes) => reader.take(bytes).forEach(print));
  reader.end().forEach(print);
  if (isEmpty) process.stdout.write(`${texts.printedNothing}\n`);
  return exitCodes.ok;
}
