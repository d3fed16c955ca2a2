import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

export interface Bundle {
  readonly file: string;
  remove(): void;
}

/** Bundles a TypeScript file into one that Node runs; return its `remove` from `beforeAll`. */
export async function bundleScript(entry: string): Promise<Bundle> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-script-')));
  const file = join(folder, 'script.mjs');
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.12',
    // As in the program's own build: some packages ask for Node's own by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A Node process that talks in lines of JSON. */
export interface Script {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The next thing that it says; rejects when it ends without. */
  hear(): Promise<unknown>;
  tell(word: string): void;
  /** The name of the signal that ended it, or its exit code. */
  readonly ended: Promise<string | number>;
}

export interface ScriptOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a script; it is killed when the test ends. */
export function startScript(
  file: string,
  args: readonly string[],
  options: ScriptOptions = {},
): Script {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options,
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = new Promise<string | number>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? -1));
  });
  // One that was killed does not listen any more.
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    child,
    ended,
    hear: async () => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the script ended');
      return JSON.parse(value);
    },
    tell: (word) => {
      child.stdin.write(`${word}\n`);
    },
  };
}
