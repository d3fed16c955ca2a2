import type { FleetEvent, NoticeSettings, QuietPolicy } from './events.ts';
import type { KeyedReason, RunEnd, RunOrigin, RunScope } from './finished-run.ts';
import type { Observation, PollMode, SandyInfo } from './observation.ts';
import type { FailedStep } from './session.ts';
import type { Windows } from './windows.ts';

/** A `sandy --update-sessions` of this user that is alive. */
export interface UpdateProcess {
  readonly pid: number;
  /** Started by us: it counts by what it prints, not by being alive. */
  readonly ours: boolean;
  readonly dryRun: boolean;
  /** The workspace it is scoped to, canonical; null for the whole fleet, and where nobody can say. */
  readonly workspace: string | null;
}

/** Everything that can happen to the fleet. Time is always inside; `at` is wall time. */
export type Message = { readonly at: number } & (
  | {
      readonly kind: 'polled';
      /** Counts up within one process; an older or repeated answer is ignored. */
      readonly id: number;
      /** Completion by a clock that no one sets. */
      readonly monoMs: number;
      readonly tookMs: number;
      readonly mode: PollMode;
      readonly observation: Observation;
    }
  /** The answer to `look-for-updates`; null: this machine could not tell. */
  | { readonly kind: 'looked'; readonly processes: readonly UpdateProcess[] | null }
  | { readonly kind: 'sandy-found'; readonly sandy: SandyInfo | null }
  | {
      readonly kind: 'settings-changed';
      readonly windows: Windows;
      readonly notify: NoticeSettings;
      readonly quiet: QuietPolicy;
    }
  /** sandy's folder changed: worth a look, never a fact. */
  | { readonly kind: 'hinted' }
  /** The one slow tick of an idle agent, and its first message. */
  | { readonly kind: 'ticked'; readonly utcOffsetMinutes: number }
  | { readonly kind: 'woke' }
  | { readonly kind: 'refresh-asked' }
  | { readonly kind: 'waiters-changed'; readonly key: string; readonly count: number }
  /** Written before `--stop` is spawned, so that the end that follows is known to be meant. */
  | { readonly kind: 'stop-intended'; readonly key: string }
  /** It still runs: what ends it later was not meant by us. */
  | { readonly kind: 'stop-failed'; readonly key: string }
  | { readonly kind: 'acknowledged'; readonly key: string | null }
  | {
      readonly kind: 'run-began';
      readonly id: string;
      readonly origin: RunOrigin;
      readonly scope: RunScope;
      readonly log: string | null;
    }
  /** What sandy says it will do; `total` is null while a step has not said. */
  | {
      readonly kind: 'run-planned';
      readonly total: number | null;
      readonly skipped: readonly KeyedReason[];
    }
  /** What was asked for and can't be asked of sandy. */
  | { readonly kind: 'run-left-out'; readonly key: string; readonly reason: string }
  /** `hung`: its build has not moved for a quarter of an hour. */
  | { readonly kind: 'run-built'; readonly phase: 'building' | 'hung' }
  | { readonly kind: 'run-restarting'; readonly key: string }
  | { readonly kind: 'run-step-failed'; readonly key: string; readonly step: FailedStep }
  | { readonly kind: 'run-ended'; readonly end: RunEnd }
  /** Somebody looked at the summary of the last run. */
  | { readonly kind: 'run-seen'; readonly id: string }
  /** Our own start failed; `attempt` names it, and `text` says what is known of why. */
  | {
      readonly kind: 'start-failed';
      readonly key: string;
      readonly attempt: string;
      readonly text: string;
    }
  /** A command of ours is over and nobody could see for too long what became of its sessions. */
  | { readonly kind: 'stuck'; readonly keys: readonly string[]; readonly attempt: string }
);

/** What the fleet asks of the world. */
export type Effect =
  /** Something happened. `notice`: a banner is due for it; `held`: quiet hours keep it for the digest. */
  | {
      readonly kind: 'tell';
      readonly event: FleetEvent;
      readonly notice: boolean;
      readonly held: boolean;
    }
  /** Quiet hours are over: one banner for all that they held. */
  | { readonly kind: 'digest'; readonly incident: string; readonly events: readonly FleetEvent[] }
  /** One look for update processes; answered by `looked`. */
  | { readonly kind: 'look-for-updates' };
