/**
 * A host as it really is, for tests that watch it: sessions that are stopped, started, updated, quit and
 * lost, by sandy's own timings, and a docker that goes away. Written from sandy's contract alone; it knows
 * nothing of how the fleet concludes anything.
 */

import type { UpdateProcess } from '../../src/fleet/message.ts';
import type { Lock, Observation } from '../../src/fleet/observation.ts';

/** One thing that somebody does to the host, and when. All times are milliseconds. */
export type Deed = { readonly afterMs: number } & (
  | {
      readonly kind: 'stop';
      readonly who: number;
      readonly goneMs: number;
      readonly lingerMs: number;
    }
  | { readonly kind: 'start'; readonly who: number; readonly step: StartStep }
  | { readonly kind: 'quit'; readonly who: number; readonly removedMs: number }
  | {
      readonly kind: 'update';
      readonly steps: readonly UpdateStep[];
      readonly buildMs: number;
      readonly scopedTo: number | null;
    }
  | { readonly kind: 'dry-run'; readonly tookMs: number }
  | { readonly kind: 'docker-away'; readonly forMs: number }
  | { readonly kind: 'attach'; readonly who: number; readonly clients: number }
);

/** The parts of one start: the lock is taken, the container is listed, the inner session answers. */
export interface StartStep {
  readonly lockedMs: number;
  readonly listedMs: number;
  readonly readyMs: number;
  readonly outcome: 'ready' | 'dies-early' | 'never-ready';
}

export interface UpdateStep extends StartStep {
  readonly who: number;
  readonly goneMs: number;
  readonly lingerMs: number;
  readonly pauseMs: number;
}

interface Life {
  readonly id: string;
  readonly startedAt: number;
  readonly updatedAt: number | null;
}

interface Session {
  readonly key: string;
  life: Life | null;
  /** Null while nothing inside answers. */
  clients: number | null;
  holder: number | null;
  /** Somebody is doing something to it: sandy's commands don't mix. */
  busy: boolean;
}

/** Where every host's clock begins. */
const epoch = Date.parse('2026-11-29T00:00:00Z');

const toStamp = (at: number) =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
const toIso = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

export class Host {
  readonly sessions: readonly Session[];
  now = 0;
  dockerIsAway = false;
  processes: UpdateProcess[] = [];
  #due: { readonly at: number; readonly order: number; readonly act: () => void }[] = [];
  #count = 0;

  constructor(count: number, deeds: readonly Deed[]) {
    this.sessions = Array.from({ length: count }, (_, index) => ({
      key: `s${index}`,
      life: { id: `s${index}.0`, startedAt: -3_600_000, updatedAt: null },
      clients: 0,
      holder: this.#next(),
      busy: false,
    }));
    let at = 0;
    for (const deed of deeds) {
      at += deed.afterMs;
      this.#at(at, () => this.#do(deed));
    }
  }

  get wallClock(): number {
    return epoch + this.now;
  }

  /** Lets time pass, and everything that is due with it. */
  advanceTo(time: number): void {
    for (;;) {
      this.#due.sort((a, b) => a.at - b.at || a.order - b.order);
      const [first] = this.#due;
      if (first === undefined || first.at > time) break;
      this.#due.shift();
      this.now = first.at;
      first.act();
    }
    this.now = time;
  }

  /** Nothing is due any more: the host stays as it is. */
  get isQuiet(): boolean {
    return this.#due.length === 0;
  }

  look(): Observation {
    const sandboxes = this.sessions.map(({ key, holder }) => {
      const lock: Lock =
        holder === null ? { kind: 'free' } : { kind: 'held', pid: holder, alive: true };
      return { key, workspace: `/ws/${key}`, workspaceExists: true, lock };
    });
    if (this.dockerIsAway) {
      return { kind: 'blind', reason: 'docker-unreachable', text: 'Docker is away.', sandboxes };
    }
    const sessions = this.sessions.flatMap(({ key, life, clients }) => {
      if (life === null) return [];
      const incarnation = {
        id: life.id,
        startedAt: toStamp(epoch + life.startedAt),
        updatedAt: life.updatedAt === null ? null : toIso(epoch + life.updatedAt),
      };
      return [{ key, incarnation, attachedClients: clients, imageStale: null }];
    });
    return { kind: 'sighted', mode: 'full', sandyHome: '/home/dev/.sandy', sandboxes, sessions };
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }

  #at(at: number, act: () => void): void {
    this.#due.push({ at, order: this.#next(), act });
  }

  #in(delayMs: number, act: () => void): void {
    this.#at(this.now + delayMs, act);
  }

  #do(deed: Deed): void {
    switch (deed.kind) {
      case 'stop': {
        const session = this.#take(deed.who, (one) => one.life !== null);
        if (session === undefined) return;
        this.#stop(session, deed, () => {
          session.busy = false;
        });
        return;
      }
      case 'start': {
        const session = this.#take(deed.who, (one) => one.life === null);
        if (session === undefined) return;
        this.#start(session, deed.step, null, () => {
          session.busy = false;
        });
        return;
      }
      case 'quit': {
        const session = this.#take(deed.who, (one) => one.life !== null);
        if (session === undefined) return;
        session.clients = null;
        this.#in(deed.removedMs, () => {
          session.life = null;
          this.#in(500, () => {
            session.holder = null;
            session.busy = false;
          });
        });
        return;
      }
      case 'update':
        this.#update(deed);
        return;
      case 'dry-run': {
        const process = { pid: this.#next(), ours: false, dryRun: true, workspace: null };
        this.processes.push(process);
        this.#in(deed.tookMs, () => this.#end(process));
        return;
      }
      case 'docker-away':
        this.dockerIsAway = true;
        this.#in(deed.forMs, () => {
          this.dockerIsAway = false;
        });
        return;
      case 'attach': {
        const session = this.sessions[deed.who % this.sessions.length];
        if (session?.life != null && session.clients !== null) session.clients = deed.clients;
        return;
      }
    }
  }

  #take(who: number, isFit: (session: Session) => boolean): Session | undefined {
    const session = this.sessions[who % this.sessions.length];
    if (session === undefined || session.busy || !isFit(session)) return undefined;
    session.busy = true;
    return session;
  }

  #end(process: UpdateProcess): void {
    this.processes = this.processes.filter((other) => other !== process);
  }

  /** Sandy's own order: the agent's container goes first, the lock last. */
  #stop(
    session: Session,
    { goneMs, lingerMs }: { goneMs: number; lingerMs: number },
    then: () => void,
  ) {
    if (goneMs > 600) {
      this.#in(goneMs - 500, () => {
        session.clients = null;
      });
    }
    this.#in(goneMs, () => {
      session.life = null;
      session.clients = null;
      this.#in(lingerMs, () => {
        session.holder = null;
        then();
      });
    });
  }

  #start(session: Session, step: StartStep, updatedAt: number | null, then: () => void): void {
    this.#in(step.lockedMs, () => {
      session.holder = this.#next();
      this.#in(step.listedMs, () => {
        if (step.outcome === 'dies-early') {
          session.holder = null;
          then();
          return;
        }
        session.life = { id: `${session.key}.${this.#next()}`, startedAt: this.now, updatedAt };
        session.clients = null;
        this.#in(step.readyMs, () => {
          if (step.outcome === 'ready') session.clients = 0;
          then();
        });
      });
    });
  }

  #update(deed: Deed & { readonly kind: 'update' }): void {
    const scope = deed.scopedTo === null ? null : deed.scopedTo % this.sessions.length;
    const process: UpdateProcess = {
      pid: this.#next(),
      ours: false,
      dryRun: false,
      workspace: scope === null ? null : `/ws/s${scope}`,
    };
    this.processes.push(process);
    const steps = deed.steps.filter(
      ({ who }) => scope === null || who % this.sessions.length === scope,
    );
    const restartNext = (index: number): void => {
      const step = steps[index];
      if (step === undefined) {
        this.#end(process);
        return;
      }
      const next = () => this.#in(step.pauseMs, () => restartNext(index + 1));
      const session = this.#take(step.who, (one) => one.life !== null);
      if (session === undefined) {
        next();
        return;
      }
      this.#stop(session, step, () => {
        this.#start(session, step, this.now, () => {
          session.busy = false;
          next();
        });
      });
    };
    this.#in(deed.buildMs, () => restartNext(0));
  }
}
