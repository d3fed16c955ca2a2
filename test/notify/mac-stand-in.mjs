/** A program of macOS: reports its arguments to a test and does what it is told. */

import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [, , path = '', name, ...args] = process.argv;
const socket = connect(path);
socket.on('error', () => process.exit(1)).on('close', () => process.exit(1));
const variables = Object.keys(process.env).sort();
socket.write(`${JSON.stringify({ name, args, pid: process.pid, variables })}\n`);
createInterface({ input: socket }).on('line', (line) => {
  const { stdout = '', stderr = '', code = 0 } = JSON.parse(line);
  process.stderr.write(stderr, () => process.stdout.write(stdout, () => process.exit(code)));
});
