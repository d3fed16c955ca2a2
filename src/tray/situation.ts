/** What decides which rows can act now, and the words for why one can't. */

import { type FleetView, isMute, type SessionView } from '../fleet/view.ts';
import { nameBriefly } from './labels.ts';
import { texts } from './texts.ts';

/** What a picture shows besides the fleet. */
export interface TrayExtras {
  /** The switches of the notifications by preference (`notify.late`), in the order to show them. */
  readonly notices: ReadonlyMap<string, boolean>;
  /** The last run whose summary was looked at; null: none was. */
  readonly seenRunId: string | null;
  /** An instant as people here say it: `03:08`, `Mon 09:10`, `2026-11-29`. */
  readonly formatTime: (iso: string) => string;
  /** Whether it fell in the night before today. */
  readonly isLastNight: (iso: string) => boolean;
  /** What the agent has to do without, one sentence each. */
  readonly agentTroubles: readonly string[];
  /** What came of a click of a moment ago, and when; null: it shows by itself. */
  readonly answer: string | null;
  /** What is being done with sandy now, as far as it is known here; null: nothing. */
  readonly work: Work | null;
}

export interface Work {
  readonly op: 'update' | 'check' | 'start' | 'stop';
  /** The sessions concerned; null: all of them. */
  readonly keys: readonly string[] | null;
  /** An instant. */
  readonly since: string;
}

/** Whether sandy can be told to do something now; sessions have their own reasons besides. */
export interface Situation {
  readonly fleet: FleetView;
  readonly extras: TrayExtras;
}

/** What needs what: the flag in sandy's own list, and the version it came with. */
const needs = {
  open: { capability: 'attach', version: '1.1.0' },
  start: { capability: 'start', version: '1.1.0' },
  stop: { capability: 'stop', version: '1.1.0' },
  update: { capability: 'update-sessions', version: '1.2.0' },
} as const;

export type Deed = keyof typeof needs;

/** Why this sandy can't do it, now or ever; null: it can. `key`: the session that it is about, if one. */
export function explainSandy(
  deed: Deed,
  { fleet, extras }: Situation,
  key: string | null = null,
): string | null {
  const { sandy } = fleet;
  if (sandy === null)
    return fleet.checkedAt === null && !isBlind(fleet) ? texts.isBlind : texts.noSandy;
  const { capability, version } = needs[deed];
  // One that could not say what it can do is no old one.
  if (!isMute(sandy) && !sandy.capabilities.includes(capability)) return texts.needs(version);
  // A terminal waits by itself until sandy can be asked again.
  if (deed === 'open') return null;
  if (isBlind(fleet) || fleet.checkedAt === null) return texts.isBlind;
  return isBusy(fleet) ? texts.updateRuns : explainWork(deed, key, extras.work);
}

/** One thing is done at a time. */
function explainWork(deed: Deed, key: string | null, work: Work | null): string | null {
  if (work === null) return null;
  const [other = null] = work.keys ?? [];
  switch (work.op) {
    case 'update':
      return texts.updateRuns;
    case 'check':
      return texts.checkRuns;
    case 'start':
      // A stop waits until the session is there.
      if (deed === 'stop' && key !== null && key === other) return null;
      return texts.beingStarted(nameBriefly(other ?? ''));
    case 'stop':
      return texts.beingStopped(nameBriefly(other ?? ''));
  }
}

/** Why a session can't be acted on; null: it can. */
export function explainSession(
  deed: Deed,
  session: SessionView,
  situation: Situation,
): string | null {
  const why =
    explainSandy(deed, situation, session.key) ??
    explainFolder(session) ??
    explainState(deed, session);
  if (why !== null) return why;
  return session.actions.includes(deed) ? null : texts.notNow;
}

/** Why a session can't be started by a person in a terminal, which is allowed while it is overdue too. */
export function explainTerminalStart(
  session: SessionView | undefined,
  situation: Situation,
): string | null {
  const why = explainSandy('start', situation);
  if (why !== null || session === undefined) return why ?? texts.notNow;
  if (session.state === 'missing' || session.state === 'overdue') return explainFolder(session);
  return explainFolder(session) ?? explainState('start', session);
}

function explainFolder({ health, workspace }: SessionView): string | null {
  if (health.includes('conflict')) return texts.isConflict;
  if (health.includes('workspace-missing')) return texts.hasNoFolder;
  return workspace === null ? texts.hasNoKnownFolder : null;
}

function explainState(deed: Deed, { state }: SessionView): string | null {
  switch (state) {
    case 'running':
    case 'detached':
    case 'ending':
      return deed === 'start' ? texts.isRunning : null;
    case 'starting':
      return deed === 'start' || deed === 'update' ? texts.isStarting : null;
    case 'missing':
    case 'overdue':
      return deed === 'open' ? null : texts.isAway;
    case 'ended':
    case 'stopped':
    case 'down':
      return deed === 'start' ? null : texts.notRunning;
  }
}

export function isBlind(fleet: FleetView): boolean {
  return fleet.blindSince !== null;
}

/** A run whose commands are over leaves room for another while its last sessions settle. */
function isBusy({ run }: FleetView): boolean {
  return run !== null && run.phase !== 'settling';
}
