/** PURE: a notice as `org.freedesktop.Notifications` has it. */

import { pathToFileURL } from 'node:url';
import { cleanBody, cleanLabel, cleanTitle, escapeMarkup } from './banner-words.ts';
import type { Notice } from './notifier.ts';

export const APP_NAME = 'sandy-tray';

/** What a server says that it can do. */
export interface ServerTraits {
  readonly hasActions: boolean;
  /** It takes the body for markup. */
  readonly hasMarkup: boolean;
}

export interface Banner {
  /** The values of `Notify`. */
  readonly body: readonly unknown[];
  /** What an action is called there, to its id in the notice. */
  readonly actions: ReadonlyMap<string, string>;
}

export const NOTIFY_SIGNATURE = 'susssasa{sv}i';

/** What a click on the banner itself is called. */
const DEFAULT_ACTION = 'default';
const MOST_ACTIONS = 3;
const urgencies = { low: 0, normal: 1, critical: 2 } as const;
const EXPIRES_NEVER = 0;
const EXPIRES_AS_USUAL = -1;

/**
 * Every action is sent once. The first is the one of a click on the banner, and has its real label: Xfce
 * draws it as a button with the others, where GNOME, Plasma and dunst keep it to the click. Once more as a
 * button of its own it would stand twice side by side in Xfce, and in dunst's list.
 *
 * There is no `desktop-entry`: GNOME would take all banners down with our connection, and for a click on
 * one it would look for an application of that name.
 * @param replacedId of the banner in whose place it comes; 0: none
 * @param iconFile an absolute path
 */
export function composeBanner(
  { kind, title, body, urgency, actions }: Notice,
  { hasActions, hasMarkup }: ServerTraits,
  replacedId: number,
  iconFile: string | null,
): Banner {
  const offered = hasActions ? actions.slice(0, MOST_ACTIONS) : [];
  const named = offered.map(({ id, label }, at) => ({
    name: at === 0 ? DEFAULT_ACTION : id,
    id,
    label: cleanLabel(label) || id,
  }));
  const words = cleanBody(body);
  const hints = [
    ['urgency', ['y', urgencies[urgency]]],
    ['category', ['s', `x-${APP_NAME}.${kind}`]],
    ...(urgency === 'low' ? [['transient', ['b', true]]] : []),
    // The path is a URI there, in which a space or a `#` of a folder means something else.
    ...(iconFile === null ? [] : [['image-path', ['s', pathToFileURL(iconFile).href]]]),
  ];
  return {
    body: [
      APP_NAME,
      replacedId,
      '',
      cleanTitle(title, APP_NAME),
      hasMarkup ? escapeMarkup(words) : words,
      named.flatMap(({ name, label }) => [name, label]),
      hints,
      urgency === 'critical' ? EXPIRES_NEVER : EXPIRES_AS_USUAL,
    ],
    actions: new Map(named.map(({ name, id }) => [name, id])),
  };
}
