/** The exit codes that several commands share. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  needsPerson: 3,
  unavailable: 69,
  busy: 75,
  /** As a shell says it of Ctrl-C. */
  interrupted: 130,
} as const;

/** One command of the command line. Its file is loaded when it is called. */
export interface Command {
  /** After the program's name, as in `status [--json]`. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `COMMAND --help` prints below the usage. */
  readonly details: readonly string[];
  readonly load: () => Promise<{ readonly run: CommandRun }>;
}

/** All that there are, by name. */
export type Commands = Readonly<Record<string, Command>>;

/** Runs a command with the arguments after its name; resolves to the exit code. */
export type CommandRun = (args: readonly string[], commands: Commands) => Promise<number>;

/** Wrong usage: what is wrong in one sentence. The right form is added by whoever reports it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** By name: what is bundled apart has a class of its own. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === 'UsageError';
}
