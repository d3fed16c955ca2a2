/** The rows of the sessions: what each is doing, and what can be done with it. */

import type { Health, SessionView } from '../fleet/view.ts';
import { nameFolder, nameId, nameKey } from './labels.ts';
import { foldRows, makeAction, makeNote, makeNotes, makeSeparator, makeSubmenu } from './rows.ts';
import { explainSession, isBlind, type Situation } from './situation.ts';
import { sinceWords, stateShapes, stateWords, texts, unseenShape } from './texts.ts';
import type { TrayItem } from './tray-picture.ts';

/** More would run off a small screen. */
const MAX_SESSIONS = 12;

/** One submenu a session, in the order of their keys, so that none ever changes its place by what it does. */
export function drawSessions(situation: Situation): TrayItem[] {
  const sessions = sortSessions(situation.fleet.sessions);
  const rows = sessions.map((session) => drawSession(session, situation));
  const hidden = sessions.slice(MAX_SESSIONS);
  return foldRows(rows, MAX_SESSIONS, 'more-sessions', (count) =>
    texts.moreSessions(count, hidden.filter(({ imageStale }) => imageStale === true).length),
  );
}

export function sortSessions(sessions: readonly SessionView[]): SessionView[] {
  return [...sessions].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function drawSession(session: SessionView, situation: Situation): TrayItem {
  const id = `session/${nameId(session.key)}`;
  return makeSubmenu(id, labelSession(session, situation), [
    ...(session.reason === null ? [] : makeNotes(`${id}/reason`, session.reason)),
    makeAction({
      id: `${id}/open`,
      label: texts.open,
      why: explainSession('open', session, situation),
      action: { kind: 'open', key: session.key },
    }),
    makeSeparator(`${id}/line/acts`),
    ...drawActs(id, session, situation),
    makeSeparator(`${id}/line/facts`),
    ...drawFacts(id, session, situation),
  ]);
}

function labelSession(session: SessionView, { fleet }: Situation): string {
  const { key, state, imageStale, attachedClients, health } = session;
  const shape = isBlind(fleet) ? unseenShape : stateShapes[state];
  const ailment = health[0] === undefined ? null : healthWords[health[0]];
  const attached = attachedClients ?? 0;
  const word = ailment ?? (attached > 0 ? texts.attached(attached) : nameState(session));
  const words = imageStale === true ? [word, texts.stale] : [word];
  return texts.session(shape, nameKey(key), words);
}

function nameState({ state, evidence }: SessionView): string {
  return state === 'missing' && evidence !== null ? texts.awayForUpdate : stateWords[state];
}

const healthWords: Readonly<Record<Health, string>> = {
  zombie: texts.zombie,
  'supervisor-lost': texts.supervisorLost,
  'workspace-missing': texts.folderMissing,
  conflict: texts.conflict,
};

/** What starts, stops and restarts: never at the first level, so that one slip of the hand can't. */
function drawActs(id: string, session: SessionView, situation: Situation): TrayItem[] {
  const { key, imageStale, attachedClients } = session;
  const whyNoUpdate = explainSession('update', session, situation);
  const update = imageStale === true ? texts.update : texts.updateIfStale;
  const attached = attachedClients ?? 0;
  return [
    makeAction({
      id: `${id}/update`,
      label:
        whyNoUpdate !== null
          ? texts.update
          : attached > 0
            ? texts.updateAttached(update, attached)
            : update,
      why: whyNoUpdate,
      action: { kind: 'update', keys: [key], idleForMinutes: null },
    }),
    makeAction({
      id: `${id}/start`,
      label: texts.start,
      why: explainSession('start', session, situation),
      action: { kind: 'start', key },
    }),
    makeAction({
      id: `${id}/stop`,
      label: texts.stop,
      why: explainSession('stop', session, situation),
      action: { kind: 'stop', key },
    }),
  ];
}

function drawFacts(id: string, session: SessionView, { extras }: Situation): TrayItem[] {
  const { workspace, state, since, startedAt, updatedAt, waitingShims } = session;
  const [started, updated] = [startedAt, updatedAt].map((at) =>
    at === null ? null : extras.formatTime(at),
  );
  const times = texts.times(started ?? null, updated ?? null);
  const facts = [
    ['folder', workspace === null ? texts.noFolderKnown : nameFolder(workspace)],
    ['since', texts.since(sinceWords[state], extras.formatTime(since))],
    ['times', times],
    ['waiting', waitingShims > 0 ? texts.waiting(waitingShims) : ''],
  ] as const;
  return facts
    .filter(([, label]) => label !== '')
    .map(([name, label]) => makeNote(`${id}/${name}`, label));
}
