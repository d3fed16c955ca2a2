import { homedir } from 'node:os';
import { isatty } from 'node:tty';
import type { SandyInfo } from '../fleet/observation.ts';
import type { Environment } from './environment.ts';
import type { FileIdentity } from './finding.ts';

/** Where a client looks and what it stands on. */
export interface SandyOptions {
  /** The preference `sandyPath`: an absolute path, or null to look for sandy. */
  readonly sandyPath: string | null;
  /** Where the flags of a known sandy are kept between starts; null keeps them in memory only. */
  readonly stateFolder: string | null;
  /** This process's environment by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** One poll in flight on this host, and its answer for all who ask: for processes without an agent. */
  readonly sharesPolls?: boolean;
  /** Whether a person's terminal is attached, whose environment is then a login one already. */
  readonly onTerminal?: boolean;
}

/** Something worth a line in the log, told once per process. */
export interface Warning {
  /** Stable: the same loss has the same id whenever it happens. */
  readonly id: string;
  readonly text: string;
}

/** A sandy that was found, identified and asked what it can do. */
export interface ReadySandy {
  readonly kind: 'ready';
  readonly info: SandyInfo;
  /** Whether its print-state has a light mode. */
  readonly hasLightMode: boolean;
  readonly environment: Environment;
  /** An existing folder; sandy refuses to run in a deleted one. */
  readonly cwd: string;
}

/** Why sandy can't be used: one sentence on what is wrong and one on what to do. */
export interface UnusableSandy {
  readonly kind: 'unusable';
  readonly reason: 'sandy-missing' | 'sandy-failed' | 'timed-out' | 'too-large';
  readonly text: string;
}

export type SandyReadiness = ReadySandy | UnusableSandy;

/** One host's sandy and what this process has learnt about it. Made by {@link createSandy}. */
export interface Sandy {
  readonly options: Required<SandyOptions>;
  /** Written by this room only. */
  readonly memory: SandyMemory;
}

export interface SandyMemory {
  /** Null until the environment was put together. */
  environment: { readonly value: Environment; readonly loginShellFailed: boolean } | null;
  /** The sandy asked last, and the file that it was then. */
  known: {
    readonly file: FileIdentity;
    readonly info: SandyInfo;
    readonly hasLightMode: boolean;
  } | null;
  /** The preparation that is going on: whoever comes meanwhile joins it. */
  preparing: Promise<SandyReadiness> | null;
  /** How many sessions a poll must be given time for. */
  expectedSessions: number;
  readonly toldIds: Set<string>;
  untold: Warning[];
}

/** Makes a client; runs nothing yet. One per host and process, since it remembers what it has told. */
export function createSandy(options: SandyOptions): Sandy {
  return {
    options: {
      environment: process.env,
      sharesPolls: false,
      onTerminal: [0, 1, 2].some((stream) => isatty(stream)),
      ...options,
    },
    memory: {
      environment: null,
      known: null,
      preparing: null,
      expectedSessions: 0,
      toldIds: new Set(),
      untold: [],
    },
  };
}

/** The home folder that sandy is to have. */
export function findHome(sandy: Sandy): string {
  return sandy.options.environment.HOME || homedir();
}

/** Remembers a warning for the next look to hand out, unless this process has told it before. */
export function warnOnce(sandy: Sandy, warning: Warning): void {
  const { memory } = sandy;
  if (memory.toldIds.has(warning.id)) return;
  memory.toldIds.add(warning.id);
  memory.untold.push(warning);
}

/** Hands out what there is to tell, once. */
export function takeWarnings(sandy: Sandy): readonly Warning[] {
  return sandy.memory.untold.splice(0);
}

/** What is known of the sandy asked last; null before the first look and when it can't be used. */
export function knownSandy(sandy: Sandy): SandyInfo | null {
  return sandy.memory.known?.info ?? null;
}
