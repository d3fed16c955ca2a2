import { isSettled } from '../fleet/alarms.ts';
import type { Model } from '../fleet/model.ts';
import type { FleetView } from '../fleet/view.ts';
import { gatherNotices, type NoticeActionId } from '../notify/composing.ts';
import type { Notice, NoticeClick, Notifier, NotifierListener } from '../notify/notifier.ts';
import { type AnswerKind, composeAnswer, composeProgress } from '../notify/own-notices.ts';
import type { Click, Deed } from './deeds.ts';
import { texts } from './texts.ts';

/** The banners that are to be seen now: what a click on one asks for, and which are no longer so. */
export interface Banners {
  /** Resolves when it is handed over, or can't be. */
  readonly show: (notice: Notice) => Promise<void>;
  /**
   * Takes down the alarms that are over, shows how far a long run has come where that is wanted, and shows in
   * one banner what nothing was there to show before.
   */
  readonly note: (fleet: FleetView) => void;
  /** Says to whoever clicked something what came of it. */
  readonly answer: (text: string, kind: AnswerKind) => void;
  readonly close: () => Promise<void>;
}

export interface BannerParts {
  /** Null: nothing is to be shown. */
  readonly start: ((listener: NotifierListener) => Promise<Notifier | null>) | null;
  readonly model: () => Model;
  /** How far a run has come is to be shown. */
  readonly showsProgress: () => boolean;
  readonly timeScale: number;
  /** Writes a wall time as people here do. */
  readonly formatTime: (at: number) => string;
  readonly onClick: (click: Click) => void;
  /** Takes each reason for which a banner was not shown, once. */
  readonly warn: (sentence: string) => void;
}

/** A run that is over sooner is told once it is over. */
const PROGRESS_AFTER_MS = 15_000;

export async function createBanners(parts: BannerParts): Promise<Banners> {
  const { model, timeScale, onClick, warn } = parts;
  const shown = new Map<string, Notice>();
  /** What nothing was there to show, by key, the oldest first; shown once something is. */
  const unseen = new Map<string, Notice>();
  let hasCome = false;
  const listener: NotifierListener = {
    onClick({ key, actionId, activationToken }: NoticeClick) {
      const notice = shown.get(key);
      const offered = notice?.actions.some(({ id }) => id === actionId) === true;
      if (notice === undefined || !offered) return;
      const action = deedOf(notice, actionId as NoticeActionId);
      if (action !== null) onClick({ action, activationToken });
    },
    onEnd(key) {
      shown.delete(key);
    },
    onDesktop() {
      hasCome = true;
    },
  };
  const notifier = (await parts.start?.(listener)) ?? null;

  const said = new Set<string>();
  let isClosed = false;
  const show: Banners['show'] = async (notice) => {
    if (notifier === null) return;
    const { key } = notice;
    shown.set(key, notice);
    const outcome = await notifier.show(notice);
    // Withdrawn meanwhile, or another is in its place: nobody misses it.
    if (isClosed || shown.get(key) !== notice) return;
    if (outcome.kind === 'not-shown') {
      // One that is late may be seen and clicked yet.
      if (outcome.isLate !== true) {
        shown.delete(key);
        if (isLasting(notice)) unseen.set(key, notice);
      }
      if (!said.has(outcome.reason)) warn(texts.notShown(outcome.reason));
      said.add(outcome.reason);
    }
    // It may have been settled while it was on its way.
    if (isOver(notice, model())) await withdraw(key);
  };
  const withdraw = async (key: string) => {
    if (shown.delete(key)) await notifier?.withdraw(key);
  };

  const noteUnseen = (fleet: FleetView) => {
    for (const notice of unseen.values()) {
      const isOld = Math.abs(Date.now() - notice.at) > model().windows.forgetMs;
      if (isOld || isOver(notice, model())) unseen.delete(notice.key);
    }
    if (!hasCome || fleet.quiet !== null) return;
    hasCome = false;
    const [first, ...more] = unseen.values();
    if (first === undefined) return;
    const gathered = more.length === 0 ? first : gatherNotices([first, ...more], parts.formatTime);
    unseen.clear();
    void show(gathered);
  };

  let progress: Notice | null = null;
  const noteProgress = (fleet: FleetView) => {
    const next = parts.showsProgress() ? progressOf(fleet, timeScale) : null;
    if (next?.key === progress?.key && next?.body === progress?.body) return;
    if (progress !== null && next?.key !== progress.key) void withdraw(progress.key);
    progress = next;
    if (next !== null) void show(next);
  };

  return {
    show,
    note(fleet) {
      for (const notice of shown.values()) {
        if (isOver(notice, model())) void withdraw(notice.key);
      }
      noteUnseen(fleet);
      noteProgress(fleet);
    },
    answer: (text, kind) => void show(composeAnswer(text, kind, Date.now())),
    close() {
      isClosed = true;
      return notifier?.close() ?? Promise.resolve();
    },
  };
}

/** What needs a person is over, by itself or with others in one banner, once nothing in there does any more. */
function isOver({ alarms = [] }: Notice, model: Model): boolean {
  return alarms.length > 0 && alarms.every((alarm) => isSettled(alarm, model));
}

/** Whether it is still worth a look later. */
function isLasting({ kind }: Notice): boolean {
  return kind !== 'progress' && kind !== 'answer';
}

function progressOf({ run, quiet }: FleetView, timeScale: number): Notice | null {
  if (run === null || quiet !== null) return null;
  const ranMs = (Date.now() - Date.parse(run.startedAt)) * timeScale;
  return ranMs < PROGRESS_AFTER_MS ? null : composeProgress(run, Date.now());
}

function deedOf({ session, runs = [] }: Notice, actionId: NoticeActionId): Deed | null {
  switch (actionId) {
    case 'open':
    case 'start':
    case 'start-in-terminal':
      return session === null ? null : { kind: actionId, key: session };
    case 'choose':
      return { kind: 'choose', runs };
    case 'log':
      return { kind: 'show-log' };
    case 'output': {
      const [id] = runs;
      return id === undefined ? null : { kind: 'show-run-log', id };
    }
  }
}
