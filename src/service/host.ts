import { type ChildOutcome, runChild } from '../system/spawning.ts';
import { keepDefined } from '../system/variables.ts';

/** The machine and the user whose services are concerned. */
export interface Host {
  readonly platform: NodeJS.Platform;
  /** Of this process: how `systemctl` and the rest are found, and what they find. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly uid: number;
  /** By which every wait is divided. */
  readonly timeScale: number;
}

/** A program and its arguments. */
export type Argv = readonly [string, ...string[]];

/** Ending a service may take the ten seconds that its file gives it. */
const LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Runs a command of the service manager, or one that shows what there is. */
export function runCommand(host: Host, [file, ...args]: Argv): Promise<ChildOutcome> {
  return runChild({
    file,
    args,
    environment: keepDefined(host.environment),
    cwd: '/',
    limitMs: LIMIT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    killing: 'child',
  });
}

/** What it printed, where it went well; else null. */
export async function askCommand(host: Host, argv: Argv): Promise<string | null> {
  const outcome = await runCommand(host, argv);
  return outcome.kind === 'exited' && outcome.code === 0 ? outcome.stdout : null;
}
