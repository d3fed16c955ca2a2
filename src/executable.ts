/** Where a one-file executable begins. It is a CommonJS script there, in which nothing can be awaited. */

import { runProcess } from './commands/process.ts';
import { playUnpackedSandy } from './commands/unpacked-sandy.ts';

/** Node's own code for a script that ends while it still awaits something. */
const UNSETTLED = 13;

const args = process.argv.slice(2);
const dropped = () => {
  process.exitCode = UNSETTLED;
};
process.once('beforeExit', dropped);
void playUnpackedSandy(args)
  .then((played) => (played ? undefined : runProcess(args)))
  .then(() => process.off('beforeExit', dropped));
