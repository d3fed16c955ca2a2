import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { type BareMachine, test } from './bare-machine.ts';
import { testPackage } from './what-must-work.ts';

const executable = join(import.meta.dirname, '..', '..', 'packages', 'sandy-tray-linux-x64');
const NO_PATH = '/nonexistent';
const runtimeOf = ({ home }: BareMachine) => join(home, '.local/share/sandy-tray/runtime');

describe('the executable for linux-x64, with no Node on PATH', () => {
  testPackage(() => [executable], NO_PATH, 'one-file executable');

  test.concurrent('says its version and commit', async ({ machine }) => {
    const { stdout } = await machine.run([executable, '--version'], NO_PATH);
    expect(stdout).toMatch(/^sandy-tray \d+\.\d+\.\d+ \([0-9a-f]{7,40}(?:-dirty)?\)\n$/);
    expect(stdout).toContain(packageJson.version);
    // It needs none of its files for that.
    expect(readdirSync(machine.home)).toEqual([]);
  });

  test.concurrent('is not led by what NODE_OPTIONS says', async ({ machine }) => {
    const more = { NODE_OPTIONS: '--require /nonexistent/script.js' };
    const { code } = await machine.run([executable, '--version'], NO_PATH, more);
    expect(code).toBe(0);
  });

  test.concurrent('runs no script but its own, whole', async ({ machine }) => {
    const script = join(machine.folder, 'fixtures', 'fake-sandy', 'sandy');
    mkdirSync(join(script, '..'), { recursive: true });
    copyFileSync(join(import.meta.dirname, '../../fixtures/fake-sandy/sandy'), script);
    const { code, stderr } = await machine.run([executable, script, '--version'], NO_PATH);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^There is no command/);
  });

  test.concurrent('installs itself, and nothing that it unpacked', async ({ machine }) => {
    const { code, stdout } = await machine.run([executable, 'install', '--print'], NO_PATH);
    expect(code).toBe(0);
    const starts = stdout.split('\n').filter((line) => /^Exec(?:Start)?=/.test(line));
    expect(starts.length).toBeGreaterThan(0);
    for (const line of starts) {
      expect(line.replaceAll('"', '')).toMatch(new RegExp(`${executable} run$`));
      expect(line).not.toContain('runtime');
    }
  });

  test.concurrent('an agent removes what an older one left, and nothing else', async ({
    machine,
  }) => {
    const runtime = runtimeOf(machine);
    const old = '0.0.1-0123456789ab';
    mkdirSync(join(runtime, old), { recursive: true, mode: 0o700 });
    mkdirSync(join(runtime, 'notes'));
    const agent = machine.start([executable, 'run', '--no-tray'], NO_PATH);
    if (agent.stdout === null) throw new Error('no output');
    for await (const line of createInterface({ input: agent.stdout })) {
      if (line.startsWith('Watching')) break;
    }
    expect(readdirSync(runtime)).toEqual(['notes']);
  });
});
