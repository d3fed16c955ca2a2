/** The sentences of `update`. */

import type { StatusDocument } from '../control/status-document.ts';
import { countLeftAlone, type KeyedReason } from '../fleet/finished-run.ts';
import {
  countSessions,
  describeTouched,
  texts as fleetTexts,
  formatDuration,
} from '../fleet/texts.ts';
import type { SessionView } from '../fleet/view.ts';
import type { RunOutcome } from '../store/run-record.ts';
import { cleanForeignText } from '../system/foreign-text.ts';

const KEY_CHARACTERS = 60;
const REASON_CHARACTERS = 300;

/** A key comes from outside. */
const shown = (key: string) => cleanForeignText(key, KEY_CHARACTERS);

export const updateTexts = {
  whichToUpdate: 'Name the sessions to update, or say --all, and not both.',
  cancelAlone: '--cancel stands alone.',
  needsYes: 'Nobody can be asked here whether to restart sessions; say --yes, or --dry-run.',
  wrongMinutes: (text: string) =>
    `"${cleanForeignText(text, 20)}" is no number of minutes; --idle-for takes a whole number from 1.`,
  wrongOrigin: (text: string) =>
    `"${cleanForeignText(text, 20)}" is no origin of an update; --origin takes schedule.`,
  really: 'Restart them? [y/N] ',
  declined: 'Nothing was restarted.',
  joined: 'This update is running already; here is what it does.',
  /** `isOurs`: this process is the agent, which goes on with what comes after the command at work. */
  left: (isOurs: boolean) =>
    isOurs
      ? 'What sandy is doing now goes on; what comes after it waits for the next sandy-tray command or agent. `sandy-tray update --cancel` ends it while no session was restarted.'
      : 'The update goes on without this window. `sandy-tray status` shows it; `sandy-tray update --cancel` ends it while no session was restarted.',
  hangs:
    'The image build has not moved for 15 minutes. `sandy-tray update --cancel` ends it; no session is touched.',
  aboutTo: (all: boolean, sessions: readonly SessionView[]) => {
    const stale = sessions.filter(({ imageStale }) => imageStale === true).length;
    const head = all
      ? `All ${countSessions(sessions.length)} are checked; those on a stale image are restarted (${stale} known now).`
      : `${countSessions(sessions.length)} will be updated & restarted where stale.`;
    const rows = sessions.map(({ key, imageStale, attachedClients }) => {
      const image = imageStale === true ? 'stale' : imageStale === false ? 'current' : 'not known';
      const inside = (attachedClients ?? 0) > 0 ? ', somebody is attached now' : '';
      return `  ${shown(key)}  ${image}${inside}`;
    });
    return `${[head, ...rows].join('\n')}\n`;
  },
  /** The live line. */
  line: (
    run: NonNullable<StatusDocument['run']>,
    bar: string,
    elapsedMs: number,
    { count: build, now }: { count: readonly [number, number] | null; now: string | null },
  ) => {
    if (build !== null) {
      const [at, of] = build;
      return `${bar}building ${at} of ${of} · ${formatDuration(elapsedMs)} · ${now}`;
    }
    const [done, total] = run.progress;
    const count = total === null ? `${done} restarted` : `${done} of ${total} restarted`;
    const what =
      run.phase === 'building' && now !== null
        ? `building ${now}`
        : describePhase(run.phase, run.current);
    return `${bar}${count} · ${formatDuration(elapsedMs)} · ${what}`;
  },
  sum: (outcome: RunOutcome | null) => {
    if (outcome === null || outcome.kind === 'lost')
      return 'What it came to is not known. See: sandy-tray status\n';
    const { kind, restarted, failed, skipped, text } = outcome;
    const lines = [
      ...(text === null ? [] : [sayWhy(kind, cleanForeignText(text, REASON_CHARACTERS))]),
      sayHow(outcome),
      ...restarted.map((key) => `  ${shown(key)}  restarted`),
      ...failed.map((one) => listReason(one)),
      ...skipped.map((one) => listReason(one, 'skipped: ')),
    ];
    return `${lines.join('\n')}\n`;
  },
  checkSum: (outcome: RunOutcome | null) => {
    if (outcome === null) return 'What it came to is not known.\n';
    const { candidates, skipped, kind, text } = outcome;
    if (kind !== 'ok')
      return `The check failed: ${cleanForeignText(text ?? kind, REASON_CHARACTERS)}\n`;
    const head =
      candidates.length === 0
        ? 'Nothing would be restarted.'
        : `${countSessions(candidates.length)} would be restarted.`;
    const lines = [
      head,
      ...candidates.map((key) => `  ${shown(key)}  would be restarted`),
      ...skipped.map((one) => listReason(one, 'left as it is: ')),
    ];
    return `${lines.join('\n')}\n`;
  },
} as const;

/** What became of all sessions together. */
function sayHow({ kind, restarted, failed, skipped, text }: RunOutcome): string {
  const isUntouched = restarted.length + failed.length === 0;
  if (kind === 'ok' && isUntouched) return fleetTexts.nothingRestarted(countLeftAlone(skipped));
  if (kind === 'cancelled') return `Cancelled; ${restarted.length} restarted before.`;
  if (kind === 'failed' && text !== null)
    return `${describeTouched(restarted.length, failed.length)}.`;
  return `${restarted.length} restarted, ${failed.length} failed.`;
}

/** The reason of a run that failed is half a sentence; all others have a whole one. */
function sayWhy(kind: RunOutcome['kind'], text: string): string {
  return kind === 'failed' ? `The update failed: ${text}.` : text;
}

/** What a run is doing, in words; one of a newer agent as it is called. */
export function describePhase(phase: string, current: string | null): string {
  switch (phase) {
    case 'building':
      return 'building images';
    case 'hung':
      return 'the image build hangs';
    case 'restarting':
      return current === null
        ? 'restarting'
        : `restarting ${cleanForeignText(current, KEY_CHARACTERS)}`;
    case 'settling':
      return 'seeing what came of it';
    default:
      return cleanForeignText(phase, KEY_CHARACTERS);
  }
}

function listReason({ key, reason }: KeyedReason, before = ''): string {
  return `  ${shown(key)}  ${before}${cleanForeignText(reason, REASON_CHARACTERS)}`;
}
