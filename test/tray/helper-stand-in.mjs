/** A helper that does what the test at the other end of a socket says: `node helper-stand-in.mjs SOCKET`. */

import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const control = connect(process.argv[2]);
const tell = (kind, more) => control.write(`${JSON.stringify({ kind, ...more })}\n`);
tell('started', { pid: process.pid, cwd: process.cwd(), variables: process.env });
let isDeaf = false;
process.stdout.on('error', () => {});
const read = () =>
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const message = JSON.parse(line);
      tell('heard', { message, isAscii: /^[\x20-\x7e]*$/.test(line) });
      if (message.type === 'exit' && !isDeaf) process.exit(0);
    })
    .on('close', () => {
      if (!isDeaf) process.exit(0);
    });
createInterface({ input: control }).on('line', (line) => {
  const order = JSON.parse(line);
  switch (order.kind) {
    case 'say':
      process.stdout.write(order.text);
      break;
    case 'complain':
      process.stderr.write(order.text);
      break;
    case 'read':
      read();
      break;
    case 'be-deaf':
      isDeaf = true;
      break;
    case 'shut-input':
      process.stdin.destroy();
      tell('shut');
      break;
    case 'flood': {
      const pour = () => {
        while (process.stdout.write('x'.repeat(60_000))) {}
        process.stdout.once('drain', pour);
      };
      pour();
      break;
    }
    case 'end':
      process.exit(order.code);
  }
});
