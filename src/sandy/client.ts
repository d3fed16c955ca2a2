import type { SandyInfo } from '../fleet/observation.ts';

/** Where a client looks and what it stands on. Everything but `stateFolder` has a sensible default. */
export interface SandyOptions {
  /** The preference `sandyPath`: an absolute path, or null to look for sandy. */
  readonly sandyPath: string | null;
  /** Where the flags of a known sandy are kept between starts; null keeps them in memory only. */
  readonly stateFolder: string | null;
  /** This process's environment by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether a person's terminal is attached, whose environment is then a login one already. */
  readonly onTerminal?: boolean;
}

/** A program with its arguments, environment and folder, ready to be spawned by any means. */
export interface SandyCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A sandy that can be used, or one sentence on what is wrong and one on what to do. */
export type SandyReadiness =
  | { readonly kind: 'ready'; readonly info: SandyInfo }
  | {
      readonly kind: 'unusable';
      readonly reason: 'sandy-missing' | 'sandy-failed' | 'timed-out' | 'too-large';
      readonly text: string;
    };
