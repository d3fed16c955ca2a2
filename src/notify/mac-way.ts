/** What the ways to show a banner on macOS have in common. */

import type { NoticeAction } from './notifier.ts';

/** A banner in the words that a program of macOS can take. */
export interface MacBanner {
  readonly title: string;
  /** May have several lines. */
  readonly body: string;
  /** Another of the same group replaces it. */
  readonly group: string;
  /** At most three; no comma in a label. */
  readonly actions: readonly NoticeAction[];
  /** How long it can be clicked. Afterwards it goes, from the list of notifications too. */
  readonly lifeSeconds: number;
}

/** What a person did to a banner. */
export type Activation =
  /** `actionId` null: the banner has no action. */
  | { readonly kind: 'clicked'; readonly actionId: string | null }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'expired' };

/** How a program that shows one banner ended. `reason` is a sentence without its full stop. */
export type BannerEnd =
  | { readonly kind: 'activated'; readonly activation: Activation }
  /** It showed the banner, and tells no more of it. */
  | { readonly kind: 'posted' }
  /** macOS lets it show nothing: then no other program is asked to. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It did not end in time; whether anything is shown is not known. */
  | { readonly kind: 'silent'; readonly reason: string }
  /** Nothing was shown: another way may try. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'killed' };

export interface StartedBanner {
  readonly ended: Promise<BannerEnd>;
  /** Ends the program at once; its banner may stay. */
  readonly kill: () => void;
}

/** One way to show banners. Nothing in here rejects or hangs. */
export interface MacWay {
  /** For people. */
  readonly name: string;
  /** Whether its program lives as long as its banner and then says what became of it. */
  readonly clickable: boolean;
  /** Whether it can be tried now. */
  readonly prepare: () => Promise<boolean>;
  /** Only after `prepare` said so. */
  readonly start: (banner: MacBanner) => StartedBanner;
  /** Takes down what is shown under a group, as far as it can. */
  readonly remove: (group: string) => Promise<void>;
}
