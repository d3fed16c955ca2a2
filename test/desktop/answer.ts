import type { ChildProcess } from 'node:child_process';

/** The line by which a server says that it can be used. */
export function answerOf(child: ChildProcess): Promise<string> {
  return new Promise((settle, fail) => {
    child.stdout?.once('data', (bytes) => settle(String(bytes).trim()));
    child.once('error', fail);
    child.once('exit', () => fail(new Error(`${child.spawnfile} ended`)));
  });
}
