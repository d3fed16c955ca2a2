/** A PATH on which only the terminals are found that a test puts there. */

import {
  accessSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type Fleet,
  readCalls,
  readEvents,
  type Session,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { type Stage, test as stageTest, until } from '../agent/running-agent.ts';
import { expectGone, isRunning } from '../processes.ts';
import { type Ran, type Variables, writeScript } from '../program.ts';

const STAND_IN = join(import.meta.dirname, 'stand-in-terminal.mjs');

/** What the program, the shim and the stand-in sandy call. */
const TOOLS = ['sh', 'stty', 'ps', 'cat', 'env', 'uname', 'id', 'dirname', 'basename', 'sleep'];

export interface Started {
  readonly pid: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly sid: number;
  readonly cwd: string;
}

export interface StandIns {
  readonly stage: Stage;
  /** Where terminals note what happens to them. */
  readonly folder: string;
  /** Variables with which `open` finds only what is added here. */
  readonly variables: Readonly<Record<string, string>>;
  /** Puts a terminal on PATH. */
  add(name: string, kind: 'stays' | 'server' | 'late'): void;
  /** Puts a script on PATH. */
  addScript(name: string, body: string): string;
  /** What a terminal was started with, the first time first. */
  startsOf(name: string): readonly Started[];
  /** Lets a `late` one go on. */
  release(name: string): void;
  /** All that a terminal's window has shown, without sequences; waits for a text in it. */
  shows(name: string, text: string): Promise<string>;
}

/** Like the agent's, with `standIns`; every process that they started is gone when the test ends. */
export const test = stageTest.extend<{ standIns: StandIns }>({
  standIns: async ({ stage }, use) => {
    const folder = join(stage.program.folder, 'terminals');
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const tool of TOOLS) symlinkSync(findTool(tool), join(bin, tool));
    try {
      await use(makeStandIns(stage, folder, bin));
    } finally {
      for (const name of namesIn(folder)) {
        for (const { pid } of readStarts(folder, name)) {
          if (isRunning(pid)) process.kill(pid, 'SIGKILL');
          await expectGone(pid);
        }
      }
    }
  },
});

function makeStandIns(stage: Stage, folder: string, bin: string): StandIns {
  const addScript = (name: string, body: string) => writeScript(join(bin, name), body);
  return {
    stage,
    folder,
    variables: { PATH: bin, DISPLAY: ':stand-in', FROM_THE_OPENER: 'yes' },
    add: (name, kind) => {
      addScript(name, `exec '${process.execPath}' '${STAND_IN}' '${folder}' ${name} ${kind} "$@"`);
    },
    addScript,
    startsOf: (name) => readStarts(folder, name),
    release: (name) => writeFileSync(join(folder, `${name}.go`), ''),
    shows: async (name, text) =>
      (await until(
        () => {
          const shown = readScreens(folder, name);
          return shown.includes(text) ? shown : null;
        },
        () => `${text} in ${readScreens(folder, name)}`,
      )) as string,
  };
}

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.started'))
    .map((file) => file.slice(0, -'.started'.length));
}

function readStarts(folder: string, name: string): Started[] {
  const file = join(folder, `${name}.started`);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function readScreens(folder: string, name: string): string {
  return readdirSync(folder)
    .filter((file) => file.startsWith(`${name}.`) && file.endsWith('.screen'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('')
    .replaceAll(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\].*?(?:\x07|\x1b\\)/gs, '');
}

function findTool(name: string): string {
  for (const folder of (process.env.PATH ?? '/usr/bin:/bin').split(delimiter)) {
    try {
      accessSync(join(folder, name));
      return join(folder, name);
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`no ${name} on this machine`);
}

/** So long that only a terminal that hangs is given up: a busy machine needs seconds for a window. */
export const PATIENT = { SANDY_TRAY_TIME_SCALE: '0.2' };

/** Runs `open` where only the terminals of this test are found. */
export function openIn(
  { stage, variables }: StandIns,
  args: readonly string[],
  more: Variables = {},
): Promise<Ran> {
  return stage.program.run(['open', ...args], { ...variables, ...PATIENT, ...more });
}

/** The arguments of every attach, the oldest first. */
export function attachesOf(fleet: Fleet): readonly (readonly string[])[] {
  return readCalls(fleet.dir)
    .filter(({ argv }) => argv[0] === '--attach')
    .map(({ argv }) => argv);
}

export function attachTo({ workspace }: Session): readonly string[] {
  return ['--attach', '--workspace', workspace];
}

/** Waits until a client is in. */
export async function isAttached(fleet: Fleet, { key, record }: Session): Promise<void> {
  await until(
    () =>
      readEvents(fleet.dir).some(
        (event) => event.why === 'client-attached' && event.record === record,
      ),
    () => `${key} to be attached: ${JSON.stringify(attachesOf(fleet))}`,
  );
}
