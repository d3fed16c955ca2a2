import type { ReadySandy } from './client.ts';

/** A program with its arguments, environment and folder, ready to be spawned by any means. */
export interface SandyCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * How a sandy command is started: the only place that knows, so that a sandy on another host can be
 * reached by changing this function. Spawn `file` with `args` as they are; no shell is involved.
 */
export function describeSandyCommand(sandy: ReadySandy, args: readonly string[]): SandyCommand {
  return {
    file: sandy.info.path,
    args,
    environment: sandy.environment,
    cwd: sandy.cwd,
  };
}
