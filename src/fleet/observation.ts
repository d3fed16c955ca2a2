/**
 * What one look at sandy showed, in the fleet's own words. `src/sandy` makes these from print-state;
 * nothing in here knows sandy's field names.
 */

export type PollMode = 'light' | 'full';

/** A look that saw the whole host, or one that saw nothing. There is no third kind. */
export type Observation = Sighting | Blindness;

export interface Sighting {
  readonly kind: 'sighted';
  readonly mode: PollMode;
  readonly sandyHome: string | null;
  /** Every sandbox on the host, running or not, by its key. */
  readonly sandboxes: readonly SandboxSight[];
  /** Daemon sessions only: proxies, bare containers and strangers are left out. Newest first. */
  readonly sessions: readonly SessionSight[];
}

/** Why a look saw nothing. Blind is not gone: none of these says anything about a session. */
export type BlindReason =
  | 'docker-unreachable'
  | 'sandy-missing'
  | 'sandy-failed'
  | 'timed-out'
  | 'unreadable'
  | 'too-large';

export interface Blindness {
  readonly kind: 'blind';
  readonly reason: BlindReason;
  /** One sentence on what is wrong and one on what to do, cleaned for people. */
  readonly text: string;
  /** sandy's lock fields stay true while docker is away; present when the document could be read. */
  readonly sandboxes: readonly SandboxSight[] | null;
}

/** A sandbox's lock. `unknown`: held, but by whom can't be read (an instant while it is taken). */
export type Lock =
  | { readonly kind: 'free' }
  | { readonly kind: 'held'; readonly pid: number; readonly alive: boolean }
  | { readonly kind: 'unknown' };

export interface SandboxSight {
  readonly key: string;
  /** Absolute path, or null where sandy doesn't know it (a legacy sandbox). */
  readonly workspace: string | null;
  /** Null where this sandy can't say (before 1.8). */
  readonly workspaceExists: boolean | null;
  readonly lock: Lock;
}

/**
 * Which life of a session this is. Any stop and start makes a new one; a docker restart does not.
 * Null parts are fields that this sandy doesn't have or that were unreadable.
 */
export interface Incarnation {
  readonly id: string | null;
  /** The container's creation, as sandy prints it under TZ=UTC. */
  readonly startedAt: string | null;
  /** Set by an update restart for the life of the container; null after a start by hand. */
  readonly updatedAt: string | null;
}

export interface SessionSight {
  readonly key: string;
  readonly incarnation: Incarnation;
  /** Integer: the inner session answers and this many clients are in. Null: it gives no answer. */
  readonly attachedClients: number | null;
  /** Only full mode knows; null when it can't tell or in light mode. */
  readonly imageStale: boolean | null;
}

/** What this sandy can do, from its own list of flags. */
export interface Capabilities {
  readonly attach: boolean;
  readonly start: boolean;
  readonly stop: boolean;
  readonly updateSessions: boolean;
}

/** The sandy in use. */
export interface SandyInfo {
  readonly path: string;
  /** The full version as `sandy --version` prints it. */
  readonly version: string;
  readonly schemaVersion: number | null;
  /** False: it could not say what it can do, so that its capabilities say nothing. */
  readonly schemaRead: boolean;
  readonly capabilities: Capabilities;
}

/** Whether sessions may come back from an update: only one that says it has none has none. */
export function mayUpdate(sandy: Pick<SandyInfo, 'schemaRead' | 'capabilities'> | null): boolean {
  return sandy === null || !sandy.schemaRead || sandy.capabilities.updateSessions;
}
