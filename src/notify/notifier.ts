import type { Alarm } from '../fleet/alarms.ts';
import type { NoticeKind } from '../fleet/events.ts';

/** One banner, in plain words: whoever shows it escapes what its own desktop would read as markup. */
export interface Notice {
  /** That of its incident: another under the same key replaces it, and clicks come back with it. */
  readonly key: string;
  readonly kind: NoticeKind | 'digest' | 'answer' | 'test';
  /** Wall clock, ms. */
  readonly at: number;
  /** The session it is about; null: several, or none. */
  readonly session: string | null;
  /** The ids of the runs that it tells of. */
  readonly runs?: readonly string[];
  /** A few words, cleaned for people. */
  readonly title: string;
  /** Sentences, cleaned for people. */
  readonly body: string;
  /**
   * `critical` needs a person and stays until it is seen; `low` is worth no interruption, and is kept
   * nowhere once it is over.
   */
  readonly urgency: 'low' | 'normal' | 'critical';
  /** What in it needs a person: once all of that is settled its words are no longer so. Absent: nothing. */
  readonly alarms?: readonly Alarm[];
  /** What can be done from it; a click on the banner itself does the first. At most three are shown. */
  readonly actions: readonly NoticeAction[];
}

export interface NoticeAction {
  /** Letters and `-`. */
  readonly id: string;
  readonly label: string;
}

/** Somebody clicked a banner, or one of its buttons. */
export interface NoticeClick {
  /** Of the notice. */
  readonly key: string;
  readonly actionId: string;
  /** What lets a window that is opened now come to the front; null where the desktop gave none. */
  readonly activationToken: string | null;
}

/** Why a banner is no longer there. */
export type NoticeEnd = 'expired' | 'dismissed' | 'withdrawn' | 'server-lost';

export interface NotifierListener {
  readonly onClick: (click: NoticeClick) => void;
  readonly onEnd: (key: string, end: NoticeEnd) => void;
  /** Something came that shows banners, where there was nothing or another one before. */
  readonly onDesktop?: () => void;
}

export type ShowOutcome =
  /** Handed over to `server`, a name for people; whether anybody looked is not known. */
  | { readonly kind: 'shown'; readonly server: string; readonly clickable: boolean }
  /**
   * Nobody took it; `reason` is a sentence without its full stop. `isLate`: a desktop that does not answer,
   * which may show it yet, so that to try another way could show it twice.
   */
  | { readonly kind: 'not-shown'; readonly reason: string; readonly isLate?: true };

export type NotShown = Extract<ShowOutcome, { readonly kind: 'not-shown' }>;

export function notShown(reason: string): NotShown {
  return { kind: 'not-shown', reason };
}

/**
 * A way to show banners. Nothing in here rejects, hangs or throws, and clicks and ends come to the listener
 * that it was made with.
 */
export interface Notifier {
  /** Resolves when the banner is handed over, never when it is clicked. */
  readonly show: (notice: Notice) => Promise<ShowOutcome>;
  /** Takes a banner down whose words are no longer so. */
  readonly withdraw: (key: string) => Promise<void>;
  /** Takes down what nobody could click any more, and lets go of everything; nothing is shown afterwards. */
  readonly close: () => Promise<void>;
}
