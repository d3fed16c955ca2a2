/** The pinned failures: what happened, and what a person can do about it. */

import type { FailureView } from '../fleet/view.ts';
import { nameId, nameKey } from './labels.ts';
import { foldRows, makeAction, makeNotes, makeSeparator, makeSubmenu } from './rows.ts';
import { explainSession, explainTerminalStart, type Situation } from './situation.ts';
import { failureWords, texts } from './texts.ts';
import type { TrayItem } from './tray-picture.ts';

/** The sessions below must stay in reach. */
const MAX_FAILURES = 6;

/** One submenu a failure, until its session is back or it is dismissed. */
export function drawFailures(situation: Situation): TrayItem[] {
  const rows = situation.fleet.failures.map((failure) => drawFailure(failure, situation));
  return foldRows(rows, MAX_FAILURES, 'more-failures', texts.moreFailures);
}

function drawFailure(failure: FailureView, situation: Situation): TrayItem {
  const { key, kind, at, text } = failure;
  const { fleet, extras } = situation;
  const id = `failure/${nameId(key)}`;
  const session = fleet.sessions.find((one) => one.key === key);
  const count = fleet.failures.length;
  const label = texts.failure(nameKey(key), failureWords[kind], extras.formatTime(at));
  return makeSubmenu(id, label, [
    ...makeNotes(`${id}/text`, text),
    makeSeparator(`${id}/line/remedies`),
    makeAction({
      id: `${id}/start`,
      label: texts.startInTerminal,
      why: explainTerminalStart(session, situation),
      action: { kind: 'start-in-terminal', key },
    }),
    makeAction({
      id: `${id}/open`,
      label: texts.open,
      why: session === undefined ? texts.notRunning : explainSession('open', session, situation),
      action: { kind: 'open', key },
    }),
    makeAction({ id: `${id}/log`, label: texts.showLog, why: null, action: { kind: 'show-log' } }),
    makeSeparator(`${id}/line/down`),
    makeAction({
      id: `${id}/down`,
      label: texts.dismiss,
      why: null,
      action: { kind: 'acknowledge', key },
    }),
    ...(count < 2
      ? []
      : [
          makeAction({
            id: `${id}/down-all`,
            label: texts.dismissAll(count),
            why: null,
            action: { kind: 'acknowledge', key: null },
          }),
        ]),
  ]);
}
