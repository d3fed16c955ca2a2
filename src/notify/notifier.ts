import type { NoticeKind } from '../fleet/events.ts';

/** One banner. The id is that of its incident: showing it again replaces it. */
export interface Notice {
  readonly id: string;
  readonly kind: NoticeKind | 'digest';
  readonly at: number;
  readonly key: string | null;
  /** Sentences, cleaned for people. */
  readonly text: string;
}

/** A way to show banners. Nothing in here throws or hangs: a banner that can't be shown is lost. */
export interface Notifier {
  readonly show: (notice: Notice) => Promise<void>;
  /** Takes a banner down whose words are no longer so. */
  readonly withdraw: (id: string) => Promise<void>;
}
