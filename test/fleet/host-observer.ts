import { jitter, nextPoll } from '../../src/fleet/cadence.ts';
import type { FleetEvent } from '../../src/fleet/events.ts';
import type { Effect, Message, UpdateProcess } from '../../src/fleet/message.ts';
import type { Observation } from '../../src/fleet/observation.ts';
import type { Watching } from './host-arbitraries.ts';
import type { Host } from './host-history.ts';
import { WatchedFleet } from './watched-fleet.ts';

/** One look at a host: what it showed, what it cost, and what the fleet made of it. */
export interface Sample {
  readonly observation: Observation;
  readonly endMs: number;
  /** Since the look before, end to end. */
  readonly gapMs: number;
  /** The most of that gap that may count as awake. */
  readonly capMs: number;
  readonly told: readonly FleetEvent[];
  readonly noticed: readonly FleetEvent[];
  /** The answer to the question for update processes, if this look led to it. */
  readonly looked: readonly UpdateProcess[] | null;
  readonly message: Message;
}

/** Looks at a host as an agent would, and keeps what it saw. */
export class HostObserver {
  readonly fleet = new WatchedFleet();
  readonly samples: Sample[] = [];
  readonly #host: Host;
  readonly #watching: Watching;
  #draws = 0;
  /** The longest wait that was planned since the last look. */
  #plannedMs = 0;

  constructor(host: Host, watching: Watching) {
    this.#host = host;
    this.#watching = watching;
    this.fleet.processes = undefined;
  }

  /** A number in [0, 1) that the generated watching decides. */
  #draw(): number {
    const { chances } = this.#watching;
    this.#draws += 1;
    return (chances[this.#draws % chances.length] ?? 0) / 1000;
  }

  look(): Sample {
    const { fleet } = this;
    const next = nextPoll(fleet.model);
    // Nobody's choice: from two seconds to twenty minutes, more often short.
    const delayMs =
      this.#watching.byWish || this.samples.length === 0
        ? jitter(next, this.#draw())
        : Math.round(2000 + 1_200_000 * this.#draw() ** 6);
    const tookMs = Math.round(50 + 2000 * this.#draw() ** 4);
    const host = this.#host;
    const beganMs = host.now + delayMs;
    const lastEndMs = this.samples.at(-1)?.endMs ?? beganMs + tookMs;
    host.advanceTo(beganMs + tookMs * this.#draw());
    const observation = host.look();
    host.advanceTo(beganMs + tookMs);
    const endMs = host.now;
    fleet.lastPollId += 1;
    const { lastPollId: id } = fleet;
    const polled = {
      kind: 'polled',
      id,
      monoMs: endMs,
      tookMs,
      mode: next.mode,
      observation,
    } as const;
    fleet.at = host.wallClock;
    const capMs = 3 * (this.#plannedMs + tookMs);
    const effects: Effect[] = [...fleet.send(polled)];
    this.#plannedMs = nextPoll(fleet.model).delayMs;
    let looked: readonly UpdateProcess[] | null = null;
    if (effects.some(({ kind }) => kind === 'look-for-updates')) {
      looked = [...host.processes];
      effects.push(...fleet.send({ kind: 'looked', processes: looked }));
      this.#plannedMs = Math.max(this.#plannedMs, nextPoll(fleet.model).delayMs);
    }
    const tells = effects.flatMap((effect) => (effect.kind === 'tell' ? [effect] : []));
    const sample: Sample = {
      observation,
      endMs,
      gapMs: endMs - lastEndMs,
      capMs,
      told: tells.map(({ event }) => event),
      noticed: tells.flatMap(({ event, notice }) => (notice ? [event] : [])),
      looked,
      message: { ...polled, at: fleet.at },
    };
    this.samples.push(sample);
    return sample;
  }
}
