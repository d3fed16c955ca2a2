/** A process that connects once, `PATH LIMIT_MS`, says the outcome, and ends when nothing holds it. */

import { writeSync } from 'node:fs';
import { connectToAgent } from '../../src/control/client.ts';

const [socketPath = '', limitMs = ''] = process.argv.slice(2);
const found = await connectToAgent({ socketPath, role: 'status', timeoutMs: Number(limitMs) });
if (found.kind === 'connected') {
  void found.request('wait', null, Number(limitMs));
  found.close();
}
writeSync(1, `${JSON.stringify(found)}\n`);
