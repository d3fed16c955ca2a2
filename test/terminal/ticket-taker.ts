/** A process that takes tickets: each line that it is told is a word, each that it says is what came of it. */

import { createInterface } from 'node:readline';
import { takeTicket } from '../../src/terminal/tickets.ts';

console.log('"ready"');
for await (const word of createInterface({ input: process.stdin })) {
  const taking = takeTicket(word, Date.now());
  console.log(JSON.stringify(taking));
}
