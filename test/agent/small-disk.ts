import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { SavedFleet } from '../../src/store/saved-fleet.ts';
import { PROGRAM, type Program, type Variables } from '../program.ts';
import { test as agentTest } from './agent-process.ts';

/** The agent's folder on a disk of its own, which only what runs `through` it can see. */
export interface SmallDisk {
  readonly through: readonly string[];
  /** Takes all the room that is left, and gives it back. */
  fill(): void;
  free(): void;
  /** Makes it read-only, and writable again. */
  freeze(): void;
  thaw(): void;
  read(name: string): string;
  /** What the state file says; null before there is one. */
  readSaved(): SavedFleet | null;
  /** What the program prints. */
  run(args: readonly string[], variables?: Variables): Promise<string>;
}

export const test = agentTest.extend<{ disk: SmallDisk }>({
  disk: async ({ program }, use) => {
    const folder = program.ownFolder;
    mkdirSync(folder);
    const mount = `mount -t tmpfs -o size=256k,mode=700 none "$1" && echo $$ && exec cat`;
    const holder = spawn('unshare', ['-m', 'sh', '-c', mount, 'sh', folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await use(makeDisk(program, await hearPid(holder)));
    } finally {
      // Its mounts go with the last process in the namespace.
      holder.stdin?.end();
    }
  },
});

async function hearPid({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('the disk could not be made');
}

function makeDisk({ ownFolder: folder, environment }: Program, pid: string): SmallDisk {
  const through = ['nsenter', '-t', pid, '-m'];
  const run = (script: string, ...args: readonly string[]): string => {
    const [file = '', ...rest] = [...through, 'sh', '-c', script, 'sh', folder, ...args];
    const { stdout, stderr, status } = spawnSync(file, rest, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${script}: ${stderr}`);
    return stdout;
  };
  return {
    through,
    fill: () => run('cat /dev/zero > "$1/filler" 2>/dev/null || true'),
    free: () => run('rm "$1/filler"'),
    freeze: () => run('mount -o remount,ro "$1"'),
    thaw: () => run('mount -o remount,rw "$1"'),
    read: (name) => run('cat "$1/$2"', name),
    readSaved: () => JSON.parse(run('cat "$1/state.json" 2>/dev/null || echo null')),
    run: async (args, variables = {}) => {
      const [file = '', ...rest] = [...through, process.execPath, PROGRAM, ...args];
      const env = { ...environment, ...variables };
      return (await promisify(execFile)(file, rest, { env })).stdout;
    },
  };
}
