/** PURE: a notice in the words that programs of macOS can take, and what they say of it afterwards. */

import { createHash } from 'node:crypto';
import { cleanForeignText } from '../system/foreign-text.ts';
import type { Activation, MacBanner } from './mac-way.ts';
import type { Notice, NoticeAction } from './notifier.ts';
import { texts } from './texts.ts';

const TITLE_CHARACTERS = 120;
const LINE_CHARACTERS = 500;
const MAX_LINES = 12;
const LABEL_CHARACTERS = 40;
const MAX_ACTIONS = 3;

/**
 * How long a banner can be clicked. Each is a process that looks five times a second whether it is still
 * there, so that even those that wait for a person are not there for ever.
 */
const LIFE_SECONDS: Readonly<Record<Notice['urgency'], number>> = {
  low: 10,
  normal: 300,
  critical: 3_600,
};

/** WORD JOINER: nobody sees it, no option starts with it, and no property list can hold it unquoted. */
const SHIELD = '\u2060';

export function writeMacBanner(notice: Notice, timeScale: number): MacBanner {
  const title = cleanForeignText(notice.title, TITLE_CHARACTERS).trim() || texts.otherTitle;
  const lines = notice.body
    .split('\n')
    .slice(0, MAX_LINES)
    .map((line) => cleanForeignText(line, LINE_CHARACTERS));
  return {
    title,
    body: lines.join('\n').trim() || title,
    group: nameGroup(notice.key),
    actions: notice.actions.slice(0, MAX_ACTIONS).map(({ id, label }) => ({
      id,
      // The programs take labels as one list with commas between them.
      label: cleanForeignText(label, LABEL_CHARACTERS).replaceAll(',', ' ').trim() || id,
    })),
    lifeSeconds: Math.max(1, Math.round(LIFE_SECONDS[notice.urgency] / timeScale)),
  };
}

/** A key comes from outside, and a group named `ALL` would mean everybody's. */
export function nameGroup(key: string): string {
  return `sandy-tray-${createHash('sha256').update(key).digest('hex').slice(0, 20)}`;
}

/**
 * A text as a value on a command line of macOS's own kind: a leading `-` would make it an option, and
 * where it reads as a property list (`[ ( { < "`) its value would be another one.
 */
export function shieldText(text: string): string {
  return `${SHIELD}${text}`;
}

/** What alerter and the terminal-notifier of 2017 print of an end; null: nothing that can be read. */
export function readActivation(
  printed: unknown,
  actions: readonly NoticeAction[],
): Activation | null {
  if (typeof printed !== 'object' || printed === null) return null;
  const { activationType, activationValue, activationValueIndex } = printed as Readonly<
    Record<string, unknown>
  >;
  switch (activationType) {
    case 'contentsClicked':
      return { kind: 'clicked', actionId: actions[0]?.id ?? null };
    case 'actionClicked':
      return {
        kind: 'clicked',
        actionId: findAction(actions, activationValue, activationValueIndex)?.id ?? null,
      };
    case 'timeout':
    case 'timedOut':
      return { kind: 'expired' };
    case 'closed':
    case 'none':
    case 'replied':
      return { kind: 'dismissed' };
    default:
      return null;
  }
}

/** By its label, which may come back in quotes; by its place among several where the label is no help. */
function findAction(
  actions: readonly NoticeAction[],
  value: unknown,
  index: unknown,
): NoticeAction | undefined {
  const label = typeof value === 'string' ? value.replace(/^"(.*)"$/, '$1') : null;
  const named = actions.filter((action) => action.label === label);
  if (named.length === 1) return named[0];
  const place = /^\d+$/.test(String(index)) ? Number(index) : 0;
  return actions.length === 1 || index !== undefined ? actions[place] : undefined;
}

/** Whether a program's words say that macOS lets it show no notifications. */
export function tellsRefusal(words: string): boolean {
  return /notif[^\n]*(denied|permission|not (granted|allowed|authori[sz]ed))|UNErrorDomain/i.test(
    words,
  );
}
