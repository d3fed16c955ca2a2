/**
 * A process that claims a state folder as an agent does: `FOLDER [listen]`. It says when it is ready,
 * claims when told, says the outcome, and stays. With `listen` it serves the socket too.
 */

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { claimAgent } from '../../src/control/agent-lock.ts';
import { startServer } from '../../src/control/server.ts';
import { nameSocket } from '../../src/control/socket-path.ts';

const [folder = '', mode = ''] = process.argv.slice(2);
const words = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`);

say('ready');
await words.next();
const claim = await claimAgent(folder, { version: '1.2.3', passing: false });
say(claim);
if (claim.kind === 'claimed' && mode === 'listen') {
  const server = await startServer({
    socketPath: nameSocket(folder),
    identity: { pid: process.pid, version: '1.2.3', epoch: `${process.pid}`, startedAt: '' },
    onRequest: async () => null,
    onClientsChanged: () => {},
  });
  say(server);
}
await words.next();
process.exit(0);
