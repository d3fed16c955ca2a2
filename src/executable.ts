/** Where a one-file executable begins. It is a CommonJS script there, in which nothing can be awaited. */

import { runProcess } from './commands/process.ts';
import { playUnpackedSandy } from './commands/unpacked-sandy.ts';

const args = process.argv.slice(2);
void playUnpackedSandy(args).then((played) => (played ? undefined : runProcess(args)));
