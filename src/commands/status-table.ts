import type { StatusDocument } from '../control/status-document.ts';
import { countSessions, describeTouched, texts as fleetTexts } from '../fleet/texts.ts';
import { type FleetView, isMute, type SessionView } from '../fleet/view.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { formatMoment } from '../system/local-time.ts';
import { describeCure } from '../tray/cures.ts';
import { texts } from './texts.ts';
import { describePhase } from './update-texts.ts';

/** Where and when a table is read. */
export interface Reader {
  readonly now: Date;
  readonly home: string | null;
}

const REASON_CHARACTERS = 300;

const headings = ['SESSION', 'STATE', 'IMAGE', 'CLIENTS', 'STARTED', 'UPDATED', 'WORKSPACE'];

/** The fleet as a person reads it: one line a session, what needs a person, one line of sums. */
export function drawStatus(fleet: StatusDocument, reader: Reader): string {
  const rows = fleet.sessions.map((session) => drawCells(session, reader));
  const notes = fleet.sessions.flatMap(drawNote);
  const lines = [
    ...(rows.length > 0 ? alignColumns([headings, ...rows]) : []),
    ...notes,
    ...drawLimits(fleet),
    ...drawRun(fleet, reader),
    drawSum(fleet, reader),
    ...drawTray(fleet),
    ...(fleet.agent?.troubles ?? []).map((trouble) => cleanForeignText(trouble, 400)),
  ];
  return `${lines.join('\n')}\n`;
}

function drawCells(session: SessionView, reader: Reader): string[] {
  return [
    cleanForeignText(session.key, 60),
    session.state,
    session.imageStale === null ? '-' : session.imageStale ? 'stale' : 'current',
    session.attachedClients === null ? '-' : String(session.attachedClients),
    formatMoment(session.startedAt, reader.now),
    formatMoment(session.updatedAt, reader.now),
    session.workspace === null ? '-' : shortenHome(session.workspace, reader.home),
  ];
}

/** Why a row is as it is, where that is not plain from its state. */
function drawNote({ key, reason }: SessionView): string[] {
  if (reason === null) return [];
  const sentence = reason.startsWith(key) ? reason : `${key}: ${reason}`;
  return [`  ${cleanForeignText(sentence, 400)}`];
}

/** What an old sandy cannot do, and the version that can. */
function drawLimits({ sandy }: FleetView): string[] {
  if (sandy === null) return [];
  // It could not say what it can do; the look's own warning tells that.
  if (isMute(sandy)) return [];
  const version = cleanForeignText(sandy.version, 60);
  if (!sandy.capabilities.includes('attach')) return [texts.noDaemon(version)];
  if (!sandy.capabilities.includes('update-sessions')) return [texts.noUpdates(version)];
  return [];
}

function drawSum(fleet: StatusDocument, { now }: Reader): string {
  const running = fleet.sessions.filter(({ attachedClients: clients }) => clients !== null).length;
  const stale = fleet.sessions.filter((session) => session.imageStale === true).length;
  const parts = [countSessions(running)];
  if (stale > 0) parts.push(`${stale} on a stale image`);
  if (fleet.failures.length > 0) {
    parts.push(fleet.failures.length === 1 ? '1 failure' : `${fleet.failures.length} failures`);
  }
  const counts = `${parts.join(', ')}.`;
  if (fleet.blindSince !== null) {
    const since = formatMoment(fleet.blindSince, now);
    const headline =
      fleet.docker === 'unreachable' ? fleetTexts.dockerGone(since) : texts.blind(since);
    const last =
      fleet.checkedAt === null ? '' : ` Last seen ${formatMoment(fleet.checkedAt, now)}: ${counts}`;
    return `${headline}; nothing is known of the sessions now.${last}`;
  }
  const images =
    fleet.imagesCheckedAt === null ? '' : `, images ${formatMoment(fleet.imagesCheckedAt, now)}`;
  return `${counts} Checked ${formatMoment(fleet.checkedAt, now)}${images}. ${drawAgent(fleet)}`;
}

function drawAgent({ agent }: StatusDocument): string {
  return agent === null ? 'No agent is running; this was one look.' : `Agent ${agent.pid}.`;
}

/** Why the agent's icon is not to be seen, and what mends that. */
function drawTray({ agent }: StatusDocument): string[] {
  const cure = agent === null ? null : (agent.trayReason ?? describeCure(agent.tray));
  return cure === null ? [] : [cure];
}

/** The run in progress, or what the last one came to. */
function drawRun({ run, lastRun }: FleetView, { now }: Reader): string[] {
  if (run !== null) {
    const [done, total] = run.progress;
    const count = `${done}${total === null ? '' : ` of ${total}`} restarted`;
    return [`Updating: ${count}, ${describePhase(run.phase, run.current)}.`];
  }
  if (lastRun === null) return [];
  const [from, to] = [lastRun.startedAt, lastRun.endedAt].map((iso) => formatMoment(iso, now));
  const { restarted, failed, outcome, reason } = lastRun;
  if (outcome === 'failed') {
    // An agent of an older version gives no reason.
    const why = reason == null ? '' : `: ${cleanForeignText(reason, REASON_CHARACTERS)}`;
    const touched = describeTouched(restarted.length, failed.length);
    return [`Last update ${from} to ${to} failed${why}. ${touched}.`];
  }
  return [`Last update ${from} to ${to}: ${restarted.length} restarted, ${failed.length} failed.`];
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((_, column) =>
    Math.max(...rows.map((row) => Array.from(row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Array.from(cell).length))
      .join('  ')
      .trimEnd(),
  );
}

function shortenHome(path: string, home: string | null): string {
  const inside = home !== null && home !== '/' && (path === home || path.startsWith(`${home}/`));
  return cleanForeignText(inside ? `~${path.slice(home.length)}` : path, 300);
}
