import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';

/** Whether a process runs; one that has ended but that nobody has collected does not. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  const state = stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

/** Waits until a script has written its number to a file. */
export async function readPid(path: string): Promise<number> {
  await vi.waitFor(
    () => expect(existsSync(path) && readFileSync(path, 'utf8')).toMatch(/^\d+\n$/),
    {
      timeout: 20_000,
    },
  );
  return Number(readFileSync(path, 'utf8'));
}

/** Waits until a process is gone. */
export async function expectGone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
}
