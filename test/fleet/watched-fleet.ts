import type { NoticeSettings } from '../../src/fleet/events.ts';
import type { Effect, Message, UpdateProcess } from '../../src/fleet/message.ts';
import { type Model, newModel } from '../../src/fleet/model.ts';
import type {
  BlindReason,
  Lock,
  Observation,
  PollMode,
  SandyInfo,
  SessionSight,
} from '../../src/fleet/observation.ts';
import type { Row } from '../../src/fleet/session.ts';
import { update } from '../../src/fleet/update.ts';
import { type FleetView, type SessionView, view } from '../../src/fleet/view.ts';
import { type Windows, windowsFrom } from '../../src/fleet/windows.ts';

export const defaultWindows: Windows = windowsFrom(
  { pollFullSeconds: 900, returnWindowSeconds: 90, watchMinutes: 15, settleSeconds: 60 },
  1,
);

export const allNotices: NoticeSettings = {
  overnight: true,
  late: true,
  failed: true,
  back: true,
  ended: true,
  progress: true,
};

export const modernSandy: SandyInfo = {
  path: '/home/dev/.local/bin/sandy',
  version: '1.7.0',
  schemaVersion: 1,
  schemaRead: true,
  capabilities: { attach: true, start: true, stop: true, updateSessions: true },
};

export const olderSandy: SandyInfo = {
  ...modernSandy,
  version: '1.1.0',
  capabilities: { ...modernSandy.capabilities, updateSessions: false },
};

/** One that could not say what it can do. */
export const muteSandy: SandyInfo = {
  ...modernSandy,
  schemaVersion: null,
  schemaRead: false,
  capabilities: { attach: false, start: false, stop: false, updateSessions: false },
};

/** Where the wall clock of every test begins. */
export const wallStart = Date.parse('2026-11-29T12:00:00Z');

/** What one look shows of one key. */
export interface Sketch {
  readonly key: string;
  readonly lock: Lock;
  readonly session: Omit<SessionSight, 'key'> | null;
  readonly workspace: string | null;
  readonly workspaceExists: boolean | null;
}

export const held = (pid: number): Lock => ({ kind: 'held', pid, alive: true });
export const heldByDead = (pid: number): Lock => ({ kind: 'held', pid, alive: false });
export const free: Lock = { kind: 'free' };
export const unreadableLock: Lock = { kind: 'unknown' };

export interface ListedDetails {
  /** The n-th life of this session; another number is another container. */
  readonly life?: number;
  readonly clients?: number | null;
  /** This life was made by an update. */
  readonly updated?: boolean;
  readonly lock?: Lock;
  readonly stale?: boolean | null;
  readonly workspace?: string | null;
  readonly workspaceExists?: boolean | null;
}

/** Sandy's stamps for the n-th life: ten seconds apart, the update's two seconds before docker's. */
export const updatedAtOf = (life: number) =>
  `${new Date(wallStart + life * 10_000 - 2000).toISOString().slice(0, 19)}Z`;
export const startedAtOf = (life: number) =>
  `${new Date(wallStart + life * 10_000).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;

/** A key that is listed: ready in its first life unless told otherwise. */
export function listed(key: string, details: ListedDetails = {}): Sketch {
  const { life = 1, clients = 0, updated = false, lock = held(100 + life) } = details;
  const { stale = null, workspace = `/ws/${key}`, workspaceExists = null } = details;
  const incarnation = {
    id: `${key}-${life}`,
    startedAt: startedAtOf(life),
    updatedAt: updated ? updatedAtOf(life) : null,
  };
  return {
    key,
    lock,
    session: { incarnation, attachedClients: clients, imageStale: stale },
    workspace,
    workspaceExists,
  };
}

/** A key whose sandbox is there and whose session is not. */
export function absent(key: string, lock: Lock = free): Sketch {
  return { key, lock, session: null, workspace: `/ws/${key}`, workspaceExists: null };
}

export function sighting(seen: readonly Sketch[], mode: PollMode = 'full'): Observation {
  return {
    kind: 'sighted',
    mode,
    sandyHome: '/home/dev/.sandy',
    sandboxes: seen.map(({ key, lock, workspace, workspaceExists }) => ({
      key,
      lock,
      workspace,
      workspaceExists,
    })),
    sessions: seen.flatMap(({ key, session }) => (session === null ? [] : [{ key, ...session }])),
  };
}

export const anUpdate: UpdateProcess = { pid: 4000, ours: false, dryRun: false, workspace: null };

interface PollDetails {
  /** From the end of the poll before to the end of this one, by the clock that nobody sets. */
  readonly afterMs?: number;
  /** The same by the wall clock, where it differs. */
  readonly wallMs?: number;
  readonly tookMs?: number;
  readonly mode?: PollMode;
}

/** Messages without their time: the fleet under watch fills it in. */
type Untimed<M> = M extends unknown ? Omit<M, 'at'> : never;

/**
 * A fleet under a test's own clocks: it feeds messages in, answers what the fleet asks, and keeps all
 * that the fleet said.
 */
export class WatchedFleet {
  model: Model;
  at = wallStart;
  monoMs = 5000;
  lastPollId = 0;
  readonly effects: Effect[] = [];
  /** How each question for update processes is answered; undefined leaves it open. */
  processes: readonly UpdateProcess[] | null | undefined = [];

  constructor(model: Model = newModel(defaultWindows, allNotices)) {
    this.model = model;
    this.send({ kind: 'sandy-found', sandy: modernSandy });
  }

  send(message: Untimed<Message>): readonly Effect[] {
    const [model, effects] = update(this.model, { ...message, at: this.at } as Message);
    this.model = model;
    this.effects.push(...effects);
    const asked = effects.some((effect) => effect.kind === 'look-for-updates');
    if (!asked || this.processes === undefined) return effects;
    return [...effects, ...this.send({ kind: 'looked', processes: this.processes })];
  }

  poll(observation: Observation, details: PollDetails = {}): readonly Effect[] {
    const { afterMs = 1000, wallMs = afterMs, tookMs = 100, mode = 'full' } = details;
    this.at += wallMs;
    this.monoMs += afterMs;
    this.lastPollId += 1;
    const { lastPollId: id, monoMs } = this;
    return this.send({ kind: 'polled', id, monoMs, tookMs, mode, observation });
  }

  look(seen: readonly Sketch[], details: PollDetails = {}): readonly Effect[] {
    return this.poll(sighting(seen, details.mode), details);
  }

  /** The same look again and again for some time. */
  keepLooking(durationMs: number, seen: readonly Sketch[], everyMs = 1000): readonly Effect[] {
    const effects: Effect[] = [];
    for (let passedMs = 0; passedMs < durationMs; passedMs += everyMs) {
      effects.push(...this.look(seen, { afterMs: everyMs }));
    }
    return effects;
  }

  lookBlindly(details: PollDetails = {}, reason: BlindReason = 'docker-unreachable') {
    return this.poll({ kind: 'blind', reason, text: 'Nothing.', sandboxes: null }, details);
  }

  row(key: string): Row {
    const row = this.model.rows.get(key);
    if (row === undefined) throw new Error(`no row ${key}`);
    return row;
  }

  get view(): FleetView {
    return view(this.model);
  }

  session(key: string): SessionView {
    const session = this.view.sessions.find((candidate) => candidate.key === key);
    if (session === undefined) throw new Error(`no session ${key}`);
    return session;
  }

  get told(): readonly (Effect & { readonly kind: 'tell' })[] {
    return this.effects.flatMap((effect) => (effect.kind === 'tell' ? [effect] : []));
  }

  /** Everything said so far, as `kind key`, with a `!` where a banner was due. */
  get story(): readonly string[] {
    return storyOf(this.effects);
  }
}

export function storyOf(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap((effect) => {
    if (effect.kind === 'digest') return [`digest of ${effect.events.length}`];
    if (effect.kind !== 'tell') return [];
    const { kind, key } = effect.event;
    return [`${kind}${key === null ? '' : ` ${key}`}${effect.notice ? '!' : ''}`];
  });
}
