/** Cancels a run and is killed when it reads its output for the nth time. */

import { readFile } from 'node:fs/promises';
import { cancelRun } from '../../src/agent/cancelling.ts';

const { process: run, log, look } = JSON.parse(process.argv[2] ?? '');
let reads = 0;
await cancelRun({
  process: run,
  readOutput: async () => {
    reads += 1;
    if (reads === look) process.kill(process.pid, 'SIGKILL');
    return readFile(log);
  },
  mayHaveBegun: () => false,
});
