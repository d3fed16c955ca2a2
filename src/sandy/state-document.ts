import type { Lock, SandboxSight, SessionSight } from '../fleet/observation.ts';
import { isJsonObject, type JsonObject } from '../system/json-object.ts';
import {
  daemonField,
  documentFields,
  type Loss,
  readEntry,
  readField,
  sandboxEntry,
  sessionEntry,
} from './contract.ts';

/** What one print-state document says. */
export type StateReading =
  | ({
      readonly kind: 'seen';
      readonly sandyHome: string | null;
      readonly sessions: readonly SessionSight[];
    } & ReadInAnyCase)
  | ({ readonly kind: 'docker-unreachable' } & ReadInAnyCase)
  /** An object, but not print-state's: one of its two lists is missing. */
  | { readonly kind: 'unreadable' };

interface ReadInAnyCase {
  readonly schemaVersion: number | null;
  /** Lock fields are true whether docker answers or not. */
  readonly sandboxes: readonly SandboxSight[];
  /** Each at most once. */
  readonly losses: readonly Loss[];
}

/**
 * Reads a print-state document of any schema version. Unknown fields are ignored, a wrong field costs
 * that field and a wrong entry that entry. Only what decides whether anything was seen at all is
 * strict: a document without its lists must not look like a host without sessions.
 */
export function readStateDocument(document: JsonObject): StateReading {
  const { sandboxes, running_containers: containers } = document;
  if (!Array.isArray(sandboxes)) return { kind: 'unreadable' };

  const losses: Loss[] = [];
  const readTop = <Name extends keyof typeof documentFields>(name: Name) =>
    readField<(typeof documentFields)[Name]['fallback']>(
      name,
      documentFields[name],
      document[name],
      losses,
    );
  const schemaVersion = readTop('schema_version');
  const sandyHome = readTop('sandy_home');
  const dockerReachable = readTop('docker_reachable');
  const readInAnyCase = () => ({
    schemaVersion,
    sandboxes: sandboxes.flatMap((entry: unknown) => readSandbox(entry, losses)),
  });

  if (dockerReachable === false || containers === null) {
    const read = readInAnyCase();
    return { kind: 'docker-unreachable', ...read, losses: dropRepeated(losses) };
  }
  if (!Array.isArray(containers)) return { kind: 'unreadable' };
  const read = readInAnyCase();
  const sessions = containers.flatMap((entry: unknown) => readSession(entry, losses));
  return { kind: 'seen', sandyHome, ...read, sessions, losses: dropRepeated(losses) };
}

function readSandbox(value: unknown, losses: Loss[]): SandboxSight[] {
  const entry = readEntry(sandboxEntry, value, losses);
  if (entry === null || entry.name === null) return [];
  return [
    {
      key: entry.name,
      workspace: entry.workspace_path || null,
      workspaceExists: entry.workspace_exists ?? null,
      lock: readLock(entry.lock_held, entry.lock_holder_pid, entry.lock_holder_alive),
    },
  ];
}

function readLock(
  held: boolean | null,
  holder: string | number | null,
  alive: boolean | null,
): Lock {
  if (held === false) return { kind: 'free' };
  const pid = readPid(holder);
  if (held === null || pid === null || alive === null) return { kind: 'unknown' };
  return { kind: 'held', pid, alive };
}

function readPid(holder: string | number | null): number | null {
  return /^[1-9]\d{0,9}$/.test(String(holder)) ? Number(holder) : null;
}

/** A session is an entry with `daemon: true`; proxies, bare containers and strangers are not. */
function readSession(value: unknown, losses: Loss[]): SessionSight[] {
  if (!isJsonObject(value)) {
    readEntry(sessionEntry, value, losses);
    return [];
  }
  const daemon = value.daemon;
  if (daemon !== true) {
    if (daemon !== false) {
      readField('running_containers[].daemon', daemonField, daemon, losses);
    }
    return [];
  }
  const entry = readEntry(sessionEntry, value, losses);
  const key = entry?.sandbox ?? readKeyFromName(entry?.name ?? null);
  if (!entry || key === null) return [];
  return [
    {
      key,
      incarnation: {
        id: entry.id,
        startedAt: entry.started_at,
        updatedAt: entry.updated_at ?? null,
      },
      attachedClients: entry.attached_clients,
      imageStale: entry.image_stale ?? null,
    },
  ];
}

/** Agents are named `sandy-KEY`. A session that lost its key would look like one that vanished. */
function readKeyFromName(name: string | null): string | null {
  return name === null ? null : (/^sandy-(.+)$/s.exec(name)?.[1] ?? null);
}

function dropRepeated(losses: readonly Loss[]): Loss[] {
  return [...new Map(losses.map((loss) => [loss.id, loss])).values()];
}
