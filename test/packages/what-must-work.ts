import { dirname } from 'node:path';
import { expect } from 'vitest';
import { type BareMachine, test } from './bare-machine.ts';

/** What each package must do with HOME and PATH alone. `command` starts it; `path` is what it needs on PATH. */
export function testPackage(
  command: (machine: BareMachine) => readonly string[],
  path: string,
  made: string,
): void {
  test.concurrent('selftest', async ({ machine }) => {
    const { code, stdout, stderr } = await machine.run([...command(machine), 'selftest'], path);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split(/\s+/)[1])).toEqual([
      'build',
      'files',
      'pty',
      'helper',
      'demo',
    ]);
    expect(lines[0]).toContain(made);
    // A warning about the helper is about the machine, which may lack GTK.
    expect(lines.filter((line) => !/^(?:ok {4}|warn {2}helper)/.test(line))).toEqual([]);
  });

  test.concurrent('demo', async ({ machine }) => {
    const { code, stdout, stderr } = await machine.run([...command(machine), 'demo'], path);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Rolling restart complete');
    expect(stdout).toContain('Its alarm stays pinned');
  });

  test.concurrent('status, with a sandy and without', async ({ machine }) => {
    const without = await machine.run([...command(machine), 'status'], path);
    expect(without.code).toBe(69);
    expect(without.stderr).toMatch(/^sandy was not found in PATH/);
    const { sandy } = await machine.addFleet();
    const withIt = await machine.run([...command(machine), 'status'], `${path}:${dirname(sandy)}`);
    expect(withIt).toMatchObject({ code: 0, stderr: '' });
    expect(withIt.stdout).toMatch(/atlas/);
  });
}
