/** Labels and ids of the menu: short, harmless, and never the same for two rows. */

import { cleanForeignText } from '../system/foreign-text.ts';
import { texts } from './texts.ts';

/** What a row of a menu may hold, in characters: wider ones are cut by some desktops, and widen all of the menu on others. */
export const LABEL_CHARACTERS = 60;
const KEY_CHARACTERS = 26;
/** The end of a key tells apart two sandboxes of folders with one name. */
const KEY_END_CHARACTERS = 10;

/** With the longest of our labels and the longest of reasons it fills a row. */
const BRIEF_CHARACTERS = 15;

const ELLIPSIS = '…';

/** A label of one harmless line. One that would be empty shows that there is nothing: some desktops draw no row for it. */
export function cleanLabel(text: string): string {
  const label = cleanForeignText(text, LABEL_CHARACTERS).trim();
  return label === '' ? '-' : label;
}

/** A session's key in a label, cut in its middle where it is long. */
export function nameKey(key: string): string {
  const characters = [...cleanForeignText(key, Number.POSITIVE_INFINITY).trim()];
  if (characters.length === 0) return texts.noName;
  if (characters.length <= KEY_CHARACTERS) return characters.join('');
  const start = characters.slice(0, KEY_CHARACTERS - KEY_END_CHARACTERS - 1);
  return [...start, ELLIPSIS, ...characters.slice(-KEY_END_CHARACTERS)].join('');
}

/** The beginning of a key, where there is little room beside other words. */
export function nameBriefly(key: string): string {
  const name = cleanForeignText(key, BRIEF_CHARACTERS).trim();
  return name === '' ? texts.noName : name;
}

/** A path in a label: its end says more than its beginning. */
export function nameFolder(path: string): string {
  const characters = [...cleanForeignText(path, Number.POSITIVE_INFINITY)];
  if (characters.length <= LABEL_CHARACTERS) return characters.join('');
  return [ELLIPSIS, ...characters.slice(1 - LABEL_CHARACTERS)].join('');
}

/**
 * A sentence as the labels of so many rows at most, broken between words; what has no room is cut and
 * shows as `…`.
 */
export function wrapSentence(sentence: string, maxRows = 4): string[] {
  const words = cleanForeignText(sentence, maxRows * LABEL_CHARACTERS)
    .split(' ')
    .filter(Boolean);
  const rows: string[] = [];
  for (const word of words) {
    const row = rows.at(-1);
    const longer = `${row} ${word}`;
    if (row !== undefined && countCharacters(longer) <= LABEL_CHARACTERS)
      rows.splice(-1, 1, longer);
    else rows.push(word);
  }
  const labels = rows.slice(0, maxRows).map(cleanLabel);
  if (rows.length <= maxRows) return labels;
  const last = [...(labels.pop() ?? '')].slice(0, LABEL_CHARACTERS - 2);
  return [...labels, `${last.join('')} ${ELLIPSIS}`];
}

function countCharacters(text: string): number {
  return [...text].length;
}

/**
 * A part of an id for any text. Two texts never have the same: whatever is not plain becomes `%` and the
 * four hex digits of its code unit, `%` and `/` too. It is ASCII, so that every protocol carries it.
 */
export function nameId(text: string): string {
  return text.replace(
    /[^A-Za-z0-9._-]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
