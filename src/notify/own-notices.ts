/** PURE: banners that tell no happening. They are in no ledger, and there is one of each at a time. */

import type { FleetView } from '../fleet/view.ts';
import type { Notice } from './notifier.ts';
import { texts } from './texts.ts';

/** How far a run has come. */
export function composeProgress(run: NonNullable<FleetView['run']>, at: number): Notice {
  const [done, total] = run.progress;
  return {
    key: `progress:${run.id}`,
    kind: 'progress',
    at,
    session: null,
    title: texts.progressTitle,
    body: texts.progress(run.phase, run.current, done, total),
    urgency: 'low',
    runs: [run.id],
    actions: run.log === null ? [] : [{ id: 'output', label: texts.actions.output }],
  };
}

/** What came of a click: nothing, nothing that shows by itself, or what a check for updates found. */
export type AnswerKind = keyof typeof texts.answerTitles;

/** What came of what somebody clicked. */
export function composeAnswer(text: string, kind: AnswerKind, at: number): Notice {
  return {
    key: 'answer',
    kind: 'answer',
    at,
    session: null,
    title: texts.answerTitles[kind],
    body: text,
    urgency: 'normal',
    actions: [],
  };
}

/** What shows whether banners come through on this desktop. */
export function composeTest(at: number): Notice {
  return {
    key: 'test',
    kind: 'test',
    at,
    session: null,
    title: texts.testTitle,
    body: texts.testBody,
    urgency: 'normal',
    actions: [{ id: 'test', label: texts.testLabel }],
  };
}
